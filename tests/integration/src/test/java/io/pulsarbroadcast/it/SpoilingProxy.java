/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pulsar.common.api.proto.BaseCommand;

/**
 * Stands between clients and a broker, and spoils deliveries on purpose. Say what to spoil before
 * the first client connects; threads of its own do the work.
 *
 * <p>Messages are numbered from 0 per consumer, in the order in which the broker sends them. The
 * broker's answers to lookups are made to lead here too.
 */
final class SpoilingProxy implements AutoCloseable {
  private enum Spoiling {
    LOSE,
    REPEAT,
    SWAP_WITH_NEXT,
    DAMAGE
  }

  private record Delivery(long consumer, int number) {}

  private final URI broker;
  private final InetAddress from;
  private final ServerSocket server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Map<Delivery, Spoiling> plan = new ConcurrentHashMap<>();
  private final Map<Long, Integer> delivered = new ConcurrentHashMap<>();
  private final Map<Long, byte[]> heldBack = new ConcurrentHashMap<>();

  SpoilingProxy(String brokerUrl) throws IOException {
    this(brokerUrl, InetAddress.getLoopbackAddress());
  }

  /**
   * @param from the address of this machine that the broker sees as the clients'
   */
  SpoilingProxy(String brokerUrl, InetAddress from) throws IOException {
    broker = URI.create(brokerUrl);
    this.from = from;
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  String serviceUrl() {
    return "pulsar://127.0.0.1:" + server.getLocalPort();
  }

  SpoilingProxy lose(long consumer, int number) {
    return spoil(consumer, number, Spoiling.LOSE);
  }

  SpoilingProxy repeat(long consumer, int number) {
    return spoil(consumer, number, Spoiling.REPEAT);
  }

  SpoilingProxy swapWithNext(long consumer, int number) {
    return spoil(consumer, number, Spoiling.SWAP_WITH_NEXT);
  }

  /** Turns a bit of the payload. */
  SpoilingProxy damage(long consumer, int number) {
    return spoil(consumer, number, Spoiling.DAMAGE);
  }

  private SpoilingProxy spoil(long consumer, int number, Spoiling how) {
    plan.put(new Delivery(consumer, number), how);
    return this;
  }

  /** Work that ends with an IOException when its socket is closed. */
  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // A socket was closed.
              }
            },
            "spoiling-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = server.accept();
      Socket upstream = new Socket(broker.getHost(), broker.getPort(), from, 0);
      sockets.addAll(List.of(client, upstream));
      start(() -> copy(client, upstream));
      start(() -> spoil(upstream, client));
    }
  }

  private static void copy(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    }
  }

  private void spoil(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      DataInputStream in = new DataInputStream(from.getInputStream());
      OutputStream out = to.getOutputStream();
      while (true) {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        answer(frame, out);
      }
    }
  }

  /** A frame is the length of the command, the command, and what belongs to it. */
  private void answer(byte[] frame, OutputStream out) throws IOException {
    ByteBuf buffer = Unpooled.wrappedBuffer(frame);
    BaseCommand command = new BaseCommand();
    command.parseFrom(buffer, buffer.readInt());
    switch (command.getType()) {
      case LOOKUP_RESPONSE:
        command.getLookupTopicResponse().setBrokerServiceUrl(serviceUrl());
        byte[] changed = command.toByteArray();
        write(
            ByteBuffer.allocate(Integer.BYTES + changed.length)
                .putInt(changed.length)
                .put(changed)
                .array(),
            out);
        break;
      case MESSAGE:
        deliver(command.getMessage().getConsumerId(), frame, out);
        break;
      default:
        write(frame, out);
    }
  }

  private void deliver(long consumer, byte[] frame, OutputStream out) throws IOException {
    int number = delivered.merge(consumer, 1, Integer::sum) - 1;
    Spoiling how = plan.get(new Delivery(consumer, number));
    if (how == Spoiling.SWAP_WITH_NEXT) {
      heldBack.put(consumer, frame);
      return;
    }
    if (how == Spoiling.DAMAGE) {
      frame[frame.length - 20] ^= 1;
    }
    if (how != Spoiling.LOSE) {
      write(frame, out);
    }
    if (how == Spoiling.REPEAT) {
      write(frame, out);
    }
    byte[] overtaken = heldBack.remove(consumer);
    if (overtaken != null) {
      write(overtaken, out);
    }
  }

  private static void write(byte[] frame, OutputStream out) throws IOException {
    out.write(
        ByteBuffer.allocate(Integer.BYTES + frame.length).putInt(frame.length).put(frame).array());
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
