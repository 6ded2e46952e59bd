/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** I1 for everything of a message: what its producer attached arrives with it, for each alike. */
@ExtendWith(BrokerExtension.class)
class MessageAttributesIT {

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDeliverWhatTheProducerAttached(boolean batching, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe();
        Producer<String> producer =
            broker
                .client()
                .newProducer(Schema.STRING)
                .topic(topic)
                .producerName("sensor-" + UUID.randomUUID())
                .enableBatching(batching)
                .create()) {
      MessageId id =
          producer
              .newMessage()
              .key("car-1")
              .orderingKey(new byte[] {1, 2, 3})
              .property("street", "main")
              .property("lane", "2")
              .eventTime(1_234_567_890L)
              .sequenceId(42)
              .value("seen")
              .send();

      for (Consumer<String> each : List.of(a, b)) {
        Message<String> message = receive(each, 1).get(0);
        assertThat(message.getMessageId()).isEqualByComparingTo(id);
        assertThat(message.getKey()).isEqualTo("car-1");
        assertThat(message.getOrderingKey()).containsExactly(1, 2, 3);
        assertThat(message.getProperties())
            .containsExactlyInAnyOrderEntriesOf(Map.of("street", "main", "lane", "2"));
        assertThat(message.getEventTime()).isEqualTo(1_234_567_890L);
        assertThat(message.getSequenceId()).isEqualTo(42);
        assertThat(message.getValue()).isEqualTo("seen");
        assertThat(message.getProducerName()).isEqualTo(producer.getProducerName());
        assertThat(message.getTopicName()).isEqualTo(topic);
        assertThat(message.getPublishTime()).isPositive();
      }
    }
  }

  @Test
  void shouldDeliverAnEmptyAndANullMessage(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Producer<String> producer =
            broker
                .client()
                .newProducer(Schema.STRING)
                .topic(topic)
                .enableBatching(false)
                .create()) {
      producer.send("");
      producer.newMessage().key("deleted").value(null).send();
      assertThat(receiveAndAck(a, 2)).containsExactly("", null);
      awaitBacklog(broker, topic, "all", 0);
    }
  }
}
