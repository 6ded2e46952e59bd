/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * I1 and I4 on a shadow topic (PIP-180), which serves more consumers of a topic elsewhere. On a
 * broker of its own, because stock Pulsar's shadow replicator does not release what it sends.
 */
class ShadowTopicProcessIT {

  private static Broker broker;

  @BeforeAll
  static void startBroker() {
    broker =
        Broker.start(
            OperatedBroker.options().jvmOption(BrokerExtension.LEAK_DETECTION + "Disabled"));
  }

  @AfterAll
  static void stopBroker() throws IOException {
    broker.close();
  }

  @Test
  void shouldGiveConsumersOfAShadowTopicWhatIsPublishedToItsSource() throws Exception {
    // Trimming goes by the subscriptions of the source (docs/contract.md).
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setRetention(namespace, new RetentionPolicies(10, 10));
    String source = OperatedBroker.topicIn(namespace);
    String shadow = source + "-shadow";
    broker.admin().topics().createNonPartitionedTopic(source);
    broker.admin().topics().createShadowTopic(shadow, source);
    broker.admin().topics().setShadowTopics(source, List.of(shadow));
    try (Consumer<String> atSource = atOnce(source, "source").subscribe();
        Consumer<String> a = atOnce(shadow, "a").subscribe();
        Consumer<String> b = atOnce(shadow, "b").subscribe();
        Consumer<String> plain = plain(shadow).subscribe()) {
      // One ledger after the other: where they follow fast, a shadow topic may be loaded again.
      for (int next = 0; next < 12; next += 4) {
        publish(broker, source, next, next + 4);
        assertThat(receiveAndAck(a, 4)).isEqualTo(values(next, next + 4));
      }
      assertThat(receiveAndAck(atSource, 12)).isEqualTo(values(0, 12));
      assertThat(receiveAndAck(b, 4)).isEqualTo(values(0, 4));

      broker.admin().topics().unload(shadow);
      MessageIdImpl last = (MessageIdImpl) publish(broker, source, 12, 14).get(1);
      assertThat(receiveAndAck(a, 2)).isEqualTo(values(12, 14));
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(4, 14));
      assertNothingMore(a);
      assertNothingMore(b);
      assertThat(receiveAndAck(plain, 14)).isEqualTo(values(0, 14));
      await()
          .untilAsserted(
              () -> {
                assertThat(broker.admin().topics().getInternalStats(shadow).cursors.get("all"))
                    .extracting(cursor -> cursor.markDeletePosition)
                    .isEqualTo(last.getLedgerId() + ":" + last.getEntryId());
                // Counted from the position. The broker's running count, shown of plain
                // subscriptions, may be off on a shadow topic that was loaded again.
                assertThat(stats(broker, shadow, "all").getMsgBacklog()).isZero();
              });
    }
  }

  /** I6. */
  @Test
  void shouldCountWhatTheSourceTrimmedBeforeAConsumerOfTheShadowHadIt() throws Exception {
    String source = Broker.newTopic();
    String shadow = source + "-shadow";
    broker.admin().topics().createNonPartitionedTopic(source);
    broker.admin().topics().createShadowTopic(shadow, source);
    broker.admin().topics().setShadowTopics(source, List.of(shadow));
    try (Consumer<String> atSource = broker.broadcast(source, "all", "a").subscribe();
        Consumer<String> atShadow = broker.broadcast(shadow, "all", "here").subscribe()) {
      broker.broadcast(shadow, "all", "away").subscribe().close();
      List<MessageId> ids = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        // One at a time: the broker's reader of a shadow topic can pass over a whole ledger that
        // was filled before the topic had heard of it.
        ids.addAll(publish(broker, source, i, i + 1));
        // First here: what the source's consumers have acknowledged may be trimmed at once.
        assertThat(receiveAndAck(atShadow, 1)).isEqualTo(values(i, i + 1));
      }
      assertThat(receiveAndAck(atSource, 12)).isEqualTo(values(0, 12));

      // The shadow topic follows by itself.
      TrimmedIT.trim(broker, source, ids.get(10));
      await()
          .atMost(TrimmedIT.TRIMMED)
          .untilAsserted(() -> assertThat(TrimmedIT.missed(broker, shadow)).isEqualTo(10));
      try (Consumer<String> away = broker.broadcast(shadow, "all", "away").subscribe()) {
        assertThat(receiveAndAck(away, 2)).isEqualTo(values(10, 12));
      }
      assertThat(TrimmedIT.missed(broker, shadow)).as("counted once").isEqualTo(10);
    }
  }

  private static ConsumerBuilder<String> plain(String topic) {
    return broker.client().newConsumer(Schema.STRING).topic(topic).subscriptionName("plain");
  }

  private static ConsumerBuilder<String> atOnce(String topic, String name) {
    return broker.atOnce(topic, "all", name).receiverQueueSize(1);
  }
}
