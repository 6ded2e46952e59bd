/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.policies.data.ManagedLedgerInternalStats.CursorStats;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Metrics, statistics and the broker's log do not grow with the number of consumers. */
@ExtendWith(BrokerExtension.class)
class ManyConsumersStatsIT {

  private static final int CONSUMERS = 2_000;
  private static final int MESSAGES = 10;
  private static final String SUBSCRIPTION = "all";
  private static final int LISTED = 1_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  /** Whatever the number of consumers. */
  private static final int MAX_STATS_BYTES = 1_000_000;

  private static final int MAX_LOG_LINES = 200;

  @Test
  void shouldStayBoundedWithTwoThousandConsumers(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> slow = broker.broadcast(topic, SUBSCRIPTION, "slow").subscribe();
    int seriesOfOne = MetricsIT.seriesOf(Scrape.of(broker.process()), topic).size();
    int linesOfOne = Scrape.of(broker.process()).with("topic", topic).size();
    LoadConfig config =
        LoadConfig.builder()
            .serviceUrl(broker.process().serviceUrl())
            .topic(topic)
            .broadcast(SUBSCRIPTION)
            .consumers(CONSUMERS)
            .connections(4)
            .messages(MESSAGES)
            .build();

    try (ConsumerFleet fleet = new ConsumerFleet(config)) {
      fleet.start();
      fleet.awaitSubscribed(TIMEOUT);
      Messages.publish(broker, topic, 0, MESSAGES);
      long deliveries = (CONSUMERS + 1L) * MESSAGES;
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(
                          Scrape.of(broker.process())
                              .value("pulsar_broadcast_deliveries_total", "topic", topic))
                      .isEqualTo(deliveries));

      Scrape scrape = Scrape.of(broker.process());
      assertThat(MetricsIT.seriesOf(scrape, topic)).hasSize(seriesOfOne);
      assertThat(scrape.with("topic", topic)).hasSizeLessThan(linesOfOne + 20);
      assertThat(scrape.value("pulsar_broadcast_consumers", "topic", topic))
          .isEqualTo(CONSUMERS + 1);
      assertThat(scrape.value("pulsar_subscription_consumers_count", "topic", topic))
          .as("the broker's own count")
          .isEqualTo(CONSUMERS + 1);
      assertThat(scrape.value("pulsar_consumers_count", "topic", topic)).isEqualTo(CONSUMERS + 1);
      assertThat(scrape.value("pulsar_out_messages_total", "topic", topic)).isEqualTo(deliveries);
      assertListsTheFurthestBehind(Subscriptions.stats(broker, topic, SUBSCRIPTION), deliveries);
      String path = topic.replace("persistent://", "/admin/v2/persistent/");
      assertThat(Scrape.get(broker.process(), path + "/stats").getBytes(StandardCharsets.UTF_8))
          .hasSizeLessThan(MAX_STATS_BYTES);
      assertSaysInInternalStats(broker, topic);
    }
    slow.close();
    assertThat(broker.logLines(topic))
        .as("lines of the broker's log that name the topic")
        .hasSizeLessThan(MAX_LOG_LINES);
  }

  private static void assertListsTheFurthestBehind(SubscriptionStats stats, long deliveries) {
    assertThat(stats.getMsgOutCounter()).isEqualTo(deliveries);
    List<? extends ConsumerStats> listed = stats.getConsumers();
    assertThat(listed).hasSize(LISTED);
    Map<String, String> ofWhole = stats.getSubscriptionProperties();
    assertThat(ofWhole)
        .containsEntry("pulsar.broadcast.consumers", Integer.toString(CONSUMERS + 1))
        .containsEntry(
            "pulsar.broadcast.consumers.not.listed", Integer.toString(CONSUMERS + 1 - LISTED))
        .containsEntry("pulsar.broadcast.lag.slowest.entries", Integer.toString(MESSAGES));
    ConsumerStats first = listed.get(0);
    assertThat(first.getMetadata())
        .containsEntry("pulsar.broadcast.lag.entries", Integer.toString(MESSAGES))
        .containsEntry("pulsar.subscription.type", "Broadcast")
        .containsKey("pulsar.broadcast.position");
    assertThat(first.getMsgOutCounter()).isEqualTo(MESSAGES);
    assertThat(first.getAddress()).isNotEmpty();
    assertThat(listed.stream().map(each -> each.getMetadata().get("pulsar.broadcast.lag.entries")))
        .as("the furthest behind first")
        .isSortedAccordingTo((a, b) -> Long.compare(Long.parseLong(b), Long.parseLong(a)));
  }

  private static void assertSaysInInternalStats(Broker broker, String topic) throws Exception {
    CursorStats cursor = Subscriptions.cursor(broker, topic, SUBSCRIPTION);
    assertThat(cursor.properties)
        .containsEntry("pulsar.broadcast.consumers", CONSUMERS + 1L)
        .containsEntry("pulsar.broadcast.lag.slowest.entries", (long) MESSAGES);
  }
}
