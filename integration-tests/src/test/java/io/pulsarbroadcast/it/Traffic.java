/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;

/** Numbered messages, sent and received with stock clients. Stateless. */
final class Traffic {

  /** How long a message that should come may take. */
  private static final int RECEIVE_SECONDS = 20;

  /** How long to wait for a message that should not come. */
  private static final int SILENCE_MILLIS = 500;

  private Traffic() {}

  /** The values of the messages {@code from} to {@code to}, exclusive. */
  static List<String> values(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "message-" + i).toList();
  }

  /** Publishes {@link #values}, one entry each. */
  static List<String> publish(PulsarClient client, String topic, int from, int to)
      throws PulsarClientException {
    List<String> values = values(from, to);
    try (Producer<String> producer =
        client.newProducer(Schema.STRING).topic(topic).enableBatching(false).create()) {
      for (String value : values) {
        producer.send(value);
      }
    }
    return values;
  }

  /** The next messages; fewer when one does not come in time. */
  static List<Message<String>> receive(Consumer<String> consumer, int count)
      throws PulsarClientException {
    List<Message<String>> received = new ArrayList<>();
    while (received.size() < count) {
      Message<String> message = consumer.receive(RECEIVE_SECONDS, TimeUnit.SECONDS);
      if (message == null) {
        break;
      }
      received.add(message);
    }
    return received;
  }

  /** The values of the next messages, each acknowledged. */
  static List<String> receiveAndAck(Consumer<String> consumer, int count)
      throws PulsarClientException {
    List<Message<String>> received = receive(consumer, count);
    for (Message<String> message : received) {
      consumer.acknowledge(message);
    }
    return valuesOf(received);
  }

  static List<String> valuesOf(List<Message<String>> messages) {
    return messages.stream().map(Message::getValue).toList();
  }

  /** A message that comes though none should; null when none comes. */
  static Message<String> receiveUnexpected(Consumer<String> consumer) throws PulsarClientException {
    return consumer.receive(SILENCE_MILLIS, TimeUnit.MILLISECONDS);
  }
}
