/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.acknowledge;
import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Messages.without;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I2: what a consumer did not acknowledge comes again when it asks, to it alone. */
@ExtendWith(BrokerExtension.class)
class RedeliveryIT {

  @Test
  void shouldRedeliverInOrderAfterANegativeAck(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
            broker
                .atOnce(topic, "all", "a")
                .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
                .subscribe();
        Consumer<String> beside = broker.broadcast(topic, "all", "b").subscribe()) {
      publish(broker, topic, 0, 10);
      List<Message<String>> received = receive(consumer, 10);
      assertThat(receiveValues(beside, 10)).isEqualTo(values(0, 10));
      acknowledge(consumer, received, 0, 1, 5);
      consumer.negativeAcknowledge(received.get(3));

      assertThat(receiveValues(consumer, 7)).isEqualTo(without(values(0, 10), 0, 1, 5));
      assertNothingMore(consumer);
      assertNothingMore(beside);
    }
  }

  @Test
  void shouldRedeliverInOrderAfterTheAckTimeout(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
            broker
                .atOnce(topic, "all", "a")
                .ackTimeout(5, TimeUnit.SECONDS)
                .ackTimeoutTickTime(100, TimeUnit.MILLISECONDS)
                .subscribe();
        Consumer<String> beside = broker.broadcast(topic, "all", "b").subscribe()) {
      publish(broker, topic, 0, 10);
      acknowledge(consumer, receive(consumer, 10), 0, 1, 5);
      assertThat(receiveValues(beside, 10)).isEqualTo(values(0, 10));

      assertThat(receiveAndAck(consumer, 7)).isEqualTo(without(values(0, 10), 0, 1, 5));
      assertNothingMore(consumer);
      assertNothingMore(beside);
    }
  }

  @Test
  void shouldRedeliverInOrderOnRequest(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.atOnce(topic, "all", "a").subscribe();
        Consumer<String> beside = broker.broadcast(topic, "all", "b").subscribe()) {
      publish(broker, topic, 0, 10);
      acknowledge(consumer, receive(consumer, 10), 9, 4, 0);
      assertThat(receiveValues(beside, 10)).isEqualTo(values(0, 10));

      consumer.redeliverUnacknowledgedMessages();
      assertThat(receiveAndAck(consumer, 7)).isEqualTo(without(values(0, 10), 0, 4, 9));
      assertNothingMore(consumer);
      assertNothingMore(beside);
    }
  }

  @Test
  void shouldRedeliverOverAndOverUntilAcknowledged(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.atOnce(topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 50);
      for (int round = 0; round < 5; round++) {
        assertThat(receiveValues(consumer, 50)).isEqualTo(values(0, 50));
        consumer.redeliverUnacknowledgedMessages();
      }
      assertThat(receiveAndAck(consumer, 50)).isEqualTo(values(0, 50));
      consumer.redeliverUnacknowledgedMessages();
      publish(broker, topic, 50, 51);
      assertThat(receiveValues(consumer, 1)).isEqualTo(values(50, 51));
    }
  }

  @Test
  void shouldRedeliverWhatWaitsInTheReceiverQueueOnce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
        broker.atOnce(topic, "all", "a").receiverQueueSize(20).subscribe()) {
      publish(broker, topic, 0, 100);
      acknowledge(consumer, receive(consumer, 3), 0, 1);

      consumer.redeliverUnacknowledgedMessages();
      assertThat(receiveAndAck(consumer, 98)).isEqualTo(values(2, 100));
      assertNothingMore(consumer);
    }
  }
}
