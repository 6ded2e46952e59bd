/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.RetentionPolicies;

/** Shadow topics (PIP-180) on a broker of its own. */
record ShadowTopics(Broker broker) {

  /** Without Netty's leak detector: the replicator of a source does not release what it sends. */
  static ShadowTopics start() {
    return new ShadowTopics(
        Broker.start(
            OperatedBroker.options().jvmOption(BrokerExtension.LEAK_DETECTION + "Disabled")));
  }

  /** Makes a topic and a shadow topic of it. */
  String of(String source) throws PulsarAdminException {
    return of(source, source + "-shadow");
  }

  String of(String source, String shadow) throws PulsarAdminException {
    of(source, List.of(shadow));
    return shadow;
  }

  void of(String source, List<String> shadows) throws PulsarAdminException {
    broker.admin().topics().createNonPartitionedTopic(source);
    for (String shadow : shadows) {
      broker.admin().topics().createShadowTopic(shadow, source);
      retainAll(shadow);
      // The replicator's producer has none, and a topic that is in use takes none.
      broker.admin().schemas().createSchema(shadow, Schema.STRING.getSchemaInfo());
    }
    broker.admin().topics().setShadowTopics(source, shadows);
    // Who publishes before would be heard of only with the next message.
    await()
        .untilAsserted(
            () ->
                assertThat(broker.admin().topics().getInternalStats(source).cursors.keySet())
                    .filteredOn(cursor -> cursor.startsWith("pulsar.repl"))
                    .hasSameSizeAs(shadows));
    // A change of the source's metadata while a shadow topic is loaded can leave that load without
    // an end.
    for (String shadow : shadows) {
      await()
          .untilAsserted(
              () ->
                  assertThat(broker.admin().topics().getStats(shadow).getPublishers())
                      .as("the replicator's producer at %s", shadow)
                      .hasSize(1));
    }
  }

  void retainAll(String shadow) throws PulsarAdminException {
    broker.admin().topicPolicies().setRetention(shadow, new RetentionPolicies(-1, -1));
    await()
        .untilAsserted(
            () ->
                assertThat(broker.admin().topicPolicies().getRetention(shadow, true))
                    .isEqualTo(new RetentionPolicies(-1, -1)));
    // A topic that is loaded hears of it later.
    broker.admin().topics().unload(shadow);
  }

  /** The subscription at the source that holds for a shadow topic. */
  static String holdOf(String shadow) {
    return "pulsar.broadcast.hold."
        + shadow.substring("persistent://".length()).replace("~", "=7E").replace("/", "=2F");
  }

  /**
   * Publishes twelve messages, in three ledgers: the broker's reader of a shadow topic can pass
   * over a whole ledger that was filled before the topic had heard of it.
   *
   * @param atShadow acknowledges them before the source's consumers do, after whom they may be
   *     trimmed
   */
  List<MessageId> publishOneByOne(String source, Consumer<String> atShadow) throws Exception {
    List<MessageId> ids = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      ids.addAll(publish(broker, source, i, i + 1));
      assertThat(receiveAndAck(atShadow, 1)).isEqualTo(values(i, i + 1));
    }
    return ids;
  }

  ConsumerBuilder<String> atOnce(String topic, String name) {
    return broker.atOnce(topic, "all", name).receiverQueueSize(1);
  }
}
