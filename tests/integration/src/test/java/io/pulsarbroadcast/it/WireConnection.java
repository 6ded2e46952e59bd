/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.protocol.Commands;

/**
 * A socket to a broker, with no client behind it: it reads everything, so that the broker never
 * waits for it, and knows when the broker has read what was written. One thread may call it.
 */
final class WireConnection implements AutoCloseable {
  static final int REMEMBERED = 64;

  private static final long TIMEOUT_SECONDS = 60;

  /** A message that was sent to one of its consumers. */
  record Delivery(long consumer, long ledgerId, long entryId) {}

  private final Socket socket;
  private final WireTally tally;
  private final AtomicReferenceArray<Delivery> deliveries = new AtomicReferenceArray<>(REMEMBERED);

  /** Of each pong, and one when the broker has closed the connection. */
  private final Semaphore answers = new Semaphore(0);

  /** Of each answer to a request, and very many when the broker has closed the connection. */
  private final Semaphore requestsAnswered = new Semaphore(0);

  private volatile boolean closed;

  WireConnection(URI service, WireTally tally) throws IOException {
    this.tally = tally;
    socket = new Socket(service.getHost(), service.getPort());
    Thread reader = new Thread(this::read, "wire-connection");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(socket.getInputStream()))) {
      BaseCommand command = new BaseCommand();
      int messages = 0;
      while (true) {
        byte[] frame = in.readNBytes(in.readInt());
        ByteBuf bytes = Unpooled.wrappedBuffer(frame);
        command.parseFrom(bytes, bytes.readInt());
        tally.answered(command.getType());
        if (command.getType() == BaseCommand.Type.PONG) {
          answers.release();
        } else if (command.getType() == BaseCommand.Type.PING) {
          // Else a subscribe of a namesake waits, and then closes this connection as dead.
          write(Commands.newPong());
        } else if (command.getType() == BaseCommand.Type.MESSAGE) {
          remember(command.getMessage(), messages++);
        } else if (command.getType() == BaseCommand.Type.SUCCESS
            || command.getType() == BaseCommand.Type.ERROR) {
          requestsAnswered.release();
        }
      }
    } catch (IOException e) {
      closed = true;
      answers.release();
      requestsAnswered.release(Short.MAX_VALUE);
    }
  }

  private void remember(CommandMessage message, int number) {
    deliveries.set(
        number % REMEMBERED,
        new Delivery(
            message.getConsumerId(),
            message.getMessageId().getLedgerId(),
            message.getMessageId().getEntryId()));
  }

  /** One of the last {@link #REMEMBERED} messages that came; null where there is none yet. */
  Delivery delivery(int index) {
    return deliveries.get(index);
  }

  /** Waits until so many requests have been answered, or the broker has closed the connection. */
  void awaitAnswered(int requests) throws InterruptedException {
    if (!requestsAnswered.tryAcquire(requests, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "not " + requests + " requests answered in " + TIMEOUT_SECONDS + " s");
    }
  }

  private void write(ByteBuf command) throws IOException {
    write(bytes(command));
  }

  /** The bytes of a command, which is released. */
  static byte[] bytes(ByteBuf command) {
    try {
      return ByteBufUtil.getBytes(command);
    } finally {
      command.release();
    }
  }

  synchronized void write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /**
   * Returns when the broker has read all that was written: true, or false when it closed the
   * connection instead.
   */
  boolean ping() throws IOException, InterruptedException {
    BaseCommand command = new BaseCommand().setType(BaseCommand.Type.PING);
    command.setPing();
    long startNanos = System.nanoTime();
    try {
      write(Commands.serializeWithSize(command));
    } catch (IOException e) {
      return false;
    }
    if (!answers.tryAcquire(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("no answer to a ping in " + TIMEOUT_SECONDS + " s");
    }
    tally.pinged(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
    return !closed;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
