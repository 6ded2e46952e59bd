/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.containers.CountingConsumer.Acknowledging;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SizeUnit;
import org.apache.pulsar.common.policies.data.SubscriptionStats;

/**
 * Numbered messages that are published to one topic all the time, and consumers of a Broadcast
 * subscription to it that count and acknowledge them. One thread calls it.
 */
final class TopicLoad implements AutoCloseable {

  static final String SUBSCRIPTION = "alerts";

  /**
   * A consumer that is there before the first message and after the last. It holds the
   * subscription's position, which else would be where the others start after a crash, whatever is
   * stored of theirs.
   */
  private static final String AWAY = "away";

  private static final int CONSUMERS_PER_CLIENT = 5;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final String serviceUrl;
  private final String topic;
  private final int messagesPerSecond;
  private final List<CountingConsumer> consumers = new ArrayList<>();
  private final List<PulsarClient> clients = new ArrayList<>();
  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger confirmed = new AtomicInteger();
  private final Thread publisher;
  private volatile boolean stopped;

  /** Of a topic that exists; the first consumer subscribes and leaves, to return at the end. */
  TopicLoad(String serviceUrl, String topic, int messagesPerSecond) throws PulsarClientException {
    this.serviceUrl = serviceUrl;
    this.topic = topic;
    this.messagesPerSecond = messagesPerSecond;
    this.publisher = new Thread(this::publish, "load of " + topic);
    try (PulsarClient client = newClient()) {
      subscribe(client, AWAY, new CountingConsumer(Acknowledging.INDIVIDUALLY));
    }
  }

  String topic() {
    return topic;
  }

  /** Connects consumers as applications with the stock client do. */
  void addStockConsumers(int count, Acknowledging acknowledging) throws PulsarClientException {
    for (int i = 0; i < count; i++) {
      subscribe(client(i), "stock-" + consumers.size(), newConsumer(acknowledging));
    }
  }

  /** Connects consumers through the extension. */
  void addExtensionConsumers(int count) throws PulsarClientException {
    for (int i = 0; i < count; i++) {
      BroadcastClient.wrap(client(i))
          .newConsumer(Schema.INT32)
          .topic(topic)
          .subscriptionName(SUBSCRIPTION)
          .subscriptionType(SubscriptionType.Broadcast)
          .consumerName("extension-" + consumers.size())
          .isAckReceiptEnabled(true)
          .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
          .messageListener(newConsumer(Acknowledging.INDIVIDUALLY))
          .subscribe();
    }
  }

  /** None groups its acknowledgements: a client that does reports those made offline as done. */
  private void subscribe(PulsarClient client, String name, CountingConsumer listener)
      throws PulsarClientException {
    client
        .newConsumer(Schema.INT32)
        .topic(topic)
        .subscriptionName(SUBSCRIPTION)
        .property("pulsar.subscription.type", "Broadcast")
        .consumerName(name)
        .isAckReceiptEnabled(true)
        .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
        .messageListener(listener)
        .subscribe();
  }

  private CountingConsumer newConsumer(Acknowledging acknowledging) {
    CountingConsumer consumer = new CountingConsumer(acknowledging);
    consumers.add(consumer);
    return consumer;
  }

  /** A new client for every few consumers, so that several share one connection. */
  private PulsarClient client(int consumer) throws PulsarClientException {
    if (consumer % CONSUMERS_PER_CLIENT == 0) {
      clients.add(newClient());
    }
    return clients.get(clients.size() - 1);
  }

  private PulsarClient newClient() throws PulsarClientException {
    return PulsarClient.builder()
        .serviceUrl(serviceUrl)
        .memoryLimit(16, SizeUnit.MEGA_BYTES)
        .maxBackoffInterval(1, TimeUnit.SECONDS)
        .build();
  }

  /** Begins to publish. */
  void start() {
    publisher.start();
  }

  /** Publishes until told to stop; what is under way when a broker goes is sent again. */
  private void publish() {
    try (PulsarClient client = newClient();
        Producer<Integer> producer =
            client
                .newProducer(Schema.INT32)
                .topic(topic)
                .enableBatching(false)
                .sendTimeout(0, TimeUnit.SECONDS)
                .blockIfQueueFull(true)
                .create()) {
      long startNanos = System.nanoTime();
      while (!stopped) {
        long due = (System.nanoTime() - startNanos) * messagesPerSecond / 1_000_000_000L;
        while (sent.get() < due) {
          producer.sendAsync(sent.getAndIncrement()).thenRun(confirmed::incrementAndGet);
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
      producer.flush();
    } catch (PulsarClientException | InterruptedException e) {
      throw new IllegalStateException("Publishing failed", e);
    }
  }

  /** Returns when every consumer has that many messages of those that are sent from now on. */
  void awaitMore(int count) {
    awaitDelivered(sent.get() + count);
  }

  private void awaitDelivered(int count) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(consumers.stream().mapToInt(CountingConsumer::count).min().orElse(0))
                    .as("messages that the slowest consumer of %s has received", topic)
                    .isGreaterThanOrEqualTo(count));
  }

  /** The topic moves now: what comes again from here on is booked on these. */
  List<CountingConsumer.Move> moving() {
    return consumers.stream().map(CountingConsumer::moving).toList();
  }

  /** Deliveries that were repeated, over all consumers. */
  int again() {
    return consumers.stream().mapToInt(CountingConsumer::again).sum();
  }

  /** Messages left unacknowledged on purpose, over all consumers. */
  int holes() {
    return consumers.stream().mapToInt(CountingConsumer::holes).sum();
  }

  int consumers() {
    return consumers.size();
  }

  int sent() {
    return sent.get();
  }

  /**
   * Stops publishing, has the consumer return that was away, and checks that everybody, that one
   * included, gets every message, for the first time in order, that nearly each has a receipt, and
   * that nobody else's position is left to hold the backlog.
   */
  void stopAndCheckNothingIsLost(PulsarAdmin admin)
      throws PulsarClientException, InterruptedException {
    stopped = true;
    publisher.join();
    subscribe(clients.get(0), AWAY, newConsumer(Acknowledging.INDIVIDUALLY));
    int expected = confirmed.get();
    assertThat(expected).as("messages sent to %s", topic).isEqualTo(sent.get());
    awaitDelivered(expected);
    assertThat(consumers).allSatisfy(consumer -> assertThat(consumer.outOfOrder()).isZero());
    consumers.forEach(CountingConsumer::closeHoles);
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(consumers)
                    .as("what is said of receipts is said of nearly all messages")
                    .allSatisfy(c -> assertThat(c.receipts()).isGreaterThan(expected / 2)));
    await()
        .atMost(TIMEOUT)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              SubscriptionStats stats =
                  admin.topics().getStats(topic).getSubscriptions().get(SUBSCRIPTION);
              assertThat(stats.getConsumers()).hasSameSizeAs(consumers);
              assertThat(stats.getMsgBacklog()).as("backlog of %s", topic).isZero();
            });
  }

  @Override
  public void close() throws PulsarClientException {
    stopped = true;
    for (PulsarClient client : clients) {
      client.close();
    }
  }
}
