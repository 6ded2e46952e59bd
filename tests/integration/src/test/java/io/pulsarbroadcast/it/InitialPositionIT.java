/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1: from where on a consumer that is new counts as registered. */
@ExtendWith(BrokerExtension.class)
class InitialPositionIT {

  @Test
  void shouldGiveTheFirstConsumerEverythingWithEarliest(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 10);
    try (Consumer<String> consumer =
        broker
            .broadcast(topic, "all", "a")
            .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
            .subscribe()) {
      assertThat(receiveValues(consumer, 10)).isEqualTo(values(0, 10));
      assertNothingMore(consumer);
    }
  }

  @Test
  void shouldGiveTheFirstConsumerWhatIsNewWithLatest(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 10);
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "a").subscribe()) {
      publish(broker, topic, 10, 15);
      assertThat(receiveValues(consumer, 5)).isEqualTo(values(10, 15));
      assertNothingMore(consumer);
    }
  }

  @Test
  void shouldGiveANewNameWhatIsNewWithLatest(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> first = broker.broadcast(topic, "all", "first").subscribe()) {
      publish(broker, topic, 0, 10);
      try (Consumer<String> second = broker.broadcast(topic, "all", "second").subscribe()) {
        publish(broker, topic, 10, 15);
        assertThat(receiveValues(second, 5)).isEqualTo(values(10, 15));
        assertNothingMore(second);
        assertThat(receiveValues(first, 15)).isEqualTo(values(0, 15));
      }
    }
  }

  @Test
  void shouldContinueFromItsPositionWhateverTheInitialPositionOfAReturningName(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> other = broker.broadcast(topic, "all", "other").subscribe()) {
      broker.broadcast(topic, "all", "car").subscribe().close();
      publish(broker, topic, 0, 10);
      try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
        assertThat(receiveValues(returned, 10)).isEqualTo(values(0, 10));
        assertThat(receiveValues(other, 10)).isEqualTo(values(0, 10));
      }
    }
  }
}
