/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.client.OrderedListenerExecutor;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * One stock Broadcast consumer on each of many topics, whose listener waits a while for every
 * message, as for a service. One thread may call it.
 */
public final class ListenerRun {
  /** Of the smallest message: when it was due, its number within its key, and the key. */
  public static final int MIN_MESSAGE_BYTES = 2 * Long.BYTES + Integer.BYTES;

  /** For as long as it is worth: who cannot keep up has a queue. */
  private static final long DRAIN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * The load.
   *
   * @param topics with a consumer and a producer each
   * @param keys of each topic's messages
   * @param messagesPerSecond of each topic
   * @param delayMillis which the listener waits
   * @param warmupSeconds that are counted but not timed
   * @param seconds that are timed
   */
  public record Settings(
      int topics,
      int keys,
      double messagesPerSecond,
      int delayMillis,
      int messageBytes,
      int warmupSeconds,
      int seconds) {
    int messages() {
      return (int) Math.round(topics * messagesPerSecond * (warmupSeconds + seconds));
    }

    int warmupMessages() {
      return (int) Math.round(topics * messagesPerSecond * warmupSeconds);
    }
  }

  /**
   * What became of it.
   *
   * @param endToEndMicros from when a message was due to the end of its listener's wait
   * @param published acknowledged by the broker
   * @param handled whose listener has returned; each counts once
   * @param outOfOrder that came other than after the one before of their key
   * @param mostThreads platform threads of this process, the generator's included
   * @param liveHeapBytes of this process when the last message had been published
   * @param cpuMillis of this process in the timed part
   */
  public record Result(
      Histogram endToEndMicros,
      long published,
      long handled,
      long outOfOrder,
      int mostThreads,
      long liveHeapBytes,
      long cpuMillis) {
    /** Whether every message was handled once and in order. */
    public boolean isComplete() {
      return handled == published && outOfOrder == 0;
    }
  }

  private final Settings load;
  private final ListenerThreads threads;
  private final RunListener listener;
  private final Random random = new Random();
  private final List<AtomicLongArray> nextOfKeys = new ArrayList<>();
  private final Histogram endToEndMicros =
      new ConcurrentHistogram(Histograms.MAX_MICROS, Histograms.DIGITS);
  private final AtomicLong published = new AtomicLong();
  private final AtomicLong handled = new AtomicLong();
  private final AtomicLong outOfOrder = new AtomicLong();
  private volatile long timedFromNanos;

  public ListenerRun(Settings load, ListenerThreads threads, RunListener listener) {
    this.load = load;
    this.threads = threads;
    this.listener = listener;
    for (int i = 0; i < load.topics; i++) {
      nextOfKeys.add(new AtomicLongArray(load.keys));
    }
  }

  /**
   * Runs it.
   *
   * @param topics new ones, of which nobody else knows
   */
  public Result execute(String serviceUrl, List<String> topics)
      throws PulsarClientException, InterruptedException {
    ManagementFactory.getThreadMXBean().resetPeakThreadCount();
    List<OrderedListenerExecutor> executors = new ArrayList<>();
    try (PulsarClient client = client(serviceUrl, load.topics);
        PulsarClient producerClient = client(serviceUrl, 1)) {
      List<CompletableFuture<Consumer<byte[]>>> consumers =
          IntStream.range(0, load.topics)
              .mapToObj(i -> consumer(client, topics.get(i), i, executors).subscribeAsync())
              .toList();
      consumers.forEach(CompletableFuture::join);
      List<CompletableFuture<Producer<byte[]>>> producers =
          topics.stream()
              .map(topic -> producerClient.newProducer().topic(topic).enableBatching(false))
              .map(builder -> builder.blockIfQueueFull(true).createAsync())
              .toList();
      return measure(producers.stream().map(CompletableFuture::join).toList());
    } finally {
      executors.forEach(OrderedListenerExecutor::close);
    }
  }

  private static PulsarClient client(String serviceUrl, int listenerThreads)
      throws PulsarClientException {
    return PulsarClient.builder()
        .serviceUrl(serviceUrl)
        .listenerThreads(listenerThreads)
        .statsInterval(0, TimeUnit.SECONDS)
        .build();
  }

  private ConsumerBuilder<byte[]> consumer(
      PulsarClient client, String topic, int index, List<OrderedListenerExecutor> executors) {
    ConsumerBuilder<byte[]> builder =
        client
            .newConsumer()
            .topic(topic)
            .subscriptionName("listeners")
            .consumerName("consumer-" + index)
            .property(LoadConfig.TYPE_PROPERTY, LoadConfig.BROADCAST)
            .messageListener((consumer, message) -> handle(consumer, message, index));
    Optional<OrderedListenerExecutor> executor = threads.executor("listener-" + index);
    executor.ifPresent(executors::add);
    executor.ifPresent(builder::messageListenerExecutor);
    return builder;
  }

  private void handle(Consumer<byte[]> consumer, Message<byte[]> message, int index) {
    ByteBuffer payload = ByteBuffer.wrap(message.getData());
    long dueNanos = payload.getLong();
    long number = payload.getLong();
    int key = payload.getInt();
    if (!nextOfKeys.get(index).compareAndSet(key, number, number + 1)) {
      outOfOrder.incrementAndGet();
    }
    try {
      Thread.sleep(load.delayMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return; // the run is over
    }
    if (dueNanos - timedFromNanos >= 0) {
      Histograms.recordSince(endToEndMicros, dueNanos);
    }
    consumer.acknowledgeAsync(message);
    handled.incrementAndGet();
  }

  private Result measure(List<Producer<byte[]>> producers) throws InterruptedException {
    int messages = load.messages();
    Schedule schedule =
        new Schedule(System.nanoTime() + LEAD_NANOS, load.topics * load.messagesPerSecond);
    timedFromNanos = schedule.intendedNanos(load.warmupMessages());
    long[][] next = new long[load.topics][load.keys];
    CpuClock cpu = new CpuClock(Optional.empty());
    listener.phaseStarted(threads + " threads", messages);
    try {
      for (int i = 0; i < messages; i++) {
        if (i == load.warmupMessages()) {
          cpu = new CpuClock(Optional.empty());
        }
        long dueNanos = schedule.intendedNanos(i);
        Schedule.awaitTime(dueNanos);
        int topic = i % load.topics;
        int key = random.nextInt(load.keys);
        publish(producers.get(topic), dueNanos, next[topic][key]++, key);
        if (topic == 0) {
          listener.progress(handled.get());
        }
      }
      long cpuMillis = cpu.ownMillis();
      long liveHeapBytes = OwnHeap.liveBytes();
      Drain.await(messages, handled::get, DRAIN_LIMIT_NANOS, listener);
      return new Result(
          endToEndMicros,
          published.get(),
          handled.get(),
          outOfOrder.get(),
          ManagementFactory.getThreadMXBean().getPeakThreadCount(),
          liveHeapBytes,
          cpuMillis);
    } finally {
      listener.phaseEnded();
    }
  }

  private void publish(Producer<byte[]> producer, long dueNanos, long number, int key) {
    byte[] payload = new byte[load.messageBytes];
    ByteBuffer.wrap(payload).putLong(dueNanos).putLong(number).putInt(key);
    producer
        .newMessage()
        .key("key-" + key)
        .value(payload)
        .sendAsync()
        .thenRun(published::incrementAndGet);
  }
}
