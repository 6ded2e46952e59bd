/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.netty.buffer.ByteBuf;
import io.pulsarbroadcast.it.WireConnection.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandAck.ValidationError;
import org.apache.pulsar.common.api.proto.CommandConnect;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.KeySharedMode;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.api.proto.TxnAction;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Commands of a few consumers of the subscription "all", as a seed draws them: arbitrary ones, and
 * sequences that succeed unless what was drawn before is in their way. One thread may call it.
 */
final class WireCommands {
  /** How many consumers a connection begins with. */
  static final int CONSUMERS = 4;

  private static final int NEWEST_PROTOCOL = 21;
  private static final String TYPE = "pulsar.subscription.type";
  private static final String TIME_TO_LIVE = "pulsar.broadcast.cursor.ttl.seconds";
  private static final long[] NUMBERS = {
    0, 1, 2, -1, 1_000_000, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final String[] TYPES = {
    "Broadcast", "Broadcast", "broadcast", "BROADCAST", "probe", "", "Exclusive"
  };
  private static final String[] KEYS = {TYPE, "Pulsar.Subscription.Type", "", "pulsar.broadcast."};
  private static final String[] NAMES = {"fuzz", "", "fuzz \u0000", "Lkw-Größe", "x".repeat(5_000)};
  private static final String[] SUBSCRIPTIONS = {"other", "", "all ", "other\n", "y".repeat(2_000)};

  /** Behind the topic's name, or instead of it. */
  private static final String[] TOPICS = {
    "-partition-0", "-partition-99999999999", "non-persistent://public/default/fuzz", "a:b", "/"
  };

  private final String topic;
  private final List<MessageIdImpl> ids;
  private final Random random;

  /** Of its own, because how often the broker closes a connection depends on time. */
  private final Random connects;

  private long requests;

  /** {@code ids}: of messages of the topic. */
  WireCommands(String topic, List<MessageIdImpl> ids, Random random) {
    this.topic = topic;
    this.ids = ids;
    this.random = random;
    this.connects = new Random(random.nextLong());
  }

  /** What a connection begins with: mostly a handshake, and consumers. */
  List<ByteBuf> begin() {
    List<ByteBuf> commands = new ArrayList<>();
    if (connects.nextInt(16) > 0) {
      commands.add(connect());
    }
    for (int consumer = 0; consumer < CONSUMERS; consumer++) {
      commands.add(plainSubscribe(consumer));
      commands.add(Commands.newFlow(consumer, 10));
    }
    return commands;
  }

  /** Whether a connection waits until it has its consumers: most of what follows succeeds then. */
  boolean beginsSlowly() {
    return connects.nextInt(4) > 0;
  }

  /** Commands to be sent one after the other; {@code delivered} is a message that came, or null. */
  List<ByteBuf> next(Delivery delivered) {
    return switch (random.nextInt(24)) {
      case 0, 1 -> List.of(subscribe());
      case 2, 3 -> List.of(Commands.newFlow(consumer(), permits()));
      case 4, 5, 6, 7 -> List.of(ack());
      case 8, 9, 10, 11 -> List.of(ackOne(delivered));
      case 12, 13 -> List.of(seek());
      case 14, 15 -> List.of(redeliver());
      case 16 -> List.of(Commands.newGetLastMessageId(consumer(), requests++));
      case 17 -> List.of(Commands.newUnsubscribe(consumer(), requests++));
      case 18 -> List.of(Commands.newCloseConsumer(consumer(), requests++));
      case 19 -> List.of(transaction());
      case 20 -> List.of(statistics());
      default -> comeBack();
    };
  }

  /** A consumer leaves in some way, or is sent away, and subscribes again. */
  private List<ByteBuf> comeBack() {
    long consumer = random.nextInt(CONSUMERS);
    MessageIdImpl id = message();
    ByteBuf away =
        switch (random.nextInt(5)) {
          case 0 -> Commands.newUnsubscribe(consumer, requests++);
          case 1 ->
              Commands.newSeek(
                  consumer, requests++, id.getLedgerId(), id.getEntryId(), new long[0]);
          case 2 ->
              Commands.newSeek(
                  consumer, requests++, System.currentTimeMillis() - random.nextInt(10_000));
          default -> Commands.newCloseConsumer(consumer, requests++);
        };
    return List.of(away, plainSubscribe(consumer), Commands.newFlow(consumer, permits()));
  }

  private long consumer() {
    return random.nextInt(20) == 0 ? number() : random.nextInt(CONSUMERS);
  }

  /** Mostly some: for none, the broker closes the connection. */
  private int permits() {
    return random.nextInt(10) == 0 ? (int) number() : 1 + random.nextInt(1_000_000);
  }

  private long number() {
    return random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextInt(100);
  }

  private ByteBuf connect() {
    if (connects.nextInt(4) > 0) {
      return Commands.newConnect("none", "", "fuzzer");
    }
    BaseCommand command = command(BaseCommand.Type.CONNECT);
    CommandConnect connect =
        command
            .setConnect()
            .setClientVersion("fuzzer")
            .setAuthMethodName("none")
            .setProtocolVersion(connects.nextInt(NEWEST_PROTOCOL + 2));
    if (connects.nextBoolean()) {
      connect
          .setFeatureFlags()
          .setSupportsBrokerEntryMetadata(connects.nextBoolean())
          .setSupportsTopicWatchers(connects.nextBoolean());
    }
    return Commands.serializeWithSize(command);
  }

  private static BaseCommand command(BaseCommand.Type type) {
    return new BaseCommand().setType(type);
  }

  // --- Subscribes ------------------------------------------------------------------------------

  /** One that succeeds. */
  private ByteBuf plainSubscribe(long consumer) {
    BaseCommand command = command(BaseCommand.Type.SUBSCRIBE);
    subscribe(command, consumer)
        .setConsumerName("fuzz-" + consumer)
        .setSubType(consumer % 2 == 0 ? SubType.Exclusive : SubType.Shared)
        .addMetadata()
        .setKey(TYPE)
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
    BaseCommand command = command(BaseCommand.Type.SUBSCRIBE);
    CommandSubscribe subscribe =
        subscribe(command, consumer())
            .setSubType(SubType.values()[random.nextInt(SubType.values().length)])
            .setDurable(random.nextBoolean())
            .setPriorityLevel((int) number())
            .setConsumerEpoch(number());
    if (random.nextInt(8) == 0) {
      // Plain or Broadcast, as whoever comes first makes it.
      subscribe.setSubscription("other");
    }
    if (random.nextInt(8) > 0) {
      property(subscribe, random.nextInt(8) == 0 ? one(KEYS) : TYPE, one(TYPES));
    }
    if (random.nextInt(8) == 0) {
      property(subscribe, one(KEYS), one(TYPES));
    }
    if (random.nextBoolean()) {
      property(subscribe, TIME_TO_LIVE, random.nextBoolean() ? "" + number() : one(NAMES));
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
    if (random.nextInt(4) == 0) {
      rarely(subscribe);
    }
    return Commands.serializeWithSize(command);
  }

  private static void property(CommandSubscribe subscribe, String key, String value) {
    subscribe.addMetadata().setKey(key).setValue(value);
  }

  private void rarely(CommandSubscribe subscribe) {
    switch (random.nextInt(8)) {
      case 0 -> subscribe.setTopic(topic + one(TOPICS));
      case 1 -> subscribe.setTopic(one(TOPICS));
      case 2 -> subscribe.setSubscription(one(SUBSCRIPTIONS));
      case 3 -> subscribe.setReadCompacted(random.nextBoolean());
      case 4 -> subscribe.setReplicateSubscriptionState(random.nextBoolean());
      case 5 ->
          subscribe
              .setForceTopicCreation(random.nextBoolean())
              .setInitialPosition(
                  random.nextBoolean() ? InitialPosition.Earliest : InitialPosition.Latest);
      case 6 -> subscribe.addSubscriptionProperty().setKey(one(KEYS)).setValue(one(TYPES));
      default ->
          subscribe
              .setKeySharedMeta()
              .setKeySharedMode(
                  random.nextBoolean() ? KeySharedMode.STICKY : KeySharedMode.AUTO_SPLIT)
              .addHashRange()
              .setStart((int) number())
              .setEnd((int) number());
    }
  }

  // --- Acknowledgements ------------------------------------------------------------------------

  private ByteBuf ack() {
    BaseCommand command = command(BaseCommand.Type.ACK);
    CommandAck ack = ack(command, consumer());
    for (int i = random.nextInt(8); i > 0; i--) {
      MessageIdData id = id(ack.addMessageId());
      if (random.nextInt(3) == 0) {
        ackSet(id, random.nextInt(20) == 0 ? 5_000 : 3);
      }
    }
    if (random.nextInt(10) == 0) {
      ack.setTxnidLeastBits(number()).setTxnidMostBits(number());
    }
    if (random.nextInt(10) == 0) {
      ack.setValidationError(
          ValidationError.values()[random.nextInt(ValidationError.values().length)]);
      ack.addProperty().setKey(one(NAMES)).setValue(number());
    }
    return Commands.serializeWithSize(command);
  }

  private CommandAck ack(BaseCommand command, long consumer) {
    CommandAck ack =
        command
            .setAck()
            .setConsumerId(consumer)
            .setAckType(random.nextInt(3) == 0 ? AckType.Cumulative : AckType.Individual);
    if (random.nextInt(4) == 0) {
      ack.setRequestId(requests++);
    }
    return ack;
  }

  /** Of a message that was sent, if one was, or a part of it as if it were a batch. */
  private ByteBuf ackOne(Delivery sent) {
    BaseCommand command = command(BaseCommand.Type.ACK);
    MessageIdImpl any = message();
    Delivery delivered = sent == null ? new Delivery(0, any.getLedgerId(), any.getEntryId()) : sent;
    MessageIdData id =
        ack(command, delivered.consumer())
            .addMessageId()
            .setLedgerId(delivered.ledgerId())
            .setEntryId(delivered.entryId());
    if (random.nextInt(4) == 0) {
      ackSet(id, 3);
    }
    return Commands.serializeWithSize(command);
  }

  private void ackSet(MessageIdData id, int wordsBelow) {
    for (int word = random.nextInt(wordsBelow); word > 0; word--) {
      id.addAckSet(random.nextInt(4) == 0 ? 0 : random.nextLong());
    }
  }

  // --- Others ----------------------------------------------------------------------------------

  private ByteBuf seek() {
    if (random.nextBoolean()) {
      return Commands.newSeek(consumer(), requests++, number());
    }
    if (random.nextInt(8) == 0) {
      BaseCommand command = command(BaseCommand.Type.SEEK);
      command.setSeek().setConsumerId(consumer()).setRequestId(requests++);
      return Commands.serializeWithSize(command);
    }
    MessageIdImpl id = message();
    return random.nextBoolean()
        ? Commands.newSeek(consumer(), requests++, id.getLedgerId(), id.getEntryId(), new long[0])
        : Commands.newSeek(consumer(), requests++, number(), number(), new long[] {number()});
  }

  private ByteBuf statistics() {
    BaseCommand command = command(BaseCommand.Type.CONSUMER_STATS);
    command.setConsumerStats().setConsumerId(random.nextInt(CONSUMERS)).setRequestId(requests++);
    return Commands.serializeWithSize(command);
  }

  private ByteBuf redeliver() {
    BaseCommand command = command(BaseCommand.Type.REDELIVER_UNACKNOWLEDGED_MESSAGES);
    command
        .setRedeliverUnacknowledgedMessages()
        .setConsumerId(consumer())
        .setConsumerEpoch(number());
    for (int i = random.nextInt(4); i > 0; i--) {
      id(command.getRedeliverUnacknowledgedMessages().addMessageId());
    }
    return Commands.serializeWithSize(command);
  }

  /** Of the subscription, mostly one that there is not. */
  private ByteBuf transaction() {
    BaseCommand command;
    switch (random.nextInt(3)) {
      case 0 -> {
        command = command(BaseCommand.Type.NEW_TXN);
        command.setNewTxn().setRequestId(requests++).setTcId(number()).setTxnTtlSeconds(number());
      }
      case 1 -> {
        command = command(BaseCommand.Type.ADD_SUBSCRIPTION_TO_TXN);
        command
            .setAddSubscriptionToTxn()
            .setRequestId(requests++)
            .setTxnidMostBits(number())
            .setTxnidLeastBits(number())
            .addSubscription()
            .setTopic(topic)
            .setSubscription("all");
      }
      default -> {
        command = command(BaseCommand.Type.END_TXN_ON_SUBSCRIPTION);
        command
            .setEndTxnOnSubscription()
            .setRequestId(requests++)
            .setTxnidMostBits(number())
            .setTxnidLeastBits(number())
            .setTxnidLeastBitsOfLowWatermark(number())
            .setTxnAction(random.nextBoolean() ? TxnAction.COMMIT : TxnAction.ABORT)
            .setSubscription()
            .setTopic(topic)
            .setSubscription("all");
      }
    }
    return Commands.serializeWithSize(command);
  }

  // --- Content ---------------------------------------------------------------------------------

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
}
