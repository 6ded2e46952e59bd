/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.common.policies.data.PersistentTopicInternalStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I3: the subscription stands at its slowest consumer, and storage keeps what that one needs. */
@ExtendWith(BrokerExtension.class)
class BacklogIT {

  @Test
  void shouldShowTheTypeAndTheConsumersInTopicStats(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
      assertThat(stats(broker, topic, "all").getConsumers())
          .extracting(consumer -> consumer.getConsumerName())
          .containsExactlyInAnyOrder(a.getConsumerName(), b.getConsumerName());
    }
  }

  @Test
  void shouldBeTheSlowestConsumersBacklog(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe();
        Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(fast, 10);
      receiveAndAck(slow, 3);
      awaitBacklog(broker, topic, "all", 7);

      receiveAndAck(slow, 7);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldCountWhatADisconnectedConsumerHasNotAcknowledged(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> gone = broker.broadcast(topic, "all", "gone").subscribe();
        Consumer<String> here = broker.broadcast(topic, "all", "here").subscribe()) {
      gone.closeAsync().get();
      publish(broker, topic, 0, 10);
      receiveAndAck(here, 9);
      awaitBacklog(broker, topic, "all", 10);
    }
  }

  @Test
  void shouldLetOldLedgersBeTrimmedWhenEverybodyAcknowledged(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(a, 10);
      receiveAndAck(b, 10);
      await()
          .untilAsserted(
              () -> {
                PersistentTopicInternalStats stats =
                    broker.admin().topics().getInternalStats(topic);
                assertThat(stats.cursors.get("all").markDeletePosition)
                    .isEqualTo(stats.lastConfirmedEntry);
              });
      broker.admin().topics().unload(topic);
      await()
          .ignoreExceptionsInstanceOf(PulsarAdminException.class)
          .untilAsserted(() -> assertThat(storedEntriesAfterTrim(broker, topic)).isZero());
      awaitConnected(broker, a);
      awaitConnected(broker, b);
    }
  }

  @Test
  void shouldKeepLedgersThatOneConsumerNeeds(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe()) {
      broker.broadcast(topic, "all", "slow").subscribe().close();
      publish(broker, topic, 0, 10);
      receiveAndAck(fast, 10);
      broker.admin().topics().unload(topic);
      await()
          .ignoreExceptionsInstanceOf(PulsarAdminException.class)
          .untilAsserted(() -> assertThat(storedEntriesAfterTrim(broker, topic)).isEqualTo(10));
      awaitConnected(broker, fast);

      try (Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
        assertThat(receiveAndAck(slow, 10)).isEqualTo(values(0, 10));
      }
    }
  }

  /** Lets the broker delete the ledgers that nobody needs; how many entries are left. */
  private static long storedEntriesAfterTrim(Broker broker, String topic)
      throws PulsarAdminException {
    broker.admin().topics().trimTopic(topic);
    return broker.admin().topics().getInternalStats(topic).numberOfEntries;
  }
}
