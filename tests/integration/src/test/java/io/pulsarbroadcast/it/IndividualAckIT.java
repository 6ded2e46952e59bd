/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I4: individual acknowledgements may come in any order and leave holes. */
@ExtendWith(BrokerExtension.class)
class IndividualAckIT {

  @Test
  void shouldRedeliverOnlyTheHolesOnReturn(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 10);
      List<Message<String>> received = receive(consumer, 10);
      for (int i : new int[] {7, 0, 5, 2}) {
        consumer.acknowledge(received.get(i));
      }
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(returned, 6))
          .containsExactly(
              "message-1", "message-3", "message-4", "message-6", "message-8", "message-9");
      assertNothingMore(returned);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldContinueWithNewMessagesAfterHoles(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 4);
      consumer.acknowledge(receive(consumer, 4).get(3));
    }
    publish(broker, topic, 4, 6);
    try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveValues(returned, 5))
          .containsExactly("message-0", "message-1", "message-2", "message-4", "message-5");
      assertNothingMore(returned);
    }
  }

  @Test
  void shouldEmptyTheBacklogInAnyOrder(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> reversed = broker.broadcast(topic, "all", "reversed").subscribe();
        Consumer<String> shuffled = broker.broadcast(topic, "all", "shuffled").subscribe()) {
      publish(broker, topic, 0, 100);
      List<Message<String>> backwards = new ArrayList<>(receive(reversed, 100));
      Collections.reverse(backwards);
      List<Message<String>> mixed = new ArrayList<>(receive(shuffled, 100));
      Collections.shuffle(mixed, new Random(4711));
      awaitBacklog(broker, topic, "all", 100);

      for (Message<String> message : backwards) {
        reversed.acknowledge(message);
      }
      for (Message<String> message : mixed) {
        shuffled.acknowledge(message);
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldTakeManyIdsInOneCommand(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 10);
      consumer.acknowledge(
          receive(consumer, 10).subList(0, 7).stream().map(Message::getMessageId).toList());
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveValues(returned, 3)).isEqualTo(values(7, 10));
      assertNothingMore(returned);
    }
  }
}
