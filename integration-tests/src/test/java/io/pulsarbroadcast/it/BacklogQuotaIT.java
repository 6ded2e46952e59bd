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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException.ProducerBlockedQuotaExceededException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.BacklogQuota;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.BacklogQuota.RetentionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** I3 and I6: a backlog quota counts the slowest consumer, and evicts for all who are behind. */
@ExtendWith(OperatedBroker.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class BacklogQuotaIT {

  private static final Duration CHECKED = Duration.ofSeconds(30);

  @Test
  void shouldEvictFromTheSlowestConsumersBacklogBySize(Broker broker) throws Exception {
    assertOldMessagesAreEvicted(
        broker,
        topicWithSomebodyBehind(
            broker,
            BacklogQuotaType.destination_storage,
            BacklogQuota.builder().limitSize(400),
            RetentionPolicy.consumer_backlog_eviction));
  }

  @Test
  void shouldEvictFromTheSlowestConsumersBacklogByAge(Broker broker) throws Exception {
    assertOldMessagesAreEvicted(
        broker,
        topicWithSomebodyBehind(
            broker,
            BacklogQuotaType.message_age,
            BacklogQuota.builder().limitTime(3),
            RetentionPolicy.consumer_backlog_eviction));
  }

  private static void assertOldMessagesAreEvicted(Broker broker, String topic) throws Exception {
    await()
        .atMost(CHECKED)
        .untilAsserted(() -> assertThat(SkippedLog.of(broker, topic)).isNotEmpty());
    List<SkippedLog.Event> events = SkippedLog.of(broker, topic);
    assertThat(events)
        .allMatch(event -> event.cause().contains("backlog quota") && event.consumers() == 1);
    int evicted = (int) events.stream().mapToLong(SkippedLog.Event::entries).sum();
    assertThat(evicted).isBetween(1, 22);
    try (Consumer<String> away = broker.broadcast(topic, "all", "away").subscribe();
        Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe()) {
      assertThat(receiveAndAck(away, 22 - evicted)).isEqualTo(values(evicted, 22));
      assertNothingMore(away);
      assertNothingMore(fast);
    }
    awaitBacklog(broker, topic, "all", 0);
  }

  @Test
  void shouldRefuseProducersWhileTheSlowestConsumerIsTooFarBehind(Broker broker) throws Exception {
    String topic =
        topicWithSomebodyBehind(
            broker,
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
    assertThat(catchUp(broker, topic)).isEqualTo(values(0, 22));
    await()
        .atMost(CHECKED)
        .ignoreExceptionsInstanceOf(ProducerBlockedQuotaExceededException.class)
        .untilAsserted(() -> publish(broker, topic, 22, 23));
  }

  @Test
  void shouldHoldProducersWhileTheSlowestConsumerIsTooFarBehind(Broker broker) throws Exception {
    String topic =
        topicWithSomebodyBehind(
            broker,
            BacklogQuotaType.destination_storage,
            BacklogQuota.builder().limitSize(400),
            RetentionPolicy.producer_request_hold);
    await()
        .atMost(CHECKED)
        .until(() -> broker.admin().topics().getStats(topic).getBacklogSize() > 400);
    CompletableFuture<Producer<String>> held =
        broker.client().newProducer(Schema.STRING).topic(topic).createAsync();
    await().during(Duration.ofSeconds(2)).atMost(CHECKED).until(() -> !held.isDone());
    assertThat(catchUp(broker, topic)).isEqualTo(values(0, 22));
    try (Producer<String> producer = held.get(30, TimeUnit.SECONDS)) {
      producer.send("goes on");
    }
  }

  /** One consumer has everything, one is away; the quota is set after that. */
  private static String topicWithSomebodyBehind(
      Broker broker, BacklogQuotaType type, BacklogQuota.Builder quota, RetentionPolicy policy)
      throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    String topic = OperatedBroker.topicIn(namespace);
    broker.broadcast(topic, "all", "away").subscribe().close();
    try (Consumer<String> fast =
        broker
            .broadcast(topic, "all", "fast")
            .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
            .isAckReceiptEnabled(true)
            .subscribe()) {
      publish(broker, topic, 0, 22);
      assertThat(receiveAndAck(fast, 22)).isEqualTo(values(0, 22));
    }
    broker
        .admin()
        .namespaces()
        .setBacklogQuota(namespace, quota.retentionPolicy(policy).build(), type);
    return topic;
  }

  private static List<String> catchUp(Broker broker, String topic) throws Exception {
    try (Consumer<String> away = broker.broadcast(topic, "all", "away").subscribe()) {
      List<String> received = receiveAndAck(away, 22);
      awaitBacklog(broker, topic, "all", 0);
      return received;
    }
  }
}
