/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;

/** Publishes and receives numbered messages with stock clients. Stateless. */
final class Messages {

  /** How long a message that should come may take. */
  private static final int RECEIVE_SECONDS = 60;

  /** How long to wait for what should not come. */
  static final Duration SILENCE = Duration.ofMillis(500);

  private Messages() {}

  /** The values {@link #publish} sends for these numbers. */
  static List<String> values(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "message-" + i).toList();
  }

  /** Publishes each message as an entry of its own; the ids in the order of the numbers. */
  static List<MessageId> publish(Broker broker, String topic, int from, int to)
      throws PulsarClientException {
    return publish(broker.client(), topic, from, to);
  }

  /** The same with a client of one's own. */
  static List<MessageId> publish(PulsarClient client, String topic, int from, int to)
      throws PulsarClientException {
    try (Producer<String> producer =
        client
            .newProducer(Schema.STRING)
            .topic(topic)
            .enableBatching(false)
            .blockIfQueueFull(true)
            .create()) {
      List<CompletableFuture<MessageId>> sent =
          values(from, to).stream().map(producer::sendAsync).toList();
      producer.flush();
      return sent.stream().map(CompletableFuture::join).toList();
    }
  }

  /** Publishes the messages in batches of exactly {@code batchSize}. */
  static void publishBatches(Broker broker, String topic, int from, int to, int batchSize)
      throws PulsarClientException {
    try (Producer<String> producer =
        broker
            .client()
            .newProducer(Schema.STRING)
            .topic(topic)
            .batchingMaxMessages(batchSize)
            .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
            .create()) {
      values(from, to).forEach(producer::sendAsync);
      producer.flush();
    }
  }

  /** Receives up to {@code count} messages without acknowledging; fewer when no more arrive. */
  static <T> List<Message<T>> receive(Consumer<T> consumer, int count)
      throws PulsarClientException {
    List<Message<T>> received = new ArrayList<>();
    while (received.size() < count) {
      Message<T> message = consumer.receive(RECEIVE_SECONDS, TimeUnit.SECONDS);
      if (message == null) {
        break;
      }
      received.add(message);
    }
    return received;
  }

  /** The values of what {@link #receive} receives. */
  static <T> List<T> receiveValues(Consumer<T> consumer, int count) throws PulsarClientException {
    return valuesOf(receive(consumer, count));
  }

  /** Receives up to {@code count} messages, acknowledging each; their values. */
  static <T> List<T> receiveAndAck(Consumer<T> consumer, int count) throws PulsarClientException {
    List<T> received = new ArrayList<>();
    while (received.size() < count) {
      Message<T> message = consumer.receive(RECEIVE_SECONDS, TimeUnit.SECONDS);
      if (message == null) {
        break;
      }
      received.add(message.getValue());
      consumer.acknowledge(message);
    }
    return received;
  }

  /** Receives and acknowledges up to a value; without it at the end when no more arrive. */
  static <T> List<T> receiveUntil(Consumer<T> consumer, T last) throws PulsarClientException {
    List<T> received = new ArrayList<>();
    while (!received.contains(last)) {
      List<T> next = receiveAndAck(consumer, 1);
      if (next.isEmpty()) {
        break;
      }
      received.addAll(next);
    }
    return received;
  }

  /** Acknowledges single messages of those received, by their indexes. */
  static <T> void acknowledge(Consumer<T> consumer, List<Message<T>> received, int... indexes)
      throws PulsarClientException {
    for (int index : indexes) {
      consumer.acknowledge(received.get(index));
    }
  }

  /** Values without those at some indexes, which ascend. */
  static <T> List<T> without(List<T> values, int... indexes) {
    List<T> left = new ArrayList<>(values);
    for (int i = indexes.length - 1; i >= 0; i--) {
      left.remove(indexes[i]);
    }
    return left;
  }

  static <T> List<T> valuesOf(List<Message<T>> messages) {
    return messages.stream().map(Message::getValue).toList();
  }

  /** A message that comes though none should; null when none comes. */
  static <T> Message<T> receiveUnexpected(Consumer<T> consumer) throws PulsarClientException {
    return consumer.receive((int) SILENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Fails when the consumer is given anything within a moment. */
  static void assertNothingMore(Consumer<?> consumer) throws PulsarClientException {
    Message<?> message = receiveUnexpected(consumer);
    assertThat(message == null ? null : message.getValue()).as("a further message").isNull();
  }
}
