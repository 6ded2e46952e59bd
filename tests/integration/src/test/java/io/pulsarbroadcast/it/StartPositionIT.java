/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.publishBatches;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.ReaderBuilder;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I1 and I3: a consumer that is new on a subscription starts where it asks to, and storage keeps
 * what it is to be given from the moment it is answered.
 */
@ExtendWith(OperatedBroker.class)
class StartPositionIT {

  @Test
  void shouldGiveANewNameTheOldestStoredMessageWithEarliest(Broker broker) throws Exception {
    String topic = newRetainingTopic(broker);
    try (Consumer<String> first = broker.atOnce(topic, "all", "first").subscribe()) {
      publish(broker, topic, 0, 12);
      assertThat(receiveAndAck(first, 12)).isEqualTo(values(0, 12));
      awaitBacklog(broker, topic, "all", 0);
      try (Consumer<String> early = earliest(broker, topic, "early").subscribe()) {
        assertThat(backlog(broker, topic)).as("I3").isEqualTo(12);
        publish(broker, topic, 12, 13);
        assertThat(receiveAndAck(early, 13)).isEqualTo(values(0, 13));
        assertThat(receiveAndAck(first, 1)).as("I5: nobody else moves").isEqualTo(values(12, 13));
        assertNothingMore(first);
        assertNothingMore(early);
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldProtectWhatANewNameIsToBeGivenFromTrimming(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setRetention(namespace, new RetentionPolicies(-1, -1));
    String topic = OperatedBroker.topicIn(namespace);
    try (Consumer<String> first = broker.atOnce(topic, "all", "first").subscribe()) {
      publish(broker, topic, 0, 12);
      assertThat(receiveAndAck(first, 12)).isEqualTo(values(0, 12));
      awaitBacklog(broker, topic, "all", 0);
      earliest(broker, topic, "early").subscribe().close();

      broker.admin().namespaces().setRetention(namespace, new RetentionPolicies(0, 0));
      publish(broker, topic, 12, 20);
      assertThat(receiveAndAck(first, 8)).isEqualTo(values(12, 20));
      broker.admin().topics().trimTopic(topic);
      broker.admin().topics().unload(topic);
      broker.admin().topics().trimTopic(topic);
      try (Consumer<String> early = earliest(broker, topic, "early").subscribe()) {
        assertThat(receiveAndAck(early, 20)).isEqualTo(values(0, 20));
      }
      awaitConnected(broker, first);
    }
  }

  @Test
  void shouldLetManyNewNamesStartAtTheOldestMessageAtOnce(Broker broker) throws Exception {
    String topic = newRetainingTopic(broker);
    try (Consumer<String> first = broker.atOnce(topic, "all", "first").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(first, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
      List<CompletableFuture<Consumer<String>>> subscribing = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        subscribing.add(earliest(broker, topic, "early-" + i).subscribeAsync());
      }
      for (CompletableFuture<Consumer<String>> early : subscribing) {
        assertThat(receiveAndAck(early.get(), 10)).isEqualTo(values(0, 10));
      }
      awaitBacklog(broker, topic, "all", 0);
      for (CompletableFuture<Consumer<String>> early : subscribing) {
        early.get().close();
      }
    }
  }

  /** Whoever comes first makes the subscription; where that one starts is for nobody else. */
  @Test
  void shouldStartEachOfTheFirstWhereItAsks(Broker broker) throws Exception {
    String topic = newRetainingTopic(broker);
    publish(broker, topic, 0, 10);
    for (int round = 0; round < 5; round++) {
      String subscription = "all-" + round;
      List<CompletableFuture<Consumer<String>>> subscribing = new ArrayList<>();
      subscribing.add(broker.atOnce(topic, subscription, "late").subscribeAsync());
      for (int i = 0; i < 50; i++) {
        subscribing.add(
            broker
                .atOnce(topic, subscription, "early-" + i)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribeAsync());
      }
      try (Consumer<String> late = subscribing.remove(0).get()) {
        for (CompletableFuture<Consumer<String>> each : subscribing) {
          try (Consumer<String> early = each.get()) {
            assertThat(receiveAndAck(early, 10)).isEqualTo(values(0, 10));
          }
        }
        assertNothingMore(late);
      }
      broker.admin().topics().deleteSubscription(topic, subscription, true);
    }
  }

  @Test
  void shouldNotMoveTheSubscriptionBackForANameThatReturnsWithEarliest(Broker broker)
      throws Exception {
    String topic = newRetainingTopic(broker);
    try (Consumer<String> a = earliest(broker, topic, "a").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
    try (Consumer<String> returned = earliest(broker, topic, "a").subscribe()) {
      assertNothingMore(returned);
      assertThat(backlog(broker, topic)).isZero();
    }
  }

  @Test
  void shouldStartANonDurableConsumerAtTheOldestMessageAndHoldNothingBack(Broker broker)
      throws Exception {
    String topic = newRetainingTopic(broker);
    try (Consumer<String> durable = broker.atOnce(topic, "all", "durable").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(durable, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
      try (Consumer<String> early =
          earliest(broker, topic, "early")
              .subscriptionMode(SubscriptionMode.NonDurable)
              .subscribe()) {
        assertThat(receiveValues(early, 10)).isEqualTo(values(0, 10));
        assertThat(backlog(broker, topic)).isZero();
      }
    }
  }

  @Test
  void shouldStartANonDurableConsumerAtTheOldestMessageAfterAClearedBacklog(Broker broker)
      throws Exception {
    String topic = newRetainingTopic(broker);
    broker.broadcast(topic, "all", "away").subscribe().close();
    publish(broker, topic, 0, 10);
    broker.admin().topics().skipAllMessages(topic, "all");
    try (Consumer<String> early =
            earliest(broker, topic, "early")
                .subscriptionMode(SubscriptionMode.NonDurable)
                .subscribe();
        Consumer<String> returned = broker.broadcast(topic, "all", "away").subscribe()) {
      publish(broker, topic, 10, 12);
      assertThat(receiveValues(early, 12)).isEqualTo(values(0, 12));
      assertThat(receiveValues(returned, 2)).isEqualTo(values(10, 12));
    }
  }

  /** A reader has no consumer properties, so it takes part in a declared subscription. */
  @Test
  void shouldStartAReaderAtAMessageLikeAPlainReader(Broker broker) throws Exception {
    String topic = newDeclaredTopic(broker);
    List<MessageId> ids = publish(broker, topic, 0, 10);
    assertSameForBoth(broker, topic, reader -> reader.startMessageId(ids.get(4)), 5, 10);
    assertSameForBoth(
        broker,
        topic,
        reader -> reader.startMessageId(ids.get(4)).startMessageIdInclusive(),
        4,
        10);
    assertSameForBoth(broker, topic, reader -> reader.startMessageId(MessageId.earliest), 0, 10);
  }

  @Test
  void shouldStartAReaderWithinABatchLikeAPlainReader(Broker broker) throws Exception {
    String topic = newDeclaredTopic(broker);
    publishBatches(broker, topic, 0, 10, 5);
    List<MessageId> ids = new ArrayList<>();
    try (Reader<String> all =
        broker
            .client()
            .newReader(Schema.STRING)
            .topic(topic)
            .startMessageId(MessageId.earliest)
            .create()) {
      while (ids.size() < 10) {
        ids.add(all.readNext(1, TimeUnit.MINUTES).getMessageId());
      }
    }
    assertSameForBoth(broker, topic, reader -> reader.startMessageId(ids.get(6)), 7, 10);
    assertSameForBoth(
        broker,
        topic,
        reader -> reader.startMessageId(ids.get(1)).startMessageIdInclusive(),
        1,
        10);
  }

  @Test
  void shouldStartAReaderSomeTimeBackLikeAPlainReader(Broker broker) throws Exception {
    String topic = newDeclaredTopic(broker);
    publish(broker, topic, 0, 10);
    assertSameForBoth(
        broker, topic, reader -> reader.startMessageFromRollbackDuration(1, TimeUnit.HOURS), 0, 10);
  }

  @Test
  void shouldLetAReaderGoOnWhereItWasWhenTheTopicIsUnloaded(Broker broker) throws Exception {
    String topic = newDeclaredTopic(broker);
    publish(broker, topic, 0, 10);
    try (Reader<String> reader =
        broadcastReader(broker, topic).startMessageId(MessageId.earliest).create()) {
      assertThat(read(reader, 10)).isEqualTo(values(0, 10));
      broker.admin().topics().unload(topic);
      publish(broker, topic, 10, 15);
      assertThat(read(reader, 5)).isEqualTo(values(10, 15));
    }
  }

  private interface Start {
    ReaderBuilder<String> of(ReaderBuilder<String> reader);
  }

  private static void assertSameForBoth(Broker broker, String topic, Start start, int from, int to)
      throws Exception {
    ReaderBuilder<String> plain = broker.client().newReader(Schema.STRING).topic(topic);
    try (Reader<String> broadcast = start.of(broadcastReader(broker, topic)).create();
        Reader<String> beside = start.of(plain).create()) {
      assertThat(read(beside, to - from)).as("plain").isEqualTo(values(from, to));
      assertThat(read(broadcast, to - from)).as("Broadcast").isEqualTo(values(from, to));
    }
  }

  private static List<String> read(Reader<String> reader, int count) throws Exception {
    List<String> values = new ArrayList<>();
    while (values.size() < count) {
      Message<String> message = reader.readNext(1, TimeUnit.MINUTES);
      if (message == null) {
        break;
      }
      values.add(message.getValue());
    }
    return values;
  }

  private static ReaderBuilder<String> broadcastReader(Broker broker, String topic) {
    return broker.client().newReader(Schema.STRING).topic(topic).subscriptionName("all");
  }

  private static String newDeclaredTopic(Broker broker) throws Exception {
    String topic = newRetainingTopic(broker);
    broker.admin().topics().createNonPartitionedTopic(topic);
    Subscriptions.declare(broker, topic, "all");
    return topic;
  }

  /** A topic whose messages stay when everybody has acknowledged them. */
  private static String newRetainingTopic(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setRetention(namespace, new RetentionPolicies(-1, -1));
    return OperatedBroker.topicIn(namespace);
  }

  private static long backlog(Broker broker, String topic) throws Exception {
    return Subscriptions.stats(broker, topic, "all").getMsgBacklog();
  }

  private static ConsumerBuilder<String> earliest(Broker broker, String topic, String name) {
    return broker
        .atOnce(topic, "all", name)
        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest);
  }
}
