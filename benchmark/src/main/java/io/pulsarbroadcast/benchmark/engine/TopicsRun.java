/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.server.Broker;
import io.pulsarbroadcast.benchmark.server.MemoryReading;
import io.pulsarbroadcast.client.ManyConsumers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.common.naming.TopicName;

/**
 * Many topics with a few stock consumers each: connects them, asks for metrics, leaves them idle,
 * unloads all topics, and sends each topic a message. One thread may call it, once.
 */
public final class TopicsRun {
  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final int PUBLISHED_AT_ONCE = 200;
  private static final byte[] MESSAGE = new byte[100];

  /** How the consumers of a topic each get every message. */
  public enum Series {
    /** One Broadcast subscription. */
    broadcast {
      @Override
      void prepare(ConsumerBuilder<byte[]> consumer, int index) {
        consumer
            .subscriptionName("topics")
            .consumerName("consumer-" + index)
            .property(LoadConfig.TYPE_PROPERTY, LoadConfig.BROADCAST);
      }
    },
    /** An Exclusive subscription each. */
    exclusive {
      @Override
      void prepare(ConsumerBuilder<byte[]> consumer, int index) {
        consumer.subscriptionName("topics-" + index);
      }
    };

    abstract void prepare(ConsumerBuilder<byte[]> consumer, int index);
  }

  /**
   * The load.
   *
   * @param warmup topics that are connected before, and not counted
   * @param consumers per topic
   */
  public record Load(int topics, int warmup, int consumers, int idleSeconds) {}

  /**
   * What it cost.
   *
   * @param connect until all consumers were subscribed
   * @param connected what they took
   * @param metrics the broker's answer about all topics
   * @param idle while nothing happened
   * @param reload from when all topics were unloaded until all consumers were connected again
   * @param expected messages of all consumers
   */
  public record Result(
      CpuSpent connect,
      Connected connected,
      Metrics metrics,
      CpuSpent idle,
      CpuSpent reload,
      long expected,
      long received) {}

  /**
   * What the topics took.
   *
   * @param heapBytes of live objects in the broker that they added
   * @param metadataWrites that the broker made
   */
  public record Connected(long heapBytes, long metadataWrites) {}

  /** An answer of /metrics. */
  public record Metrics(long nanos, long lines) {}

  private final Load load;
  private final Series series;
  private final RunListener listener;
  private final AtomicLong received = new AtomicLong();

  public TopicsRun(Load load, Series series, RunListener listener) {
    this.load = load;
    this.series = series;
    this.listener = listener;
  }

  /**
   * Runs it.
   *
   * @param prefix how the names of its topics begin, in a namespace of which nobody else has topics
   */
  public Result execute(Broker broker, String prefix) throws IOException, InterruptedException {
    try (PulsarClient client =
        ManyConsumers.prepare(PulsarClient.builder().serviceUrl(broker.serviceUrl())).build()) {
      List<String> early = topics(prefix, 0, load.warmup);
      List<String> counted = topics(prefix, load.warmup, load.warmup + load.topics);
      List<Consumer<byte[]>> consumers = new ArrayList<>(subscribe(client, early));
      long heapBefore = MemoryReading.of(broker).heap().totalBytes();
      long writesBefore = metadataWrites(broker);
      CpuClock clock = new CpuClock(broker.process());
      consumers.addAll(subscribe(client, counted));
      CpuSpent connect = clock.spent();
      Connected connected =
          new Connected(
              MemoryReading.of(broker).heap().totalBytes() - heapBefore,
              metadataWrites(broker) - writesBefore);
      Metrics metrics = metrics(broker);
      CpuSpent idle = CpuSpent.idle(broker, load.idleSeconds, listener);
      CpuSpent reload = reload(broker, TopicName.get(prefix).getNamespace(), consumers);
      long expected = (long) load.topics * load.consumers;
      publish(client, counted, expected);
      return new Result(connect, connected, metrics, idle, reload, expected, received.get());
    }
  }

  private static List<String> topics(String prefix, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> prefix + "-" + i).toList();
  }

  private List<Consumer<byte[]>> subscribe(PulsarClient client, List<String> topics)
      throws PulsarClientException {
    int count = topics.size() * load.consumers;
    listener.phaseStarted("connect", count);
    List<Consumer<byte[]>> consumers =
        ManyConsumers.subscribe(
            count, i -> consumer(client, topics.get(i / load.consumers), i % load.consumers));
    listener.phaseEnded();
    return consumers;
  }

  private ConsumerBuilder<byte[]> consumer(PulsarClient client, String topic, int index) {
    ConsumerBuilder<byte[]> builder =
        client
            .newConsumer()
            .topic(topic)
            .messageListener(
                (consumer, message) -> {
                  consumer.acknowledgeAsync(message);
                  received.incrementAndGet();
                });
    series.prepare(builder, index);
    return ManyConsumers.prepare(builder);
  }

  private static long metadataWrites(Broker broker) throws IOException, InterruptedException {
    return (long) broker.metrics().sum("pulsar_metadata_store_ops_latency_ms_count", "type", "put");
  }

  private static Metrics metrics(Broker broker) throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    String answer = broker.get("/metrics/");
    return new Metrics(System.nanoTime() - startNanos, answer.lines().count());
  }

  private CpuSpent reload(Broker broker, String namespace, List<Consumer<byte[]>> consumers)
      throws IOException, InterruptedException {
    CpuClock clock = new CpuClock(broker.process());
    listener.phaseStarted("reload", consumers.size());
    broker.unloadNamespace(namespace);
    Drain.await(
        consumers.size(),
        () -> consumers.stream().filter(Consumer::isConnected).count(),
        LIMIT_NANOS,
        listener);
    listener.phaseEnded();
    return clock.spent();
  }

  private void publish(PulsarClient client, List<String> topics, long expected)
      throws InterruptedException {
    listener.phaseStarted("publish", expected);
    for (int from = 0; from < topics.size(); from += PUBLISHED_AT_ONCE) {
      topics.subList(from, Math.min(topics.size(), from + PUBLISHED_AT_ONCE)).stream()
          .map(topic -> publish(client, topic))
          .toList()
          .forEach(CompletableFuture::join);
      listener.progress(received.get());
    }
    Drain.await(expected, received::get, LIMIT_NANOS, listener);
    listener.phaseEnded();
  }

  private static CompletableFuture<Void> publish(PulsarClient client, String topic) {
    return client
        .newProducer()
        .topic(topic)
        .createAsync()
        .thenCompose(
            producer -> producer.sendAsync(MESSAGE).thenCompose(sent -> producer.closeAsync()))
        // It will be missing.
        .exceptionally(e -> null);
  }
}
