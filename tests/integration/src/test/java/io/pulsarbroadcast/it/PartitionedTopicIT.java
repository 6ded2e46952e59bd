/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.ConflictException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I1 and I2 on a partitioned topic: a position of every consumer in every partition. */
@ExtendWith(BrokerExtension.class)
class PartitionedTopicIT {

  private static final int PARTITIONS = 3;

  @Test
  void shouldGiveEveryConsumerEverythingInTheOrderOfEachPartition(Broker broker) throws Exception {
    String topic = newPartitionedTopic(broker);
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      publishToEachPartition(broker, topic, 0, 10);

      for (Consumer<String> each : List.of(a, b)) {
        Map<String, List<String>> byPartition = byPartition(receive(each, 30));
        assertThat(byPartition).hasSize(PARTITIONS);
        assertThat(byPartition.values()).allMatch(values(0, 10)::equals);
        assertNothingMore(each);
      }
    }
  }

  @Test
  void shouldContinueInEachPartitionWhenAConsumerReturns(Broker broker) throws Exception {
    String topic = newPartitionedTopic(broker);
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      try (Consumer<String> leaving = broker.broadcast(topic, "all", "car").subscribe()) {
        publishToEachPartition(broker, topic, 0, 5);
        assertThat(receiveAndAck(leaving, 15)).hasSize(15);
      }
      publishToEachPartition(broker, topic, 5, 10);
      try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
        Map<String, List<String>> byPartition = byPartition(receive(returned, 15));
        assertThat(byPartition).hasSize(PARTITIONS);
        assertThat(byPartition.values()).allMatch(values(5, 10)::equals);
        assertNothingMore(returned);
      }
      assertThat(receive(beside, 30)).hasSize(30);
    }
  }

  @Test
  void shouldFreeTheBacklogOfEachPartitionWhenEverybodyAcknowledged(Broker broker)
      throws Exception {
    String topic = newPartitionedTopic(broker);
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      publishToEachPartition(broker, topic, 0, 5);
      receiveAndAck(a, 15);
      assertThat(stats(broker, topic + "-partition-0", "all").getMsgBacklog()).isEqualTo(5);
      receiveAndAck(b, 15);
      for (int i = 0; i < PARTITIONS; i++) {
        awaitBacklog(broker, topic + "-partition-" + i, "all", 0);
      }
    }
  }

  /**
   * The broker makes the subscription on the new partition, of what it shows for the first one.
   * Whoever has no position there starts at the earliest message if it asks for that.
   */
  @Test
  void shouldGiveEveryConsumerWhatIsOnAPartitionThatIsAdded(Broker broker) throws Exception {
    String topic = newPartitionedTopic(broker);
    earliest(broker, topic, "away").subscribe().close();
    try (Consumer<String> here = earliest(broker, topic, "here").subscribe()) {
      broker.admin().topics().updatePartitionedTopic(topic, PARTITIONS + 1);
      String added = topic + "-partition-" + PARTITIONS;
      assertThat(broker.admin().topics().getSubscriptionProperties(added, "all"))
          .as("shown, not stored")
          .doesNotContainKey("pulsar.broadcast.consumers");
      publish(broker, added, 0, 10);
      assertThat(receiveAndAck(here, 10)).hasSize(10);
      assertThat(stats(broker, added, "all").getSubscriptionProperties())
          .containsEntry("pulsar.broadcast.consumers", "1");
      awaitBacklog(broker, added, "all", 0);
      try (Consumer<String> returned = earliest(broker, topic, "away").subscribe()) {
        assertThat(receive(returned, 10).stream().map(Message::getValue).toList())
            .isEqualTo(values(0, 10));
      }
    }
  }

  /** Nobody holds anything back on it who holds nothing back on the others. */
  @Test
  void shouldKeepNothingOnAPartitionThatIsAddedForNonDurableConsumers(Broker broker)
      throws Exception {
    String topic = newPartitionedTopic(broker);
    try (Consumer<String> here =
        earliest(broker, topic, "here").subscriptionMode(SubscriptionMode.NonDurable).subscribe()) {
      broker.admin().topics().updatePartitionedTopic(topic, PARTITIONS + 1);
      String added = topic + "-partition-" + PARTITIONS;
      await().until(() -> broker.admin().topics().getSubscriptions(added).contains("all"));
      publish(broker, added, 0, 10);
      assertThat(receive(here, 10)).hasSize(10);
      awaitBacklog(broker, added, "all", 0);
      here.close();
      await().until(() -> broker.admin().topics().getSubscriptions(added).isEmpty());
    }
  }

  /**
   * As on a partition that is added: the broker makes a plain subscription, and then resets it. It
   * stays, also when the consumer is not durable.
   */
  @ParameterizedTest
  @EnumSource(SubscriptionMode.class)
  void shouldMakeASubscriptionWhileConsumersSubscribeToIt(SubscriptionMode mode, Broker broker)
      throws Exception {
    Map<String, CompletableFuture<Void>> making = new HashMap<>();
    List<CompletableFuture<Consumer<String>>> subscribed = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String topic = Broker.newTopic();
      broker.admin().topics().createNonPartitionedTopic(topic);
      making.put(
          topic, broker.admin().topics().createSubscriptionAsync(topic, "all", MessageId.earliest));
      subscribed.add(broker.broadcast(topic, "all", "car").subscriptionMode(mode).subscribeAsync());
    }
    for (CompletableFuture<Consumer<String>> each : subscribed) {
      each.get(1, TimeUnit.MINUTES).close();
    }
    for (String topic : making.keySet()) {
      Throwable failure = making.get(topic).handle((made, e) -> e).get(1, TimeUnit.MINUTES);
      if (failure == null) {
        assertThat(broker.admin().topics().getSubscriptions(topic)).contains("all");
      } else {
        assertThat(failure).as("the consumer was first").isInstanceOf(ConflictException.class);
      }
    }
  }

  /**
   * As a broker without the plugin shows it, from which it would be made for an added partition: it
   * declares the log of another topic.
   */
  @Test
  void shouldNotStoreWhatDeclaresAnotherLog(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 3);
    broker
        .admin()
        .topics()
        .createSubscription(
            topic,
            "all",
            MessageId.earliest,
            false,
            Map.of("#pulsar.internal.broadcast.log", "0123456789abcdef/-1/", "mine", "kept"));
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(stats(broker, topic, "all").getSubscriptionProperties())
          .containsEntry("pulsar.broadcast.positions.lost", "0")
          .containsEntry("mine", "kept");
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private static ConsumerBuilder<String> earliest(Broker broker, String topic, String name) {
    return broker
        .broadcast(topic, "all", name)
        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
        .autoUpdatePartitionsInterval(1, TimeUnit.SECONDS);
  }

  private static String newPartitionedTopic(Broker broker) throws PulsarAdminException {
    String topic = Broker.newTopic();
    broker.admin().topics().createPartitionedTopic(topic, PARTITIONS);
    return topic;
  }

  private static void publishToEachPartition(Broker broker, String topic, int from, int to)
      throws PulsarClientException {
    for (int i = 0; i < PARTITIONS; i++) {
      publish(broker, topic + "-partition-" + i, from, to);
    }
  }

  private static Map<String, List<String>> byPartition(List<Message<String>> messages) {
    return messages.stream()
        .collect(
            Collectors.groupingBy(
                Message::getTopicName, Collectors.mapping(Message::getValue, Collectors.toList())));
  }
}
