/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.benchmark.broker.MetricsPage.Sample;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the broker's own /metrics says of Broadcast subscriptions, against what happened. */
@ExtendWith(ScrapedBroker.class)
class MetricsIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String SUBSCRIPTION = "alerts";

  @Test
  void shouldCountExactlyWhatWasSentAndAcknowledged(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    List<Consumer<String>> consumers = sendTwentyToThree(broker, topic);

    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Scrape scrape = scrape(broker);
              assertThat(value(scrape, topic, "pulsar_broadcast_consumers")).isEqualTo(3);
              assertThat(value(scrape, topic, "pulsar_broadcast_deliveries_total")).isEqualTo(60);
              assertThat(value(scrape, topic, "pulsar_broadcast_tail_entries_total")).isEqualTo(20);
              assertThat(value(scrape, topic, "pulsar_broadcast_acks_total")).isEqualTo(60);
              assertThat(value(scrape, topic, "pulsar_broadcast_redeliveries_total")).isZero();
              assertThat(value(scrape, topic, "pulsar_broadcast_refused_acks_total")).isZero();
              assertThat(value(scrape, topic, "pulsar_broadcast_slowest_distance_entries"))
                  .isZero();
              assertThat(value(scrape, topic, "pulsar_broadcast_laggards")).isZero();
              assertThat(value(scrape, topic, "pulsar_broadcast_delivered_bytes_total"))
                  .as("as the broker counts them")
                  .isEqualTo(value(scrape, topic, "pulsar_out_bytes_total"));
            });
    close(consumers);
  }

  /** I8: a backlog that only somebody absent wants holds up nobody who comes to the topic's end. */
  @Test
  void shouldNotReadAtTheTailWhatNobodyThereWants(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    close(subscribe(broker, topic, 1));
    Messages.publish(broker, topic, 0, 2_000);
    try (Consumer<String> fresh = broker.broadcast(topic, SUBSCRIPTION, "fresh").subscribe()) {
      Messages.publish(broker, topic, 2_000, 2_001);
      assertThat(Messages.receiveAndAck(fresh, 1)).isEqualTo(Messages.values(2_000, 2_001));
      assertThat(value(scrape(broker), topic, "pulsar_broadcast_tail_entries_total"))
          .isLessThan(1_000);
      List<Consumer<String>> returned = subscribe(broker, topic, 1);
      assertThat(Messages.receiveAndAck(returned.get(0), 2_001))
          .isEqualTo(Messages.values(0, 2_001));
      close(returned);
    }
  }

  @Test
  void shouldTimeEveryStageOncePerEntryWhateverTheNumberOfConsumers(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    List<Consumer<String>> consumers = sendTwentyToThree(broker, topic);

    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Scrape scrape = scrape(broker);
              for (String stage :
                  List.of("accept", "persist", "notify", "prepare", "first_write", "last_write")) {
                assertThat(
                        scrape.value(
                            "pulsar_broadcast_stage_seconds_count", "topic", topic, "stage", stage))
                    .as(stage)
                    .isEqualTo(20);
              }
              assertThat(
                      value(scrape, topic, "pulsar_broadcast_persist_to_last_write_seconds_count"))
                  .isEqualTo(20);
              assertThat(value(scrape, topic, "pulsar_broadcast_persist_to_last_write_seconds_sum"))
                  .isPositive();
            });
    close(consumers);
  }

  @Test
  void shouldCountRedeliveriesAndRefusedAcks(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> consumer = subscribe(broker, topic, 1).get(0);
    Messages.publish(broker, topic, 0, 5);
    List<Message<String>> received = Messages.receive(consumer, 5);
    consumer.redeliverUnacknowledgedMessages();
    assertThat(Messages.receive(consumer, 5)).hasSize(5);
    MessageIdImpl last = (MessageIdImpl) received.get(4).getMessageId();
    consumer.acknowledge(new MessageIdImpl(last.getLedgerId(), last.getEntryId() + 100, -1));

    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Scrape scrape = scrape(broker);
              assertThat(value(scrape, topic, "pulsar_broadcast_redeliveries_total")).isEqualTo(5);
              assertThat(value(scrape, topic, "pulsar_broadcast_deliveries_total")).isEqualTo(10);
              assertThat(value(scrape, topic, "pulsar_broadcast_refused_acks_total")).isEqualTo(1);
              assertThat(value(scrape, topic, "pulsar_broadcast_slowest_distance_entries"))
                  .isEqualTo(5);
            });
    consumer.close();
  }

  @Test
  void shouldShowHowFarTheSlowestAndTheMedianAreBehind(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    List<Consumer<String>> consumers = subscribe(broker, topic, 3);
    Messages.publish(broker, topic, 0, 10);
    assertThat(Messages.receiveAndAck(consumers.get(0), 10)).hasSize(10);
    assertThat(Messages.receiveAndAck(consumers.get(1), 7)).hasSize(7);

    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Scrape scrape = scrape(broker);
              assertThat(value(scrape, topic, "pulsar_broadcast_slowest_distance_entries"))
                  .isEqualTo(10);
              assertThat(value(scrape, topic, "pulsar_broadcast_median_distance_entries"))
                  .isEqualTo(3);
            });
    close(consumers);
  }

  @Test
  void shouldCountReadsForConsumersBehindAndPositionsThatWait(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> away = broker.broadcast(topic, SUBSCRIPTION, "away").subscribe();
    Consumer<String> present = broker.broadcast(topic, SUBSCRIPTION, "present").subscribe();
    away.close();
    Messages.publish(broker, topic, 0, 30);
    assertThat(Messages.receiveAndAck(present, 30)).hasSize(30);
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Scrape scrape = scrape(broker);
              assertThat(value(scrape, topic, "pulsar_broadcast_positions_waiting")).isEqualTo(1);
              assertThat(value(scrape, topic, "pulsar_broadcast_consumers")).isEqualTo(1);
              assertThat(value(scrape, topic, "pulsar_broadcast_catch_up_reads_total")).isZero();
            });

    Consumer<String> back = broker.broadcast(topic, SUBSCRIPTION, "away").subscribe();
    assertThat(Messages.receiveAndAck(back, 30)).hasSize(30);

    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Scrape scrape = scrape(broker);
              assertThat(value(scrape, topic, "pulsar_broadcast_positions_waiting")).isZero();
              assertThat(value(scrape, topic, "pulsar_broadcast_catch_up_reads_total"))
                  .isPositive();
              assertThat(value(scrape, topic, "pulsar_broadcast_catch_up_entries_total"))
                  .isEqualTo(30);
              assertThat(value(scrape, topic, "pulsar_broadcast_catch_up_bytes_total"))
                  .isPositive();
            });
    close(List.of(present, back));
  }

  @Test
  void shouldTellWhatAnAbsentConsumerHolds(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> away = broker.atOnce(topic, SUBSCRIPTION, "away").subscribe();
    Consumer<String> present = broker.atOnce(topic, SUBSCRIPTION, "present").subscribe();
    Messages.publish(broker, topic, 0, 30);
    assertThat(Messages.receiveAndAck(away, 10)).hasSize(10);
    assertThat(Messages.receiveAndAck(present, 25)).hasSize(25);
    away.close();
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Scrape scrape = scrape(broker);
              assertThat(value(scrape, topic, "pulsar_broadcast_absent_distance_entries"))
                  .isEqualTo(20);
              assertThat(value(scrape, topic, "pulsar_broadcast_absent_held_entries"))
                  .isEqualTo(15);
              assertThat(value(scrape, topic, "pulsar_broadcast_absent_age_seconds"))
                  .isBetween(1.0, TIMEOUT.toSeconds() * 1.0);
              assertThat(value(scrape, topic, "pulsar_broadcast_positions_expiring")).isZero();
              double all = broker.admin().topics().getStats(topic).getStorageSize();
              assertThat(value(scrape, topic, "pulsar_broadcast_absent_distance_bytes"))
                  .as("two thirds of what is stored")
                  .isBetween(all * 0.6, all * 0.73);
            });

    Consumer<String> back = broker.atOnce(topic, SUBSCRIPTION, "away").subscribe();
    assertThat(Messages.receiveAndAck(back, 20)).hasSize(20);
    back.close();
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(seriesOf(scrape(broker), topic))
                    .filteredOn(sample -> sample.name().startsWith("pulsar_broadcast_absent_"))
                    .hasSize(4)
                    .allMatch(sample -> sample.value() == 0));
    present.close();
  }

  @Test
  void shouldCountSkippedEntriesByCause(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    List<Consumer<String>> consumers = subscribe(broker, topic, 2);
    Messages.publish(broker, topic, 0, 10);
    assertThat(Messages.receiveAndAck(consumers.get(0), 10)).hasSize(10);
    assertThat(Messages.receive(consumers.get(1), 10)).hasSize(10);
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                Subscriptions.stats(broker, topic, SUBSCRIPTION).getConsumers().stream()
                    .anyMatch(consumer -> consumer.getUnackedMessages() == 0));

    broker.admin().topics().skipMessages(topic, SUBSCRIPTION, 3);
    await().atMost(TIMEOUT).until(() -> skipped(broker, topic, "skip") == 3);

    broker.admin().topics().skipAllMessages(topic, SUBSCRIPTION);
    await().atMost(TIMEOUT).until(() -> skipped(broker, topic, "clear") == 7);
    assertThat(skipped(broker, topic, "skip")).isEqualTo(3);
    assertThat(skipped(broker, topic, "ttl")).isZero();
    close(consumers);
  }

  private static double skipped(Broker broker, String topic, String cause) throws Exception {
    return scrape(broker)
        .value("pulsar_broadcast_skipped_entries_total", "topic", topic, "cause", cause);
  }

  @Test
  void shouldMeasureWritesToThePositionsLog(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> consumer = subscribe(broker, topic, 1).get(0);

    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              Scrape scrape = scrape(broker);
              assertThat(value(scrape, topic, "pulsar_broadcast_positions_write_seconds_count"))
                  .isPositive();
              double written =
                  value(scrape, topic, "pulsar_broadcast_positions_written_bytes_total");
              assertThat(written).isPositive();
              assertThat(value(scrape, topic, "pulsar_broadcast_positions_store_bytes") - written)
                  .as("the log begins with an empty snapshot")
                  .isBetween(0.0, 100.0);
              assertThat(value(scrape, topic, "pulsar_broadcast_positions_write_failures_total"))
                  .isZero();
            });
    consumer.close();
  }

  @Test
  void shouldForgetASubscriptionThatIsUnloadedOrDeleted(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    subscribe(broker, topic, 1).get(0).close();
    assertThat(seriesOf(scrape(broker), topic)).isNotEmpty();

    broker.admin().topics().unload(topic);
    await().atMost(TIMEOUT).until(() -> seriesOf(scrape(broker), topic).isEmpty());

    Messages.publish(broker, topic, 0, 1);
    assertThat(value(scrape(broker), topic, "pulsar_broadcast_positions_waiting")).isEqualTo(1);

    broker.admin().topics().deleteSubscription(topic, SUBSCRIPTION);
    await().atMost(TIMEOUT).until(() -> seriesOf(scrape(broker), topic).isEmpty());
  }

  @Test
  void shouldHaveNoSeriesForTopicsWithoutBroadcast(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<byte[]> stock =
        broker.client().newConsumer().topic(topic).subscriptionName(SUBSCRIPTION).subscribe();
    Messages.publish(broker, topic, 0, 1);

    Scrape scrape = scrape(broker);

    assertThat(scrape.with("topic", topic)).as("the broker's own").isNotEmpty();
    assertThat(seriesOf(scrape, topic)).isEmpty();
    stock.close();
  }

  static List<Sample> seriesOf(Scrape scrape, String topic) {
    return scrape.with("topic", topic).stream()
        .filter(sample -> sample.name().startsWith("pulsar_broadcast_"))
        .toList();
  }

  private static List<Consumer<String>> subscribe(Broker broker, String topic, int count)
      throws Exception {
    List<Consumer<String>> consumers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      consumers.add(broker.broadcast(topic, SUBSCRIPTION, "car-" + i).subscribe());
    }
    return consumers;
  }

  /** Three consumers, who have acknowledged the topic's 20 messages. */
  private static List<Consumer<String>> sendTwentyToThree(Broker broker, String topic)
      throws Exception {
    List<Consumer<String>> consumers = subscribe(broker, topic, 3);
    Messages.publish(broker, topic, 0, 20);
    for (Consumer<String> consumer : consumers) {
      assertThat(Messages.receiveAndAck(consumer, 20)).hasSize(20);
    }
    return consumers;
  }

  private static void close(List<Consumer<String>> consumers) throws Exception {
    for (Consumer<String> consumer : consumers) {
      consumer.close();
    }
  }

  private static Scrape scrape(Broker broker) throws Exception {
    return Scrape.of(broker.process());
  }

  private static double value(Scrape scrape, String topic, String name) {
    return scrape.value(name, "topic", topic, "subscription", SUBSCRIPTION);
  }
}
