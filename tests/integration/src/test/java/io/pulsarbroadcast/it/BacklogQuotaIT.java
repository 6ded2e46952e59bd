/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException.ProducerBlockedQuotaExceededException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.policies.data.BacklogQuota;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.BacklogQuota.RetentionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I3 and I6: a backlog quota counts the slowest consumer, and evicts for all who are behind. */
@ExtendWith(OperatedBroker.class)
class BacklogQuotaIT {

  private static final Duration CHECKED = Duration.ofMinutes(1);

  /** The messages have numbers of three digits, so that all entries have the same size. */
  private static final int FIRST = 100;

  private static final int ENTRIES = 22;
  private static final int END = FIRST + ENTRIES;

  /** The broker evicts as many whole entries as fit in what is above nine tenths of the limit. */
  @Test
  void shouldEvictFromTheSlowestConsumersBacklogBySize(Broker broker) throws Exception {
    String topic = topicWithSomebodyBehind(broker);
    long bytes = broker.admin().topics().getStats(topic).getBacklogSize();
    assertThat(bytes % ENTRIES).as("entries of one size").isZero();
    long limitBytes = bytes / ENTRIES * 63 / 10;
    setQuota(
        broker,
        topic,
        BacklogQuotaType.destination_storage,
        BacklogQuota.builder().limitSize(limitBytes),
        RetentionPolicy.consumer_backlog_eviction);
    assertEvicted(broker, topic, 16);
  }

  /** The broker evicts whole ledgers by their age, never from the one it is writing. */
  @Test
  void shouldEvictFromTheSlowestConsumersBacklogByAge(Broker broker) throws Exception {
    String topic = topicWithSomebodyBehind(broker);
    setQuota(
        broker,
        topic,
        BacklogQuotaType.message_age,
        BacklogQuota.builder().limitTime(3),
        RetentionPolicy.consumer_backlog_eviction);
    assertEvicted(
        broker, topic, ENTRIES / OperatedBroker.LEDGER_ENTRIES * OperatedBroker.LEDGER_ENTRIES);
  }

  private static void assertEvicted(Broker broker, String topic, int evicted) throws Exception {
    await()
        .atMost(CHECKED)
        .untilAsserted(
            () ->
                assertThat(SkippedLog.of(broker, topic))
                    .extracting(SkippedLog.Event::entries)
                    .satisfies(
                        entries ->
                            assertThat(entries.stream().mapToLong(Long::longValue).sum())
                                .as("I6: entries missed, of %s", entries)
                                .isEqualTo(evicted)));
    assertThat(SkippedLog.of(broker, topic))
        .allMatch(event -> event.cause().contains("backlog quota") && event.consumers() == 1);
    try (Consumer<String> away = broker.broadcast(topic, "all", "away").subscribe();
        Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe()) {
      assertThat(receiveAndAck(away, ENTRIES - evicted)).isEqualTo(values(FIRST + evicted, END));
      awaitBacklog(broker, topic, "all", 0);
      publish(broker, topic, END, END + 1);
      assertThat(receiveAndAck(away, 1)).isEqualTo(values(END, END + 1));
      assertThat(receiveAndAck(fast, 1)).isEqualTo(values(END, END + 1));
    }
    awaitBacklog(broker, topic, "all", 0);
  }

  @Test
  void shouldRefuseProducersWhileTheSlowestConsumerIsTooFarBehind(Broker broker) throws Exception {
    String topic = topicWithSomebodyBehind(broker);
    setQuota(
        broker,
        topic,
        BacklogQuotaType.destination_storage,
        BacklogQuota.builder().limitSize(400),
        RetentionPolicy.producer_exception);
    // The stock client tries again for that long before it throws.
    try (PulsarClient impatient =
        PulsarClient.builder()
            .serviceUrl(broker.process().serviceUrl())
            .operationTimeout(2, TimeUnit.SECONDS)
            .build()) {
      await()
          .atMost(CHECKED)
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> impatient.newProducer().topic(topic).create().close())
                      .isInstanceOf(ProducerBlockedQuotaExceededException.class));
    }
    assertThat(catchUp(broker, topic)).isEqualTo(values(FIRST, END));
    await()
        .atMost(CHECKED)
        .ignoreExceptionsInstanceOf(ProducerBlockedQuotaExceededException.class)
        .untilAsserted(() -> publish(broker, topic, END, END + 1));
  }

  @Test
  void shouldHoldProducersWhileTheSlowestConsumerIsTooFarBehind(Broker broker) throws Exception {
    String topic = topicWithSomebodyBehind(broker);
    setQuota(
        broker,
        topic,
        BacklogQuotaType.destination_storage,
        BacklogQuota.builder().limitSize(400),
        RetentionPolicy.producer_request_hold);
    await()
        .atMost(CHECKED)
        .until(() -> broker.admin().topics().getStats(topic).getBacklogSize() > 400);
    CompletableFuture<Producer<String>> held =
        broker.client().newProducer(Schema.STRING).topic(topic).createAsync();
    await().during(Duration.ofSeconds(2)).atMost(CHECKED).until(() -> !held.isDone());
    assertThat(catchUp(broker, topic)).isEqualTo(values(FIRST, END));
    try (Producer<String> producer = held.get(1, TimeUnit.MINUTES)) {
      producer.send("goes on");
    }
  }

  /** One consumer has everything, one is away. */
  private static String topicWithSomebodyBehind(Broker broker) throws Exception {
    String topic = OperatedBroker.topicIn(OperatedBroker.newNamespace(broker));
    broker.broadcast(topic, "all", "away").subscribe().close();
    try (Consumer<String> fast = broker.atOnce(topic, "all", "fast").subscribe()) {
      publish(broker, topic, FIRST, END);
      assertThat(receiveAndAck(fast, ENTRIES)).isEqualTo(values(FIRST, END));
    }
    return topic;
  }

  private static void setQuota(
      Broker broker,
      String topic,
      BacklogQuotaType type,
      BacklogQuota.Builder quota,
      RetentionPolicy policy)
      throws Exception {
    broker
        .admin()
        .namespaces()
        .setBacklogQuota(
            TopicName.get(topic).getNamespace(), quota.retentionPolicy(policy).build(), type);
  }

  private static List<String> catchUp(Broker broker, String topic) throws Exception {
    try (Consumer<String> away = broker.broadcast(topic, "all", "away").subscribe()) {
      List<String> received = receiveAndAck(away, ENTRIES);
      awaitBacklog(broker, topic, "all", 0);
      return received;
    }
  }
}
