/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.FreePorts;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Metrics follow the settings that the broker has for its own. */
@Order(2)
class MetricSettingsProcessIT {

  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String NAMESPACE = "public/default";
  private static final String SUBSCRIPTION = "alerts";

  @Test
  void shouldAddUpPerNamespaceWhenTheBrokerExposesNoTopics() throws Exception {
    try (Broker broker =
        Broker.start(
            BrokerExtension.newBroker()
                .setting("exposeTopicLevelMetricsInPrometheus", "false")
                .setting("metricsBufferResponse", "false"))) {
      String one = Broker.newTopic();
      String other = Broker.newTopic();
      List<Consumer<String>> consumers = new ArrayList<>();
      for (String topic : List.of(one, other)) {
        for (int i = 0; i < 2; i++) {
          consumers.add(broker.broadcast(topic, SUBSCRIPTION, "car-" + i).subscribe());
        }
      }
      Messages.publish(broker, one, 0, 10);
      Messages.publish(broker, other, 0, 4);
      for (int i = 0; i < 4; i++) {
        int expected = i < 2 ? 10 : 4;
        assertThat(Messages.receiveAndAck(consumers.get(i), expected)).hasSize(expected);
      }
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () -> {
                Scrape scrape = Scrape.of(broker.process());
                assertThat(value(scrape, "pulsar_broadcast_deliveries_total")).isEqualTo(28);
                assertThat(value(scrape, "pulsar_broadcast_acks_total")).isEqualTo(28);
                assertThat(value(scrape, "pulsar_broadcast_consumers")).isEqualTo(4);
                assertThat(value(scrape, "pulsar_broadcast_subscriptions")).isEqualTo(2);
                assertThat(scrape.with("topic", one)).isEmpty();
              });

      // Counters do not go back when one of the subscriptions goes.
      consumers.get(0).close();
      consumers.get(1).close();
      broker.admin().topics().delete(one);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(value(Scrape.of(broker.process()), "pulsar_broadcast_subscriptions"))
                      .isEqualTo(1));
      assertThat(value(Scrape.of(broker.process()), "pulsar_broadcast_deliveries_total"))
          .isEqualTo(28);

      consumers.get(2).close();
      consumers.get(3).close();
      broker.admin().topics().delete(other);
      await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  Scrape.of(broker.process()).with("namespace", NAMESPACE).stream()
                      .noneMatch(sample -> sample.name().startsWith("pulsar_broadcast_")));
    }
  }

  /** In OpenTelemetry, seven series for each would push those of others out at its limit. */
  @Test
  void shouldMakeNoSeriesAndNoTextPerBroadcastConsumer() throws Exception {
    int openTelemetry = FreePorts.find(1)[0];
    try (Broker broker =
        Broker.start(
            BrokerExtension.newBroker()
                .jvmOption("-Dotel.sdk.disabled=false")
                .jvmOption("-Dotel.metrics.exporter=prometheus")
                .jvmOption("-Dotel.exporter.prometheus.host=127.0.0.1")
                .jvmOption("-Dotel.exporter.prometheus.port=" + openTelemetry)
                .setting("exposeConsumerLevelMetricsInPrometheus", "true")
                .setting("statsUpdateInitialDelayInSecs", "1")
                .setting("statsUpdateFrequencyInSecs", "1")
                .setting("broadcastStatsMaxConsumers", "2"))) {
      String topic = Broker.newTopic();
      List<Consumer<String>> consumers = subscribeFive(broker, topic);
      Consumer<byte[]> stock =
          broker.client().newConsumer().topic(topic).subscriptionName("stock").subscribe();

      Scrape scrape = Scrape.of(broker.process());

      assertThat(scrape.with("topic", topic, "subscription", "stock"))
          .as("the broker is configured to")
          .anyMatch(sample -> sample.labels().containsKey("consumer_id"));
      assertThat(scrape.with("topic", topic, "subscription", SUBSCRIPTION))
          .noneMatch(sample -> sample.labels().containsKey("consumer_id"));
      assertThat(
              scrape.value(
                  "pulsar_subscription_consumers_count",
                  "topic",
                  topic,
                  "subscription",
                  SUBSCRIPTION))
          .isEqualTo(5);
      assertNoneInOpenTelemetry(openTelemetry);
      assertFewSeries(scrape, topic);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(Scrape.get(broker.process(), "/admin/v2/broker-stats/topics"))
                      .contains("\"consumersNotListed\":3")
                      .contains(topic));
      assertThat(Scrape.get(broker.process(), "/admin/v2/broker-stats/topics"))
          .as("two of five")
          .satisfies(text -> assertThat(text.split("\"consumerName\":\"car-")).hasSize(1 + 2));
      assertRatesCoverAll(broker, topic);
      assertShowsFewOfAPartition(broker);
      stock.close();
      for (Consumer<String> consumer : consumers) {
        consumer.close();
      }
    }
  }

  private static List<Consumer<String>> subscribeFive(Broker broker, String topic)
      throws Exception {
    List<Consumer<String>> consumers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      consumers.add(broker.broadcast(topic, SUBSCRIPTION, "car-" + i).subscribe());
    }
    return consumers;
  }

  /** Of those that are not written down, too: each of five is sent the same. */
  private static void assertRatesCoverAll(Broker broker, String topic) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Messages.publish(broker, topic, 0, 10);
              JsonNode written =
                  new ObjectMapper()
                      .readTree(Scrape.get(broker.process(), "/admin/v2/broker-stats/topics"))
                      .findValue(SUBSCRIPTION);
              double listed = 0;
              for (JsonNode consumer : written.get("consumers")) {
                assertThat(consumer.get("address").asText()).isNotEmpty();
                listed += consumer.get("msgRateOut").asDouble();
              }
              assertThat(listed).isPositive();
              assertThat(written.get("msgRateOut").asDouble()).isGreaterThan(1.5 * listed);
            });
  }

  /** The broker of 3.0 asks a topic for this as it does for its own metrics. */
  private static void assertShowsFewOfAPartition(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createPartitionedTopic(topic, 1);
    String partition = topic + "-partition-0";
    List<Consumer<String>> consumers = subscribeFive(broker, partition);
    SubscriptionStats shown =
        broker
            .admin()
            .topics()
            .getPartitionedStats(topic, true)
            .getPartitions()
            .get(partition)
            .getSubscriptions()
            .get(SUBSCRIPTION);
    assertThat(shown.getConsumers())
        .hasSize(2)
        .allMatch(consumer -> consumer.getConsumerName().startsWith("car-"));
    assertThat(shown.getSubscriptionProperties())
        .containsEntry("pulsar.broadcast.consumers", "5")
        .containsEntry("pulsar.broadcast.consumers.not.listed", "3");
    for (Consumer<String> consumer : consumers) {
      consumer.close();
    }
  }

  private static void assertNoneInOpenTelemetry(int port) throws Exception {
    if (BrokerExtension.version().startsWith("3.0.")) {
      return; // Pulsar 3.0 has no OpenTelemetry.
    }
    String scraped = Scrape.get(URI.create("http://127.0.0.1:" + port + "/metrics"));
    assertThat(consumerSeries(scraped, "stock")).as("the broker makes them").isPositive();
    assertThat(consumerSeries(scraped, SUBSCRIPTION)).isZero();
  }

  /** Histograms are per namespace: with them, ten thousand subscriptions had over a million. */
  private static void assertFewSeries(Scrape scrape, String topic) {
    assertThat(scrape.with("topic", topic, "subscription", SUBSCRIPTION))
        .filteredOn(sample -> sample.name().startsWith("pulsar_broadcast_"))
        .hasSizeBetween(20, 40)
        .noneMatch(sample -> sample.name().endsWith("_bucket"));
    assertThat(scrape.with("namespace", NAMESPACE))
        .filteredOn(sample -> !sample.labels().containsKey("topic"))
        .anyMatch(sample -> sample.name().equals("pulsar_broadcast_stage_seconds_bucket"));
  }

  private static long consumerSeries(String scraped, String subscription) {
    return scraped
        .lines()
        .filter(line -> line.startsWith("pulsar_broker_consumer_"))
        .filter(line -> line.contains("pulsar_subscription_name=\"" + subscription + "\""))
        .count();
  }

  private static double value(Scrape scrape, String name) {
    return scrape.value(name, "namespace", NAMESPACE);
  }
}
