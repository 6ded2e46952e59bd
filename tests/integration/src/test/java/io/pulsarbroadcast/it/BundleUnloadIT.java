/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.common.util.Codec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I5 when a bundle of topics is unloaded, as a load balancer does it: the broker does not wait for
 * subscriptions then.
 */
@ExtendWith(BrokerExtension.class)
class BundleUnloadIT {

  private static final int ROUNDS = 5;
  private static final int PER_ROUND = 10;

  @Test
  void shouldStorePositionsAndCloseTheirLogWithTheBundle(Broker broker) throws Exception {
    String namespace = "public/" + UUID.randomUUID();
    broker.admin().namespaces().createNamespace(namespace, 1);
    String topic = "persistent://" + namespace + "/" + UUID.randomUUID();
    List<String> leftByBus = new ArrayList<>();
    int opened = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int from = round * PER_ROUND;
      try (Consumer<String> car = subscribe(broker, topic, "car");
          Consumer<String> bus = subscribe(broker, topic, "bus")) {
        assertThat(countOpenedLogs(broker, topic))
            .as("a log that was not closed is in the broker's cache, and stale after a move")
            .isGreaterThan(opened);
        opened = countOpenedLogs(broker, topic);
        Messages.publish(broker, topic, from, from + PER_ROUND);
        List<String> sent = Messages.values(from, from + PER_ROUND);
        assertThat(receiveAndAck(car, PER_ROUND)).as("I5").isEqualTo(sent);
        leftByBus.addAll(sent);
        List<Message<String>> rest = receive(bus, leftByBus.size());
        assertThat(Messages.valuesOf(rest)).as("I5").isEqualTo(leftByBus);
        // Every other one of the new ones, so that there is more to store than one position.
        for (int i = rest.size() - PER_ROUND; i < rest.size(); i += 2) {
          bus.acknowledge(rest.get(i));
          leftByBus.remove(rest.get(i).getValue());
        }
        broker
            .admin()
            .namespaces()
            .unloadNamespaceBundle(namespace, broker.admin().lookups().getBundleRange(topic));
        awaitConnected(broker, car);
        awaitConnected(broker, bus);
      }
    }
    assertThat(broker.logLines("[" + topic + "][all] "))
        .isNotEmpty()
        .noneMatch(line -> line.contains("] Error "))
        .noneMatch(line -> line.contains("The positions log has been taken over"));
  }

  /** How often the broker opened the managed ledger with the positions. */
  private static int countOpenedLogs(Broker broker, String topic) throws IOException {
    return broker
        .logLines("Opening managed ledger pulsar-broadcast/positions/logs/" + Codec.encode(topic))
        .size();
  }

  private static Consumer<String> subscribe(Broker broker, String topic, String name)
      throws Exception {
    return broker.atOnce(topic, "all", name).subscribe();
  }
}
