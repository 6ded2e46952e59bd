/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I4 when names collide: nothing is refused, lost or mixed up. */
@ExtendWith(BrokerExtension.class)
class SameNameIT {

  @Test
  void shouldGiveEachOfTwoOnOneConnectionEverything(Broker broker) throws Exception {
    shouldGiveEachOfTwoEverything(broker, broker.client());
  }

  @Test
  void shouldGiveEachOfTwoOnTwoConnectionsEverything(Broker broker) throws Exception {
    try (PulsarClient own = broker.newClient()) {
      shouldGiveEachOfTwoEverything(broker, own);
    }
  }

  private static void shouldGiveEachOfTwoEverything(Broker broker, PulsarClient second)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "twin").subscribe();
        Consumer<String> b = Broker.broadcast(second, topic, "all", "twin").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 10);
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
      assertNothingMore(a);
      assertNothingMore(b);
    }
  }

  @Test
  void shouldReturnToTheLowestPositionLeftBehind(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> ahead = broker.broadcast(topic, "all", "twin").subscribe();
        Consumer<String> behind = broker.broadcast(topic, "all", "twin").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(behind, 3)).isEqualTo(values(0, 3));
      assertThat(receiveAndAck(ahead, 8)).isEqualTo(values(0, 8));
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "twin").subscribe()) {
      assertThat(receiveValues(returned, 7)).isEqualTo(values(3, 10));
      assertNothingMore(returned);
    }
  }

  @Test
  void shouldLeaveTheOtherAloneWhenOneUnsubscribes(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> leaving = broker.broadcast(topic, "all", "twin").subscribe();
        Consumer<String> staying = broker.broadcast(topic, "all", "twin").subscribe()) {
      publish(broker, topic, 0, 5);
      leaving.unsubscribe();
      publish(broker, topic, 5, 10);
      assertThat(receiveAndAck(staying, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }
}
