/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I5 when a bundle of topics is unloaded, as a load balancer does it: the broker does not wait for
 * subscriptions then.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class BundleUnloadIT {

  private static final int ROUNDS = 8;
  private static final int PER_ROUND = 10;

  @Test
  void shouldStorePositionsAndCloseTheirLogWithTheBundle(Broker broker) throws Exception {
    String namespace = "public/" + UUID.randomUUID();
    broker.admin().namespaces().createNamespace(namespace, 1);
    String topic = "persistent://" + namespace + "/" + UUID.randomUUID();
    for (int round = 0; round < ROUNDS; round++) {
      int from = round * PER_ROUND;
      try (PulsarClient client = broker.newClient();
          Consumer<String> car = subscribe(client, topic, "car");
          Consumer<String> bus = subscribe(client, topic, "bus")) {
        Messages.publish(broker.client(), topic, from, from + PER_ROUND);
        List<String> sent = Messages.values(from, from + PER_ROUND);
        assertThat(receiveAndAck(car, PER_ROUND)).isEqualTo(sent);
        assertThat(
                Messages.valuesOf(receive(bus, from + PER_ROUND)).subList(from, from + PER_ROUND))
            .isEqualTo(sent);
        broker
            .admin()
            .namespaces()
            .unloadNamespaceBundle(namespace, broker.admin().lookups().getBundleRange(topic));
      }
    }
    assertThat(Files.readString(broker.process().logFile()))
        .doesNotContain("[" + topic + "][all] Error closing the subscription")
        .doesNotContain("[" + topic + "][all] The positions log is fenced");
  }

  private static Consumer<String> subscribe(PulsarClient client, String topic, String name)
      throws Exception {
    return Broker.broadcast(client, topic, "all", name).isAckReceiptEnabled(true).subscribe();
  }
}
