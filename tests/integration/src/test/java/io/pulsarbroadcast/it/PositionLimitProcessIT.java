/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.PositionsRequests.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.ConsumerBusyException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** I8: what clients leave behind is bounded by settings, which each refusal names. */
class PositionLimitProcessIT {

  private static final int POSITIONS = 3;
  private static final String KEY = "broadcastMaxNewNamesPerConnectionPerMinute";
  private static final int NAMES = 100;

  private static Broker broker;
  private static Answer firstRequest;

  @BeforeAll
  static void startBroker() throws Exception {
    broker =
        Broker.start(
            BrokerExtension.newBroker()
                .setting("broadcastMaxPositionsPerSubscription", "" + POSITIONS)
                .setting(KEY, "" + NAMES));
    firstRequest =
        positions(Broker.newTopic()).post("/x/x/x" + "/..".repeat(14) + "/status.html", "{}");
  }

  @AfterAll
  static void closeBroker() throws IOException {
    if (broker != null) {
      broker.close();
    }
  }

  /** Else a part of the web service would answer for ever that knows nothing of the broker. */
  @Test
  void shouldAnswerForPositionsThoughTheFirstRequestWasOfAnotherPath() throws Exception {
    assertThat(firstRequest.status()).isBetween(400, 499);
    String topic = Broker.newTopic();
    broker.atOnce(topic, "all", "parked").subscribe().close();
    assertThat(positions(topic).list().names()).containsExactly("parked");
  }

  private static PositionsRequests positions(String topic) {
    return new PositionsRequests(broker.process().adminUrl(), topic, "all");
  }

  @Test
  void shouldRefuseNewNamesAtTheLimitAndNobodyElse() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> here = broker.atOnce(topic, "all", "here").subscribe();
        Consumer<String> twin = broker.atOnce(topic, "all", "here").subscribe()) {
      broker.atOnce(topic, "all", "away").subscribe().close();
      publish(broker, topic, 0, 3);
      assertFull(topic, "new");
      assertFull(topic, "here");
      try (Consumer<String> back = broker.atOnce(topic, "all", "away").subscribe();
          Consumer<String> reader =
              broker
                  .broadcast(topic, "all", "reader")
                  .subscriptionMode(SubscriptionMode.NonDurable)
                  .subscribe()) {
        assertThat(receiveAndAck(back, 3)).isEqualTo(values(0, 3));
        publish(broker, topic, 3, 4);
        assertThat(receiveAndAck(reader, 1)).isEqualTo(values(3, 4));
        twin.unsubscribe();
        broker.atOnce(topic, "all", "new").subscribe().unsubscribe();
      }
      assertThat(receiveAndAck(here, 4)).isEqualTo(values(0, 4));
    }
  }

  @Test
  void shouldChangeNothingForWhomItRefuses() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> first = broker.atOnce(topic, "all", "car-1").subscribe();
        Consumer<String> second = broker.atOnce(topic, "all", "car-2").subscribe();
        Consumer<String> third = broker.atOnce(topic, "all", "car-3").subscribe()) {
      publish(broker, topic, 0, 5);
      for (Consumer<String> each : List.of(first, second, third)) {
        assertThat(receiveAndAck(each, 5)).isEqualTo(values(0, 5));
      }
      awaitBacklog(broker, topic, "all", 0);
      assertThatThrownBy(
              () ->
                  broker
                      .broadcast(topic, "all", "from the beginning")
                      .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                      .subscribe())
          .isInstanceOf(ConsumerBusyException.class);
      assertThat(Subscriptions.stats(broker, topic, "all").getMsgBacklog()).as("I3").isZero();
      assertThat(Subscriptions.stats(broker, topic, "all").getSubscriptionProperties())
          .containsEntry("pulsar.broadcast.positions.waiting", "0");
      assertThat(Subscriptions.stats(broker, topic, "all").getConsumers()).hasSize(3);
    }
    // Nor is a name stored.
    broker.admin().topics().unload(topic);
    publish(broker, topic, 5, 6);
    await()
        .untilAsserted(
            () ->
                assertThat(Subscriptions.stats(broker, topic, "all").getSubscriptionProperties())
                    .containsEntry("pulsar.broadcast.positions.waiting", "3"));
    try (Consumer<String> first = broker.atOnce(topic, "all", "car-1").subscribe()) {
      assertThat(receiveAndAck(first, 1)).isEqualTo(values(5, 6));
      assertNothingMore(first);
    }
  }

  /** Half of them start before the subscription's position, which moves back for them. */
  @Test
  void shouldKeepTheLimitWhenManySubscribeAtOnce() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> first = broker.atOnce(topic, "all", "first").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(first, 5)).isEqualTo(values(0, 5));
      awaitBacklog(broker, topic, "all", 0);
      List<CompletableFuture<Consumer<String>>> subscribing = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        subscribing.add(
            broker
                .broadcast(topic, "all", "car-" + i)
                .subscriptionInitialPosition(
                    i % 2 == 0
                        ? SubscriptionInitialPosition.Earliest
                        : SubscriptionInitialPosition.Latest)
                .subscribeAsync());
      }
      int connected = 0;
      for (CompletableFuture<Consumer<String>> consumer : subscribing) {
        connected += consumer.handle((subscribed, e) -> e == null ? 1 : 0).get();
      }
      assertThat(connected).isEqualTo(POSITIONS - 1);
      for (CompletableFuture<Consumer<String>> consumer : subscribing) {
        if (!consumer.isCompletedExceptionally()) {
          consumer.get().unsubscribe();
        }
      }
      awaitBacklog(broker, topic, "all", 0);
      publish(broker, topic, 5, 6);
      assertThat(receiveAndAck(first, 1)).isEqualTo(values(5, 6));
    }
  }

  @Test
  void shouldLetAConnectionBringNoMoreNewNamesAMinute() throws Exception {
    String topic = Broker.newTopic();
    String unused = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(unused);
    try (PulsarClient client =
        PulsarClient.builder()
            .serviceUrl(broker.process().serviceUrl())
            .operationTimeout(6, TimeUnit.SECONDS)
            .build()) {
      Broker.broadcast(client, topic, "all", "known").subscribe().close();
      for (int i = 1; i < NAMES; i++) {
        Broker.broadcast(client, topic, "all", "car-" + i).subscribe().unsubscribe();
      }
      for (String each : List.of(topic, unused)) {
        assertThatThrownBy(() -> Broker.broadcast(client, each, "all", "new").subscribe())
            .isInstanceOf(PulsarClientException.class)
            .hasMessageContaining(KEY + "=" + NAMES);
      }
      // A name that has a position does not count.
      Broker.broadcast(client, topic, "all", "known").subscribe().close();
    }
    broker.broadcast(topic, "all", "over another connection").subscribe().close();
    assertThat(broker.admin().topics().getSubscriptions(unused)).isEmpty();
    double refused =
        Scrape.of(broker.process())
            .value("pulsar_broadcast_refused_subscribes_total", "topic", topic);
    assertThat(refused).as("a stock client tries again by itself").isGreaterThan(1);
    await()
        .untilAsserted(
            () ->
                assertThat(broker.logLines("subscribes with new names", topic, KEY))
                    .as("one for those of some seconds")
                    .isNotEmpty()
                    .hasSizeLessThan((int) refused));
    assertThat(broker.logLines("Failed to create consumer", KEY)).isEmpty();
  }

  private static void assertFull(String topic, String name) {
    assertThatThrownBy(() -> broker.broadcast(topic, "all", name).subscribe())
        .isInstanceOf(ConsumerBusyException.class)
        .hasMessageContaining("broadcastMaxPositionsPerSubscription=" + POSITIONS);
  }
}
