/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 for messages that are larger than a chunk: every consumer puts every one together. */
@ExtendWith(BrokerExtension.class)
class ChunkedIT {

  private static final int CHUNK_BYTES = 10_000;
  private static final int MESSAGE_CHARS = 95_000;

  @Test
  void shouldDeliverChunkedMessagesToEveryConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b =
            broker
                .broadcast(topic, "all", "b")
                .receiverQueueSize(3)
                .subscriptionType(SubscriptionType.Shared)
                .subscribe()) {
      publishChunked(broker, topic, 0, 5);
      assertThat(receiveAndAck(a, 5)).isEqualTo(large(0, 5));
      assertThat(receiveAndAck(b, 5)).isEqualTo(large(0, 5));
      assertNothingMore(a);
      assertNothingMore(b);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldDeliverChunkedMessagesAgainFromTheFirstChunk(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      try (Consumer<String> leaving = broker.broadcast(topic, "all", "car").subscribe()) {
        publishChunked(broker, topic, 0, 5);
        assertThat(receiveAndAck(leaving, 2)).isEqualTo(large(0, 2));
      }
      try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
        assertThat(receiveAndAck(returned, 3)).isEqualTo(large(2, 5));
        returned.redeliverUnacknowledgedMessages();
        assertNothingMore(returned);
      }
      assertThat(receiveValues(beside, 5)).isEqualTo(large(0, 5));
      beside.redeliverUnacknowledgedMessages();
      assertThat(receiveAndAck(beside, 5)).isEqualTo(large(0, 5));
    }
    awaitBacklog(broker, topic, "all", 0);
  }

  private static void publishChunked(Broker broker, String topic, int from, int to)
      throws PulsarClientException {
    try (Producer<String> producer =
        broker
            .client()
            .newProducer(Schema.STRING)
            .topic(topic)
            .enableBatching(false)
            .enableChunking(true)
            .chunkMaxMessageSize(CHUNK_BYTES)
            .create()) {
      for (String value : large(from, to)) {
        producer.send(value);
      }
    }
  }

  private static List<String> large(int from, int to) {
    return values(from, to).stream()
        .map(value -> (value + " ").repeat(MESSAGE_CHARS / value.length()))
        .toList();
  }
}
