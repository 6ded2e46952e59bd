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
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;

/**
 * I1 and I4 on a shadow topic (PIP-180), which serves more consumers of a topic elsewhere. On a
 * broker of its own, because stock Pulsar's shadow replicator does not release what it sends.
 */
class ShadowTopicProcessIT {

  @Test
  void shouldGiveConsumersOfAShadowTopicWhatIsPublishedToItsSource() throws Exception {
    try (Broker broker =
        Broker.start(
            BrokerExtension.newBroker()
                .jvmOption(BrokerExtension.LEAK_DETECTION + "Disabled")
                // Trimming goes by the subscriptions of the source (docs/contract.md).
                .setting("defaultRetentionTimeInMinutes", "10")
                .setting("defaultRetentionSizeInMB", "10"))) {
      shouldGiveConsumersOfAShadowTopicWhatIsPublishedToItsSource(broker);
    }
  }

  private static void shouldGiveConsumersOfAShadowTopicWhatIsPublishedToItsSource(Broker broker)
      throws Exception {
    String source = Broker.newTopic();
    String shadow = source + "-shadow";
    broker.admin().topics().createNonPartitionedTopic(source);
    broker.admin().topics().createShadowTopic(shadow, source);
    broker.admin().topics().setShadowTopics(source, List.of(shadow));
    try (Consumer<String> atSource = atOnce(broker, source, "source").subscribe();
        Consumer<String> a = atOnce(broker, shadow, "a").subscribe();
        Consumer<String> b = atOnce(broker, shadow, "b").subscribe();
        Consumer<String> plain = plain(broker, shadow).subscribe()) {
      publish(broker, source, 0, 12);
      assertThat(receiveAndAck(atSource, 12)).isEqualTo(values(0, 12));
      assertThat(receiveAndAck(a, 12)).isEqualTo(values(0, 12));
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
                // On a shadow topic that was loaded again, Pulsar's counters may be one off.
                assertThat(stats(broker, shadow, "all").getMsgBacklog())
                    .isEqualTo(stats(broker, shadow, "plain").getMsgBacklog());
              });
    }
  }

  private static ConsumerBuilder<String> plain(Broker broker, String topic) {
    return broker.client().newConsumer(Schema.STRING).topic(topic).subscriptionName("plain");
  }

  private static ConsumerBuilder<String> atOnce(Broker broker, String topic, String name) {
    return broker
        .broadcast(topic, "all", name)
        .receiverQueueSize(1)
        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
        .isAckReceiptEnabled(true);
  }
}
