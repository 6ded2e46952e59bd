/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I2: every message reaches every consumer, in order, with the stock Java client. */
@ExtendWith(BrokerExtension.class)
class OrderedDeliveryIT {

  @Test
  void shouldDeliverEveryMessageToEveryConsumerInOrder(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    List<Consumer<String>> consumers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      consumers.add(broker.broadcast(topic, "all", "consumer-" + i).subscribe());
    }
    List<String> sent = publish(broker, topic, 0, 100);

    for (Consumer<String> consumer : consumers) {
      assertThat(receiveAndAck(consumer, 100)).isEqualTo(sent);
      assertThat(consumer.receive(100, TimeUnit.MILLISECONDS)).isNull();
    }
    for (Consumer<String> consumer : consumers) {
      consumer.close();
    }
  }

  static List<String> publish(Broker broker, String topic, int from, int to)
      throws PulsarClientException {
    List<String> values = IntStream.range(from, to).mapToObj(i -> "message-" + i).toList();
    try (Producer<String> producer =
        broker.client().newProducer(Schema.STRING).topic(topic).enableBatching(false).create()) {
      for (String value : values) {
        producer.send(value);
      }
    }
    return values;
  }

  static List<String> receiveAndAck(Consumer<String> consumer, int count)
      throws PulsarClientException {
    List<String> received = new ArrayList<>();
    while (received.size() < count) {
      Message<String> message = consumer.receive(60, TimeUnit.SECONDS);
      if (message == null) {
        break;
      }
      received.add(message.getValue());
      consumer.acknowledge(message);
    }
    return received;
  }
}
