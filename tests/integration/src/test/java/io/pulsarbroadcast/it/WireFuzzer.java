/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Sends commands of a consumer with arbitrary content, some of them with other bytes, cut short or
 * twice, on a connection that it makes again when the broker has closed it. One thread may call it.
 */
final class WireFuzzer implements AutoCloseable {
  private static final long CONSUMERS = 4;
  private static final int FRAMES_PER_PING = 10;
  private static final long[] NUMBERS = {
    0, 1, 2, -1, 1_000_000, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final String[] TYPES = {"Broadcast", "broadcast", "probe", "", "Exclusive"};
  private static final String[] NAMES = {"fuzz", "", "fuzz \u0000", "Lkw-Größe", "x".repeat(5_000)};

  private final Broker broker;
  private final String topic;
  private final List<MessageIdImpl> ids = new ArrayList<>();
  private final Random random;
  private WireConnection connection;
  private long requests;
  private int taken;
  private int unanswered;

  /** {@code ids}: of messages of the topic. */
  WireFuzzer(Broker broker, String topic, List<MessageId> ids, long seed) {
    this.broker = broker;
    this.topic = topic;
    ids.forEach(id -> this.ids.add((MessageIdImpl) id));
    this.random = new Random(new SplittableRandom(seed).nextLong());
  }

  /** Sends so many frames. */
  void send(int frames) throws IOException, InterruptedException {
    for (int i = 0; i < frames; i++) {
      byte[] frame = bytes(command());
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
  }

  /** How many frames the broker has read without closing the connection. */
  int taken() {
    return taken;
  }

  private void write(byte[] frame) throws IOException {
    try {
      connected().write(frame);
      unanswered++;
    } catch (IOException e) {
      // The broker has closed it, as it may.
      disconnect();
    }
  }

  private void ping() throws IOException, InterruptedException {
    if (connection != null && connection.ping()) {
      taken += unanswered;
    } else {
      disconnect();
    }
    unanswered = 0;
  }

  private WireConnection connected() throws IOException {
    if (connection == null) {
      connection = new WireConnection(URI.create(broker.process().serviceUrl()));
      connection.write(bytes(Commands.newConnect("none", "", "fuzzer")));
      for (int consumer = 0; consumer < CONSUMERS; consumer++) {
        connection.write(bytes(plainSubscribe(consumer)));
        connection.write(bytes(Commands.newFlow(consumer, 10)));
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

  // --- Commands --------------------------------------------------------------------------------

  private ByteBuf command() {
    return switch (random.nextInt(9)) {
      case 0 -> subscribe();
      case 1 -> Commands.newFlow(consumer(), permits());
      case 2, 3, 4 -> ack();
      case 5 -> seek();
      case 6 -> redeliver();
      case 7 -> Commands.newGetLastMessageId(consumer(), requests++);
      default ->
          switch (random.nextInt(6)) {
            case 0 -> Commands.newUnsubscribe(consumer(), requests++);
            case 1 -> Commands.newCloseConsumer(consumer(), requests++);
            default -> statistics();
          };
    };
  }

  private long consumer() {
    return random.nextInt(20) == 0 ? number() : random.nextLong(CONSUMERS);
  }

  /** Mostly some: for none, the broker closes the connection. */
  private int permits() {
    return random.nextInt(10) == 0 ? (int) number() : 1 + random.nextInt(1_000_000);
  }

  private long number() {
    return random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextInt(100);
  }

  /** One that succeeds. */
  private ByteBuf plainSubscribe(long consumer) {
    BaseCommand command = new BaseCommand().setType(BaseCommand.Type.SUBSCRIBE);
    subscribe(command, consumer)
        .setConsumerName("fuzz-" + consumer)
        .setSubType(consumer % 2 == 0 ? SubType.Exclusive : SubType.Shared)
        .addMetadata()
        .setKey("pulsar.subscription.type")
        .setValue("Broadcast");
    return Commands.serializeWithSize(command);
  }

  private CommandSubscribe subscribe(BaseCommand command, long consumer) {
    return command
        .setSubscribe()
        .setTopic(topic)
        .setSubscription("all")
        .setConsumerId(consumer)
        .setRequestId(requests++);
  }

  private ByteBuf subscribe() {
    BaseCommand command = new BaseCommand().setType(BaseCommand.Type.SUBSCRIBE);
    CommandSubscribe subscribe =
        subscribe(command, consumer())
            .setSubType(SubType.values()[random.nextInt(SubType.values().length)])
            .setDurable(random.nextBoolean())
            .setPriorityLevel((int) number())
            .setConsumerEpoch(number());
    subscribe.addMetadata().setKey("pulsar.subscription.type").setValue(one(TYPES));
    if (random.nextBoolean()) {
      subscribe
          .addMetadata()
          .setKey("pulsar.broadcast.cursor.ttl.seconds")
          .setValue(random.nextBoolean() ? "" + number() : one(NAMES));
    }
    if (random.nextBoolean()) {
      subscribe.setConsumerName("fuzz-" + one(NAMES));
    }
    if (random.nextInt(4) == 0) {
      id(subscribe.setStartMessageId());
    }
    if (random.nextInt(4) == 0) {
      subscribe.setStartMessageRollbackDurationSec(number());
    }
    return Commands.serializeWithSize(command);
  }

  private ByteBuf ack() {
    BaseCommand command = new BaseCommand().setType(BaseCommand.Type.ACK);
    CommandAck ack =
        command
            .setAck()
            .setConsumerId(consumer())
            .setAckType(random.nextInt(3) == 0 ? AckType.Cumulative : AckType.Individual);
    for (int i = random.nextInt(8); i > 0; i--) {
      MessageIdData id = id(ack.addMessageId());
      if (random.nextInt(3) == 0) {
        for (int word = random.nextInt(random.nextInt(20) == 0 ? 5_000 : 3); word > 0; word--) {
          id.addAckSet(random.nextLong());
        }
      }
    }
    if (random.nextInt(10) == 0) {
      ack.setTxnidLeastBits(number()).setTxnidMostBits(number());
    }
    if (random.nextInt(4) == 0) {
      ack.setRequestId(requests++);
    }
    return Commands.serializeWithSize(command);
  }

  private ByteBuf seek() {
    if (random.nextBoolean()) {
      return Commands.newSeek(consumer(), requests++, number());
    }
    MessageIdImpl id = message();
    return random.nextBoolean()
        ? Commands.newSeek(consumer(), requests++, id.getLedgerId(), id.getEntryId(), new long[0])
        : Commands.newSeek(consumer(), requests++, number(), number(), new long[] {number()});
  }

  private ByteBuf statistics() {
    BaseCommand command = new BaseCommand().setType(BaseCommand.Type.CONSUMER_STATS);
    command.setConsumerStats().setConsumerId(consumer()).setRequestId(requests++);
    return Commands.serializeWithSize(command);
  }

  private ByteBuf redeliver() {
    BaseCommand command =
        new BaseCommand().setType(BaseCommand.Type.REDELIVER_UNACKNOWLEDGED_MESSAGES);
    command
        .setRedeliverUnacknowledgedMessages()
        .setConsumerId(consumer())
        .setConsumerEpoch(number());
    for (int i = random.nextInt(4); i > 0; i--) {
      id(command.getRedeliverUnacknowledgedMessages().addMessageId());
    }
    return Commands.serializeWithSize(command);
  }

  /** Of a message, or none. */
  private MessageIdData id(MessageIdData id) {
    MessageIdImpl message = message();
    boolean known = random.nextInt(3) > 0;
    id.setLedgerId(known ? message.getLedgerId() : number())
        .setEntryId(known ? message.getEntryId() : number());
    if (random.nextInt(4) == 0) {
      id.setBatchIndex((int) number()).setBatchSize((int) number());
    }
    return id;
  }

  private MessageIdImpl message() {
    return ids.get(random.nextInt(ids.size()));
  }

  private String one(String[] of) {
    return of[random.nextInt(of.length)];
  }

  // --- Bytes -----------------------------------------------------------------------------------

  private static byte[] bytes(ByteBuf command) {
    try {
      return ByteBufUtil.getBytes(command);
    } finally {
      command.release();
    }
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
