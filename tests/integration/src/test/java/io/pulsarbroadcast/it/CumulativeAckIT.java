/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I4: a returning consumer continues after what it acknowledged cumulatively, and only that. */
@ExtendWith(BrokerExtension.class)
class CumulativeAckIT {

  @Test
  void shouldContinueAfterTheAcknowledgedMessageOnReturn(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 10);
      consumer.acknowledgeCumulative(receive(consumer, 10).get(3));
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveValues(returned, 6)).isEqualTo(values(4, 10));
      assertNothingMore(returned);
    }
  }

  @Test
  void shouldIncludeIndividualAcksNextToIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 10);
      List<Message<String>> received = receive(consumer, 10);
      consumer.acknowledge(received.get(5));
      consumer.acknowledge(received.get(6));
      consumer.acknowledge(received.get(8));
      consumer.acknowledgeCumulative(received.get(4));
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveValues(returned, 2)).containsExactly("message-7", "message-9");
      assertNothingMore(returned);
    }
  }

  @Test
  void shouldLeaveTheOthersPositionsAlone(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe();
        Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      publish(broker, topic, 0, 10);
      fast.acknowledgeCumulative(receive(fast, 10).get(9));
      slow.acknowledgeCumulative(receive(slow, 10).get(1));
    }
    try (Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe();
        Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      assertThat(receiveValues(slow, 8)).isEqualTo(values(2, 10));
      assertNothingMore(slow);
      assertNothingMore(fast);
    }
  }
}
