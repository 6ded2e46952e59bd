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
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;

/**
 * A socket to a broker, with no client behind it: it reads everything, so that the broker never
 * waits for it, and knows when the broker has read what was written. One thread may call it.
 */
final class WireConnection implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 60;

  private final Socket socket;

  /** Of each pong, and one when the broker has closed the connection. */
  private final Semaphore answers = new Semaphore(0);

  private volatile boolean closed;

  WireConnection(URI service) throws IOException {
    socket = new Socket(service.getHost(), service.getPort());
    Thread reader = new Thread(this::read, "wire-connection");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(socket.getInputStream()))) {
      BaseCommand command = new BaseCommand();
      while (true) {
        byte[] frame = in.readNBytes(in.readInt());
        ByteBuf bytes = Unpooled.wrappedBuffer(frame);
        command.parseFrom(bytes, bytes.readInt());
        if (command.getType() == BaseCommand.Type.PONG) {
          answers.release();
        }
      }
    } catch (IOException e) {
      closed = true;
      answers.release();
    }
  }

  void write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /**
   * Returns when the broker has read all that was written: true, or false when it closed the
   * connection instead.
   */
  boolean ping() throws IOException, InterruptedException {
    BaseCommand command = new BaseCommand().setType(BaseCommand.Type.PING);
    command.setPing();
    ByteBuf ping = Commands.serializeWithSize(command);
    try {
      write(ByteBufUtil.getBytes(ping));
    } catch (IOException e) {
      return false;
    } finally {
      ping.release();
    }
    if (!answers.tryAcquire(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("no answer to a ping in " + TIMEOUT_SECONDS + " s");
    }
    return !closed;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
