/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.junit.jupiter.api.Test;

/** Metrics follow the settings that the broker has for its own. */
class MetricSettingsProcessIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
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

  @Test
  void shouldMakeNoSeriesAndNoTextPerBroadcastConsumer() throws Exception {
    try (Broker broker =
        Broker.start(
            BrokerExtension.newBroker()
                .setting("exposeConsumerLevelMetricsInPrometheus", "true")
                .setting("statsUpdateInitialDelayInSecs", "1")
                .setting("statsUpdateFrequencyInSecs", "1")
                .setting("broadcastStatsMaxConsumers", "2"))) {
      String topic = Broker.newTopic();
      List<Consumer<String>> consumers = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        consumers.add(broker.broadcast(topic, SUBSCRIPTION, "car-" + i).subscribe());
      }
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
      stock.close();
      for (Consumer<String> consumer : consumers) {
        consumer.close();
      }
    }
  }

  private static double value(Scrape scrape, String name) {
    return scrape.value(name, "namespace", NAMESPACE);
  }
}
