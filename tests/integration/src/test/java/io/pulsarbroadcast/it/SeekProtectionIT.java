/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I3: storage keeps what a consumer needs that sought back, from when the seek is answered. */
@ExtendWith(OperatedBroker.class)
class SeekProtectionIT {

  @Test
  void shouldBeAtOnceProtectedFromTrimmingWhereItSought(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setRetention(namespace, new RetentionPolicies(-1, -1));
    String topic = OperatedBroker.topicIn(namespace);
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe();
        Consumer<String> seeking = broker.broadcast(topic, "all", "seeking").subscribe()) {
      List<MessageId> ids = publish(broker, topic, 0, 4 * OperatedBroker.LEDGER_ENTRIES);
      receiveAndAck(beside, ids.size());
      receiveAndAck(seeking, ids.size());
      awaitBacklog(broker, topic, "all", 0);
      seeking.seek(ids.get(6));
      awaitConnected(broker, seeking);
      seeking.close();

      broker.admin().namespaces().setRetention(namespace, new RetentionPolicies(0, 0));
      publish(broker, topic, 20, 26);
      assertThat(receiveAndAck(beside, 6)).isEqualTo(values(20, 26));
      // The ledger before the place that was sought is trimmed, those from there on are not.
      await()
          .untilAsserted(
              () -> {
                broker.admin().topics().trimTopic(topic);
                assertThat(broker.admin().topics().getInternalStats(topic).numberOfEntries)
                    .isEqualTo(21);
              });
      broker.admin().topics().unload(topic);
      try (Consumer<String> returned = broker.broadcast(topic, "all", "seeking").subscribe()) {
        assertThat(receiveAndAck(returned, 20)).isEqualTo(values(6, 26));
      }
    }
  }
}
