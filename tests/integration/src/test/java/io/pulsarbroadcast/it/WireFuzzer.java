/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.netty.buffer.ByteBuf;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.impl.MessageIdImpl;

/**
 * Sends {@link WireCommands}, some of them with other bytes, cut short or twice, on a connection
 * that it makes again when the broker has closed it. One thread may call it.
 */
final class WireFuzzer implements AutoCloseable {
  private static final int FRAMES_PER_PING = 10;

  private final Broker broker;
  private final WireTally tally;
  private final Random random;
  private final WireCommands commands;
  private WireConnection connection;
  private int unanswered;

  /** {@code ids}: of messages of the topic. */
  WireFuzzer(Broker broker, String topic, List<MessageId> ids, long seed, WireTally tally) {
    this.broker = broker;
    this.tally = tally;
    this.random = new Random(new SplittableRandom(seed).nextLong());
    this.commands =
        new WireCommands(topic, ids.stream().map(id -> (MessageIdImpl) id).toList(), random);
    tally.seeds.increment();
  }

  /** Sends so many frames, or a few more. */
  void send(int frames) throws IOException, InterruptedException {
    int left = frames;
    while (left > 0) {
      int remembered = random.nextInt(WireConnection.REMEMBERED);
      List<ByteBuf> sequence =
          commands.next(connection == null ? null : connection.delivery(remembered));
      for (ByteBuf command : sequence) {
        send(WireConnection.bytes(command));
      }
      left -= sequence.size();
    }
  }

  private void send(byte[] frame) throws IOException, InterruptedException {
    boolean isDamaged = random.nextInt(16) == 0;
    write(isDamaged ? damaged(frame) : frame);
    if (isDamaged) {
      // What comes after it would be read as the rest of it.
      disconnect();
    } else if (random.nextInt(8) == 0) {
      write(frame);
    }
    if (unanswered >= FRAMES_PER_PING) {
      ping();
    }
  }

  private void write(byte[] frame) throws IOException, InterruptedException {
    try {
      connected().write(frame);
      tally.frames.increment();
      unanswered++;
    } catch (IOException e) {
      // The broker has closed it, as it may.
      disconnect();
    }
  }

  private void ping() throws IOException, InterruptedException {
    if (connection != null && connection.ping()) {
      tally.taken.add(unanswered);
    } else {
      disconnect();
    }
    unanswered = 0;
  }

  private WireConnection connected() throws IOException, InterruptedException {
    if (connection == null) {
      connection = new WireConnection(URI.create(broker.process().serviceUrl()), tally);
      tally.connections.increment();
      for (ByteBuf command : commands.begin()) {
        connection.write(WireConnection.bytes(command));
      }
      if (commands.beginsSlowly()) {
        connection.awaitAnswered(WireCommands.CONSUMERS);
      }
    }
    return connection;
  }

  private void disconnect() throws IOException {
    if (connection != null) {
      connection.close();
      connection = null;
    }
    unanswered = 0;
  }

  /** Other bits, or fewer bytes, so that the next frame begins in the middle of this one. */
  private byte[] damaged(byte[] frame) {
    if (random.nextBoolean()) {
      return Arrays.copyOf(frame, random.nextInt(frame.length));
    }
    byte[] bytes = frame.clone();
    for (int i = random.nextInt(4); i >= 0; i--) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    disconnect();
  }
}
