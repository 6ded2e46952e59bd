/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.common.util.Codec;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * I1 to I6 of positions that go along with their consumers, between a topic and its shadow topics.
 * On a broker of its own, as {@link ShadowTopicProcessIT}.
 */
@Order(2)
class MovingPositionsProcessIT {

  /** So many that each of three topics is chosen by one. */
  private static final int NAMES = 24;

  private static Broker broker;
  private static ShadowTopics shadows;

  @BeforeAll
  static void startBroker() {
    shadows = ShadowTopics.start();
    broker = shadows.broker();
  }

  @AfterAll
  static void stopBroker() throws IOException {
    broker.close();
  }

  /** I1, I3 and I5, there and back; the third topic is one where the consumer never was. */
  @Test
  void shouldTakeAPositionAlongToAnotherShadowTopic() throws Exception {
    String source = Broker.newTopic();
    String shadow = source + "-shadow";
    String third = source + "-third";
    shadows.of(source, List.of(shadow, third));
    positionsMove(source);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe();
        Consumer<String> there = shadows.atOnce(third, "there").subscribe()) {
      try (Consumer<String> car = shadows.atOnce(source, "car").subscribe()) {
        shadows.publishOneByOne(source, here);
        assertThat(receiveAndAck(car, 5)).isEqualTo(values(0, 5));
      }
      assertThat(receiveAndAck(there, 12)).isEqualTo(values(0, 12));
      try (Consumer<String> car = shadows.atOnce(shadow, "car").subscribe()) {
        assertThat(receiveAndAck(car, 3)).isEqualTo(values(5, 8));
      }
      awaitEnd(source);

      try (Consumer<String> car = shadows.atOnce(third, "car").subscribe()) {
        assertThat(receiveAndAck(car, 2)).isEqualTo(values(8, 10));
      }
      awaitNoPosition(shadow, "car");
      assertThat(TrimmedIT.missed(broker, shadow)).as("I6: nobody missed it").isZero();
      try (Consumer<String> car = shadows.atOnce(source, "car").subscribe()) {
        assertThat(receiveAndAck(car, 2)).isEqualTo(values(10, 12));
        publish(broker, source, 12, 13);
        assertThat(receiveAndAck(car, 1)).isEqualTo(values(12, 13));
      }
      awaitNoPosition(third, "car");
      assertThat(List.of(here.getLastDisconnectedTimestamp(), there.getLastDisconnectedTimestamp()))
          .as("each hears of its source's ledgers without being loaded again")
          .containsOnly(0L);
    }
  }

  /** I1, I2 and I5, as topics come and go. */
  @Test
  void shouldGoOnWhereverItsNameLeadsAConsumer() throws Exception {
    String source = Broker.newTopic();
    String second = source + "-2";
    String third = source + "-3";
    shadows.of(source, List.of(second, third));
    positionsMove(source);
    Map<String, Integer> next = new HashMap<>();
    Set<String> topics = new HashSet<>();
    ScheduledExecutorService publisher = Executors.newSingleThreadScheduledExecutor();
    try (Producer<String> producer =
            broker.client().newProducer(Schema.STRING).topic(source).create();
        PulsarClient client = broker.newClient()) {
      AtomicInteger published = new AtomicInteger();
      // Slowly: the broker's reader of a shadow topic can pass over a ledger that it hears of late.
      publisher.scheduleWithFixedDelay(
          () -> producer.sendAsync(Integer.toString(published.getAndIncrement())),
          0,
          500,
          TimeUnit.MILLISECONDS);
      for (List<String> chosen :
          List.of(List.of(second), List.of(second, third), List.of(third), List.<String>of())) {
        List<Consumer<String>> cars = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
          cars.add(
              BroadcastClient.wrap(client)
                  .newConsumer(Schema.STRING)
                  .topicWithShadows(source, chosen)
                  .subscriptionName("all")
                  .subscriptionType(SubscriptionType.Broadcast)
                  .consumerName("car-" + i)
                  .receiverQueueSize(1)
                  .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
                  .subscribe());
        }
        for (Consumer<String> car : cars) {
          topics.add(car.getTopic());
          String name = car.getConsumerName();
          for (int received = 0; received < 2; received++) {
            int value = Integer.parseInt(receiveAndAck(car, 1).get(0));
            assertThat(value).as(name).isEqualTo(next.getOrDefault(name, value));
            next.put(name, value + 1);
          }
        }
        for (Consumer<String> car : cars) {
          car.close();
        }
      }
    } finally {
      publisher.shutdownNow();
    }
    assertThat(topics).containsExactlyInAnyOrder(source, second, third);
    for (String shadow : List.of(second, third)) {
      awaitEnd(shadow);
    }
  }

  /** I5: it may be a consumer of which nobody knows yet that it is gone. */
  @Test
  void shouldGoOnWhereItStandsThatStillSeemsConnectedElsewhere() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    positionsMove(source);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe();
        Consumer<String> stays = shadows.atOnce(source, "stays").subscribe()) {
      try (Consumer<String> old = shadows.atOnce(source, "car").subscribe()) {
        shadows.publishOneByOne(source, here);
        assertThat(receiveAndAck(old, 5)).isEqualTo(values(0, 5));
        try (Consumer<String> car = shadows.atOnce(shadow, "car").subscribe()) {
          assertThat(receiveAndAck(car, 7)).isEqualTo(values(5, 12));
        }
        assertThat(receiveAndAck(old, 7)).as("it is not disturbed").isEqualTo(values(5, 12));
      }
      awaitNoPosition(source, "car");
      assertThat(receiveAndAck(stays, 12)).isEqualTo(values(0, 12));
    }
  }

  /** I1: namesakes that are away go together, each to the lowest of them. */
  @Test
  void shouldTakeNamesakesAlong() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    positionsMove(source);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      try (Consumer<String> one = shadows.atOnce(source, "twin").subscribe();
          Consumer<String> two = shadows.atOnce(source, "twin").subscribe()) {
        shadows.publishOneByOne(source, here);
        assertThat(receiveAndAck(one, 5)).isEqualTo(values(0, 5));
        assertThat(receiveAndAck(two, 9)).isEqualTo(values(0, 9));
      }
      try (Consumer<String> one = shadows.atOnce(shadow, "twin").subscribe();
          Consumer<String> two = shadows.atOnce(shadow, "twin").subscribe()) {
        assertThat(receiveAndAck(one, 7)).isEqualTo(values(5, 12));
        assertThat(receiveAndAck(two, 7)).isEqualTo(values(5, 12));
      }
    }
  }

  /** Where the source's owner has not said so, a name stands for another consumer in each topic. */
  @Test
  void shouldMoveNoPositionUnlessTheSourceSaysSo() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      shadows.atOnce(source, "car").subscribe().close();
      shadows.publishOneByOne(source, here);
      scope(source, "all");
      for (String topic : List.of(source, shadow)) {
        assertThatThrownBy(() -> shadows.atOnce(topic, "new").subscribe())
            .hasMessageContaining("'all'")
            .hasMessageContaining(source)
            .hasMessageContaining("allowed are topic and shadows");
      }
      scope(source, "topic");
      try (Consumer<String> car = shadows.atOnce(shadow, "car").subscribe()) {
        assertNothingMore(car);
      }
      try (Consumer<String> car = shadows.atOnce(source, "car").subscribe()) {
        assertThat(receiveAndAck(car, 12)).isEqualTo(values(0, 12));
      }
    }
  }

  /** I5: of messages that are acknowledged out of order none comes again. */
  @Test
  void shouldTakeAlongWhatIsAcknowledgedOutOfOrder() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    positionsMove(source);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      try (Consumer<String> car = shadows.atOnce(source, "car").receiverQueueSize(20).subscribe()) {
        shadows.publishOneByOne(source, here);
        for (int i = 0; i < 8; i++) {
          Message<String> message = car.receive(60, TimeUnit.SECONDS);
          if (i < 2 || i == 3 || i >= 6) {
            car.acknowledge(message);
          }
        }
      }
      try (Consumer<String> car = shadows.atOnce(shadow, "car").subscribe()) {
        assertThat(receiveAndAck(car, 7))
            .isEqualTo(
                Stream.of(2, 4, 5, 8, 9, 10, 11)
                    .map(each -> values(each, each + 1).get(0))
                    .toList());
      }
    }
  }

  /** I5: it is gone where it was, also for a broker that loads that topic later. */
  @Test
  void shouldNotGoBackToAPositionThatHasMoved() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    positionsMove(source);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe();
        Consumer<String> stays = shadows.atOnce(source, "stays").subscribe()) {
      shadows.atOnce(source, "car").subscribe().close();
      shadows.publishOneByOne(source, here);
      try (Consumer<String> car = shadows.atOnce(shadow, "car").subscribe()) {
        assertThat(receiveAndAck(car, 7)).isEqualTo(values(0, 7));
        // Perhaps before it was dropped there.
        broker.admin().topics().unload(source);
        broker.admin().topics().unload(shadow);
        awaitConnected(broker, car);
        assertThat(receiveAndAck(car, 2)).isEqualTo(values(7, 9));
        awaitNoPosition(source, "car");
        assertThat(TrimmedIT.missed(broker, source)).as("I6: nobody missed it").isZero();
      }
      try (Consumer<String> car = shadows.atOnce(source, "car").subscribe()) {
        assertThat(receiveAndAck(car, 3)).isEqualTo(values(9, 12));
      }
      assertThat(receiveAndAck(stays, 12)).isEqualTo(values(0, 12));
    }
  }

  /** I1: a topic that has been loaded since, and to which nobody has come, says what it has. */
  @Test
  void shouldFindWhatWaitsInATopicThatNobodyHasComeToSinceItWasLoaded() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    positionsMove(source);
    try (Consumer<String> here = shadows.atOnce(source, "here").subscribe()) {
      shadows.atOnce(shadow, "car").subscribe().close();
      publish(broker, source, 0, 7);
      assertThat(receiveAndAck(here, 7)).isEqualTo(values(0, 7));
      for (int times = 0; times < 2; times++) {
        int trimmed = trimmedLedgersOfLogs(shadow);
        broker.admin().topics().unload(shadow);
        await()
            .untilAsserted(() -> assertThat(trimmedLedgersOfLogs(shadow)).isGreaterThan(trimmed));
      }
      try (Consumer<String> car = shadows.atOnce(source, "car").subscribe()) {
        assertThat(receiveAndAck(car, 7)).isEqualTo(values(0, 7));
      }
    }
  }

  /** I3: a non-durable consumer that stays holds nothing, and takes the subscription along. */
  @Test
  void shouldHoldNothingForANonDurableConsumerThatAllOthersHaveLeft() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    positionsMove(source);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      try (Consumer<String> reader = nonDurable(source)) {
        shadows.atOnce(source, "car").subscribe().close();
        shadows.publishOneByOne(source, here);
        assertThat(receiveAndAck(reader, 12)).isEqualTo(values(0, 12));
        assertThat(stats(broker, source, "all").getMsgBacklog()).isEqualTo(12);
        try (Consumer<String> car = shadows.atOnce(shadow, "car").subscribe()) {
          assertThat(receiveAndAck(car, 12)).isEqualTo(values(0, 12));
          awaitNoBacklog(source);
        }
      }
      awaitEnd(source);
    }
  }

  /** I3: what an administrator made stays, and holds nothing. */
  @Test
  void shouldHoldNothingInADeclaredSubscriptionThatAllHaveLeft() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    positionsMove(source);
    broker
        .admin()
        .topics()
        .createSubscription(
            source,
            "all",
            MessageId.latest,
            false,
            Map.of("pulsar.subscription.type", "Broadcast"));
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      shadows.atOnce(source, "car").subscribe().close();
      shadows.publishOneByOne(source, here);
      try (Consumer<String> car = shadows.atOnce(shadow, "car").subscribe()) {
        assertThat(receiveAndAck(car, 12)).isEqualTo(values(0, 12));
        awaitNoBacklog(source);
      }
      try (Consumer<String> bus = shadows.atOnce(source, "bus").subscribe();
          Consumer<String> reader = nonDurable(source)) {
        bus.close();
        publish(broker, source, 12, 13);
        assertThat(receiveAndAck(reader, 1)).isEqualTo(values(12, 13));
        try (Consumer<String> moved = shadows.atOnce(shadow, "bus").subscribe()) {
          assertThat(receiveAndAck(moved, 1)).isEqualTo(values(12, 13));
          awaitNoPosition(source, "bus");
          reader.close();
          awaitNoBacklog(source);
        }
      }
      assertThat(TrimmedIT.missed(broker, source)).as("I6: nobody missed it").isZero();
    }
  }

  /** I4: ids of a topic that is no shadow topic say nothing of this one. */
  @Test
  void shouldTakeNothingFromATopicThatIsNoShadowTopicAnyMore() throws Exception {
    String source = Broker.newTopic();
    String shadow = shadows.of(source);
    positionsMove(source);
    String other = Broker.newTopic();
    broker
        .admin()
        .topics()
        .createSubscription(source, ShadowTopics.holdOf(other), MessageId.earliest);
    try (Consumer<String> here = shadows.atOnce(shadow, "here").subscribe()) {
      shadows.publishOneByOne(source, here);
      // Storage tells of the first name with the second one.
      for (String name : List.of("car", "bus")) {
        shadows.atOnce(other, name).subscribe().close();
      }
      // Of the ledgers here some are before the other topic's, and some after it.
      for (int i = 12; i < 17; i++) {
        publish(broker, source, i, i + 1);
        assertThat(receiveAndAck(here, 1)).isEqualTo(values(i, i + 1));
      }
      try (Consumer<String> car =
          shadows
              .atOnce(source, "car")
              .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
              .subscribe()) {
        assertThat(receiveAndAck(car, 17)).as("it is new").isEqualTo(values(0, 17));
      }
    }
  }

  /** From now on a consumer's position goes where its consumer goes. */
  private static void positionsMove(String source) throws PulsarAdminException {
    scope(source, "shadows");
  }

  private static void scope(String source, String scope) throws PulsarAdminException {
    broker
        .admin()
        .topics()
        .updateProperties(source, Map.of("pulsar.broadcast.position.scope", scope));
  }

  /** With each load a log begins another ledger, with everything; those before are deleted. */
  private static int trimmedLedgersOfLogs(String topic) throws IOException {
    return broker
        .logLines("[pulsar-broadcast/positions/logs/" + Codec.encode(topic), "Removing ledger")
        .size();
  }

  private static Consumer<String> nonDurable(String topic) throws PulsarClientException {
    return shadows
        .atOnce(topic, "reader")
        .subscriptionMode(SubscriptionMode.NonDurable)
        .subscribe();
  }

  /** A topic looks at least once a minute for what has moved. */
  private static ConditionFactory awaitDropped() {
    return await().atMost(Duration.ofMinutes(2));
  }

  private static void awaitNoBacklog(String topic) {
    awaitDropped()
        .untilAsserted(() -> assertThat(stats(broker, topic, "all").getMsgBacklog()).isZero());
  }

  /** The last position takes the subscription along. */
  private static void awaitEnd(String topic) {
    awaitDropped()
        .untilAsserted(
            () ->
                assertThat(broker.admin().topics().getSubscriptions(topic)).doesNotContain("all"));
  }

  private static void awaitNoPosition(String topic, String name) {
    PositionsRequests positions = new PositionsRequests(broker.process().adminUrl(), topic, "all");
    awaitDropped()
        .untilAsserted(
            () -> {
              PositionsRequests.Answer answer = positions.list("name", name);
              // The last one takes the subscription along.
              assertThat(answer.status() == 404 ? 0 : answer.number("matching")).isZero();
            });
  }
}
