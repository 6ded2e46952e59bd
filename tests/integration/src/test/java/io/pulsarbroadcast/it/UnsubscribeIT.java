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
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I3: unsubscribe drops the caller's position and nothing else; close drops none. */
@ExtendWith(BrokerExtension.class)
class UnsubscribeIT {

  @Test
  void shouldDropTheCallersPositionOnly(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> leaving = broker.broadcast(topic, "all", "leaving").subscribe();
        Consumer<String> staying = broker.broadcast(topic, "all", "staying").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(staying, 6)).isEqualTo(values(0, 6));
      awaitBacklog(broker, topic, "all", 10);

      leaving.unsubscribe();
      awaitBacklog(broker, topic, "all", 4);
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(staying, 6)).isEqualTo(values(6, 12));
    }
  }

  @Test
  void shouldForgetTheNameOfTheCaller(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> staying = broker.broadcast(topic, "all", "staying").subscribe()) {
      Consumer<String> leaving = broker.broadcast(topic, "all", "leaving").subscribe();
      publish(broker, topic, 0, 10);
      leaving.unsubscribe();
      try (Consumer<String> stranger = broker.broadcast(topic, "all", "leaving").subscribe()) {
        publish(broker, topic, 10, 11);
        assertThat(receiveValues(stranger, 1)).isEqualTo(values(10, 11));
        assertThat(receiveValues(staying, 11)).isEqualTo(values(0, 11));
      }
    }
  }

  @Test
  void shouldRemoveTheSubscriptionWithTheLastPosition(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> first = broker.broadcast(topic, "all", "first").subscribe();
    Consumer<String> last = broker.broadcast(topic, "all", "last").subscribe();
    first.unsubscribe();
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("all");
    last.unsubscribe();
    assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty();
  }

  @Test
  void shouldKeepTheSubscriptionForAConsumerThatOnlyClosed(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "closed").subscribe().close();
    Consumer<String> last = broker.broadcast(topic, "all", "last").subscribe();
    publish(broker, topic, 0, 10);
    last.unsubscribe();
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("all");
    try (Consumer<String> returned = broker.broadcast(topic, "all", "closed").subscribe()) {
      assertThat(receiveValues(returned, 10)).isEqualTo(values(0, 10));
      assertNothingMore(returned);
    }
  }

  /** I1: the subscription that ends with the last does not end with the next. */
  @Test
  void shouldServeWhoComesWhileTheLastLeaves(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> last = broker.broadcast(topic, "all", "car-0").subscribe();
    for (int round = 1; round <= 30; round++) {
      CompletableFuture<Void> left = last.unsubscribeAsync();
      Consumer<String> next = broker.broadcast(topic, "all", "car-" + round).subscribe();
      left.get();
      publish(broker, topic, round, round + 1);
      assertThat(receiveValues(next, 1)).as("I1").isEqualTo(values(round, round + 1));
      last = next;
    }
    last.close();
  }

  @Test
  void shouldLetTheSubscriptionBeMadeAnew(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Consumer<String> before = broker.broadcast(topic, "all", "car").subscribe();
    publish(broker, topic, 0, 10);
    before.unsubscribe();
    try (Consumer<String> after = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 10, 15);
      assertThat(receiveValues(after, 5)).isEqualTo(values(10, 15));
      assertNothingMore(after);
    }
  }
}
