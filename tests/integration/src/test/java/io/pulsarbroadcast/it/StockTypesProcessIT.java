/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.BrokerExtension.WithoutPlugin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.ConsumerBusyException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** I9: Pulsar's own subscription types behave the same with the NAR and without. */
@Order(2)
@ExtendWith(BrokerExtension.class)
class StockTypesProcessIT {
  private static final int MESSAGES = 40;
  private static final int KEYS = 8;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private static final Map<Installed, Broker> BROKERS = new EnumMap<>(Installed.class);

  /** The two brokers that are compared. */
  enum Installed {
    WITHOUT_NAR,
    WITH_NAR
  }

  @BeforeAll
  static void startBothBrokers(Broker withNar, @WithoutPlugin Broker plain) {
    BROKERS.put(Installed.WITH_NAR, withNar);
    BROKERS.put(Installed.WITHOUT_NAR, plain);
  }

  static Stream<Arguments> bothBrokersAndAllTypes() {
    return Stream.of(Installed.values())
        .flatMap(
            installed ->
                Stream.of(SubscriptionType.values()).map(type -> arguments(installed, type)));
  }

  static Stream<Arguments> bothBrokersAndSharingTypes() {
    return Stream.of(Installed.values())
        .flatMap(
            installed ->
                Stream.of(SubscriptionType.Shared, SubscriptionType.Key_Shared)
                    .map(type -> arguments(installed, type)));
  }

  @ParameterizedTest
  @MethodSource("bothBrokersAndAllTypes")
  void shouldDeliverToOneConsumerInOrder(Installed installed, SubscriptionType type)
      throws Exception {
    Broker broker = BROKERS.get(installed);
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = consumer(broker, topic, type, "only").subscribe()) {
      publish(broker, topic);

      assertThat(Messages.receiveAndAck(consumer, MESSAGES))
          .isEqualTo(Messages.values(0, MESSAGES));
      assertNextIsNew(broker, topic, consumer);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(() -> assertThat(stats(broker, topic).getMsgBacklog()).isZero());
    }
  }

  @ParameterizedTest
  @MethodSource("bothBrokersAndAllTypes")
  void shouldBeNamedInTheStats(Installed installed, SubscriptionType type) throws Exception {
    Broker broker = BROKERS.get(installed);
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = consumer(broker, topic, type, "only").subscribe()) {
      publish(broker, topic);
      assertThat(Messages.receive(consumer, MESSAGES)).hasSize(MESSAGES);

      // The broker counts what it has written after a client may have received it.
      await().untilAsserted(() -> assertIsNamed(stats(broker, topic), type));
    }
  }

  private static void assertIsNamed(SubscriptionStats stats, SubscriptionType type) {
    assertThat(stats.getType()).isEqualTo(type.name());
    assertThat(stats.getMsgBacklog()).isEqualTo(MESSAGES);
    assertThat(stats.getConsumers())
        .singleElement()
        .satisfies(
            only -> {
              assertThat(only.getConsumerName()).isEqualTo("only");
              assertThat(only.getMsgOutCounter()).isEqualTo(MESSAGES);
              // Counted by the broker for the types that share messages out.
              assertThat(only.getUnackedMessages()).isEqualTo(isSharing(type) ? MESSAGES : 0);
            });
  }

  @ParameterizedTest
  @MethodSource("bothBrokersAndAllTypes")
  void shouldRedeliverWhatWasNegativelyAcknowledged(Installed installed, SubscriptionType type)
      throws Exception {
    Broker broker = BROKERS.get(installed);
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
        consumer(broker, topic, type, "only")
            .negativeAckRedeliveryDelay(200, TimeUnit.MILLISECONDS)
            .subscribe()) {
      publish(broker, topic);
      List<Message<String>> received = Messages.receive(consumer, MESSAGES);
      assertThat(received).hasSize(MESSAGES);
      for (int i = 0; i < MESSAGES; i++) {
        if (i % 10 != 3) {
          consumer.acknowledge(received.get(i));
        }
      }
      for (int i = 3; i < MESSAGES; i += 10) {
        consumer.negativeAcknowledge(received.get(i));
      }

      List<Message<String>> again = Messages.receive(consumer, 4);
      assertThat(Messages.valuesOf(again))
          .containsExactlyInAnyOrder("message-3", "message-13", "message-23", "message-33");
      assertThat(again)
          .allSatisfy(
              message ->
                  assertThat(message.getRedeliveryCount()).isEqualTo(isSharing(type) ? 1 : 0));
      for (Message<String> message : again) {
        consumer.acknowledge(message);
      }
      assertNextIsNew(broker, topic, consumer);
    }
  }

  @ParameterizedTest
  @MethodSource("bothBrokersAndAllTypes")
  void shouldContinueAfterWhatWasAcknowledgedWhenTheConsumerReturns(
      Installed installed, SubscriptionType type) throws Exception {
    Broker broker = BROKERS.get(installed);
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = consumer(broker, topic, type, "only").subscribe()) {
      publish(broker, topic);
      List<Message<String>> received = Messages.receive(consumer, MESSAGES);
      assertThat(received).hasSize(MESSAGES);
      for (int i = 0; i < 10; i++) {
        consumer.acknowledge(received.get(i));
      }
      // A hole, which every type keeps.
      consumer.acknowledge(received.get(12));
    }

    try (Consumer<String> returned = consumer(broker, topic, type, "only").subscribe()) {
      List<String> expected = new ArrayList<>(Messages.values(10, MESSAGES));
      expected.remove("message-12");
      assertThat(Messages.receiveAndAck(returned, expected.size())).isEqualTo(expected);
      assertNextIsNew(broker, topic, returned);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldContinueAllTypesBesideEachOtherWhenTheTopicIsLoadedAgain(Installed installed)
      throws Exception {
    Broker broker = BROKERS.get(installed);
    String topic = Broker.newTopic();
    List<Consumer<String>> consumers = new ArrayList<>();
    for (SubscriptionType type : SubscriptionType.values()) {
      consumers.add(
          consumer(broker, topic, type, "only")
              .subscriptionName(type.name())
              .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
              .isAckReceiptEnabled(true)
              .subscribe());
    }
    publish(broker, topic);
    for (Consumer<String> consumer : consumers) {
      assertThat(Messages.receiveAndAck(consumer, MESSAGES))
          .isEqualTo(Messages.values(0, MESSAGES));
    }

    broker.admin().topics().unload(topic);

    Messages.publish(broker.client(), topic, MESSAGES, MESSAGES + 10);
    List<String> sent = Messages.values(MESSAGES, MESSAGES + 10);
    for (Consumer<String> consumer : consumers) {
      assertThat(Messages.receiveAndAck(consumer, 10)).isEqualTo(sent);
      consumer.close();
    }
  }

  @ParameterizedTest
  @MethodSource("bothBrokersAndSharingTypes")
  void shouldShareMessagesOutAndKeepTheOrderOfKeys(Installed installed, SubscriptionType type)
      throws Exception {
    Broker broker = BROKERS.get(installed);
    String topic = Broker.newTopic();
    try (Consumer<String> first = consumer(broker, topic, type, "a").subscribe();
        Consumer<String> second = consumer(broker, topic, type, "b").subscribe()) {
      publish(broker, topic);
      List<Message<String>> all = new ArrayList<>();
      List<Set<String>> keysOfConsumers = new ArrayList<>();
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(sent(broker, topic, "a") + sent(broker, topic, "b"))
                      .isEqualTo(MESSAGES));
      for (Consumer<String> consumer : List.of(first, second)) {
        List<Message<String>> received =
            Messages.receive(consumer, sent(broker, topic, consumer.getConsumerName()));
        assertThat(received).isNotEmpty();
        assertThat(numbers(received)).isSorted();
        keysOfConsumers.add(keys(received));
        all.addAll(received);
      }

      assertThat(Messages.valuesOf(all))
          .containsExactlyInAnyOrderElementsOf(Messages.values(0, MESSAGES));
      if (type == SubscriptionType.Key_Shared) {
        assertThat(keysOfConsumers.get(0)).doesNotContainAnyElementsOf(keysOfConsumers.get(1));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseASecondConsumerOfAnExclusiveSubscription(Installed installed) throws Exception {
    Broker broker = BROKERS.get(installed);
    String topic = Broker.newTopic();
    try (Consumer<String> first =
        consumer(broker, topic, SubscriptionType.Exclusive, "a").subscribe()) {
      assertThat(first.isConnected()).isTrue();
      assertThatThrownBy(() -> consumer(broker, topic, SubscriptionType.Exclusive, "b").subscribe())
          .isInstanceOf(ConsumerBusyException.class)
          .hasMessageContaining("Exclusive consumer is already connected");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldHandAFailoverSubscriptionToTheConsumerThatStandsBy(Installed installed)
      throws Exception {
    Broker broker = BROKERS.get(installed);
    String topic = Broker.newTopic();
    // Of equals the broker chooses by a hash of the topic's name.
    try (Consumer<String> active =
            consumer(broker, topic, SubscriptionType.Failover, "a").subscribe();
        Consumer<String> standby =
            consumer(broker, topic, SubscriptionType.Failover, "b").priorityLevel(1).subscribe()) {
      publish(broker, topic);
      assertThat(Messages.receiveAndAck(active, 10)).isEqualTo(Messages.values(0, 10));
      await().atMost(TIMEOUT).until(() -> sent(broker, topic, "a") == MESSAGES);
      assertThat(sent(broker, topic, "b")).isZero();

      active.close();

      assertThat(Messages.receiveAndAck(standby, MESSAGES - 10))
          .isEqualTo(Messages.values(10, MESSAGES));
    }
  }

  private static boolean isSharing(SubscriptionType type) {
    return type == SubscriptionType.Shared || type == SubscriptionType.Key_Shared;
  }

  private static ConsumerBuilder<String> consumer(
      Broker broker, String topic, SubscriptionType type, String name) {
    return broker
        .plain(topic, "stock")
        .subscriptionType(type)
        .consumerName(name)
        .isAckReceiptEnabled(true);
  }

  /** Messages with keys, one entry each. */
  private static void publish(Broker broker, String topic) throws PulsarClientException {
    try (Producer<String> producer =
        broker.client().newProducer(Schema.STRING).topic(topic).enableBatching(false).create()) {
      List<String> values = Messages.values(0, MESSAGES);
      for (int i = 0; i < MESSAGES; i++) {
        producer.newMessage().key("key-" + i % KEYS).value(values.get(i)).send();
      }
    }
  }

  /** Publishes one more message, which must be the next that the consumer is given. */
  private static void assertNextIsNew(Broker broker, String topic, Consumer<String> consumer)
      throws PulsarClientException {
    Messages.publish(broker, topic, MESSAGES, MESSAGES + 1);
    assertThat(Messages.receiveAndAck(consumer, 1))
        .isEqualTo(Messages.values(MESSAGES, MESSAGES + 1));
  }

  /** How many messages the broker has sent to a consumer. */
  private static int sent(Broker broker, String topic, String consumer) throws Exception {
    return stats(broker, topic).getConsumers().stream()
        .filter(each -> each.getConsumerName().equals(consumer))
        .mapToInt(each -> (int) each.getMsgOutCounter())
        .sum();
  }

  private static List<Integer> numbers(List<Message<String>> messages) {
    List<String> values = Messages.values(0, MESSAGES);
    return messages.stream().map(message -> values.indexOf(message.getValue())).toList();
  }

  private static Set<String> keys(List<Message<String>> messages) {
    Set<String> keys = new HashSet<>();
    messages.forEach(message -> keys.add(message.getKey()));
    return keys;
  }

  private static SubscriptionStats stats(Broker broker, String topic) throws Exception {
    return broker.admin().topics().getStats(topic).getSubscriptions().get("stock");
  }
}
