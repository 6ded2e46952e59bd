/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.ConsumerImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1, I2 and I4 across lost connections and unloaded topics. */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ReconnectIT {

  @Test
  void shouldRedeliverUnacknowledgedInOrderAfterTheConnectionWasLost(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient own = broker.newClient();
        Consumer<String> consumer = atOnce(own, topic, "a").subscribe();
        Consumer<String> beside = broker.broadcast(topic, "all", "b").subscribe()) {
      publish(broker, topic, 0, 10);
      List<Message<String>> received = receive(consumer, 10);
      assertThat(receiveValues(beside, 10)).isEqualTo(values(0, 10));
      consumer.acknowledgeCumulative(received.get(2));
      consumer.acknowledge(received.get(6));

      ((ConsumerImpl<String>) consumer).getClientCnx().ctx().close();
      assertThat(receiveValues(consumer, 6))
          .containsExactly(
              "message-3", "message-4", "message-5", "message-7", "message-8", "message-9");
      assertNothingMore(consumer);
      assertNothingMore(beside);
    }
  }

  @Test
  void shouldRedeliverUnacknowledgedInOrderAfterTheTopicWasUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = atOnce(broker.client(), topic, "a").subscribe()) {
      publish(broker, topic, 0, 10);
      consumer.acknowledgeCumulative(receive(consumer, 10).get(2));

      broker.admin().topics().unload(topic);
      assertThat(receiveValues(consumer, 7)).isEqualTo(values(3, 10));
      assertNothingMore(consumer);
    }
  }

  @Test
  void shouldMissNothingOfConsumersAtDifferentPlacesWhenTheTopicIsUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> slow = atOnce(broker.client(), topic, "slow").subscribe();
        Consumer<String> fast = atOnce(broker.client(), topic, "fast").subscribe()) {
      publish(broker, topic, 0, 10);
      slow.acknowledgeCumulative(receive(slow, 10).get(2));
      fast.acknowledgeCumulative(receive(fast, 10).get(9));

      broker.admin().topics().unload(topic);
      publish(broker, topic, 10, 15);
      assertThat(receiveValues(slow, 12)).isEqualTo(values(3, 15));
      assertNothingMore(slow);
      assertThat(receiveUntil(fast, "message-14")).containsSubsequence(values(10, 15));
    }
  }

  @Test
  void shouldDeliverEverythingInOrderWhileTheTopicIsUnloadedUnderLoad(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      for (int round = 0; round < 5; round++) {
        publish(broker, topic, round * 100, round * 100 + 100);
        assertThat(receiveAndAck(a, 10)).hasSize(10);
        broker.admin().topics().unload(topic);
      }
      publish(broker, topic, 500, 501);
      assertThat(receiveUntil(b, "message-500")).containsExactlyElementsOf(values(0, 501));
      assertThat(receiveUntil(a, "message-500")).containsSubsequence(values(100, 501));
    }
  }

  private static ConsumerBuilder<String> atOnce(PulsarClient client, String topic, String name) {
    return Broker.broadcast(client, topic, "all", name)
        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
        .isAckReceiptEnabled(true);
  }

  /** What arrives up to a value, each value where it came first. */
  private static Set<String> receiveUntil(Consumer<String> consumer, String last) throws Exception {
    Set<String> received = new LinkedHashSet<>();
    while (!received.contains(last)) {
      List<String> next = receiveAndAck(consumer, 1);
      if (next.isEmpty()) {
        break;
      }
      received.addAll(next);
    }
    return received;
  }
}
