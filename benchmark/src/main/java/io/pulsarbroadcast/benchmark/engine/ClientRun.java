/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import static io.pulsarbroadcast.benchmark.engine.Load.SEND_TIMEOUT;

import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.server.Broker;
import io.pulsarbroadcast.benchmark.server.MemoryReading;
import io.pulsarbroadcast.client.ManyConsumers;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;

/**
 * Many stock Broadcast consumers of one topic in this JVM: connects them, leaves them idle, and
 * publishes to all. One thread may call it, once.
 */
public final class ClientRun {
  private static final int RUN = 1;
  private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long DRAIN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  /**
   * The load.
   *
   * @param idleSeconds between connecting and the first message
   * @param warmup messages that are not timed, of all
   */
  public record Load(
      int consumers,
      int idleSeconds,
      int messageBytes,
      double messagesPerSecond,
      int messages,
      int warmup) {}

  /**
   * What it cost. CPU is that of this process, and includes the publisher.
   *
   * @param connected what the consumers took before any message
   * @param idle CPU while nothing happened
   * @param timed CPU from the first timed message until all had arrived
   * @param endToEndMicros from when a message was due until a listener had it, of timed ones
   * @param published acknowledged by the broker
   * @param received by listeners
   * @param outOfOrder that came other than after the one before of their consumer
   */
  public record Result(
      Connected connected,
      CpuSpent idle,
      CpuSpent timed,
      Histogram endToEndMicros,
      int published,
      long received,
      long outOfOrder) {}

  /**
   * What the consumers took before any message.
   *
   * @param nanos until the last one was subscribed
   * @param heapBytes of live objects that they added
   * @param brokerHeapBytes the same in the broker
   * @param threads of this process
   */
  public record Connected(long nanos, long heapBytes, long brokerHeapBytes, int threads) {}

  private final Load load;
  private final ClientSettings settings;
  private final RunListener listener;
  private final AtomicIntegerArray next;
  private final AtomicLong received = new AtomicLong();
  private final AtomicLong outOfOrder = new AtomicLong();
  private final Histogram endToEndMicros =
      new ConcurrentHistogram(Histograms.MAX_MICROS, Histograms.DIGITS);

  public ClientRun(Load load, ClientSettings settings, RunListener listener) {
    this.load = load;
    this.settings = settings;
    this.listener = listener;
    this.next = new AtomicIntegerArray(load.consumers);
  }

  /**
   * Runs it.
   *
   * @param topic a new one, of which nobody else knows
   */
  public Result execute(Broker broker, String topic) throws IOException, InterruptedException {
    try (Publisher publisher =
        new Publisher(broker.serviceUrl(), topic, RUN, load.messageBytes, SEND_TIMEOUT)) {
      long brokerHeapBefore = brokerHeapBytes(broker);
      long heapBefore = OwnHeap.liveBytes();
      ClientBuilder builder = PulsarClient.builder().serviceUrl(broker.serviceUrl());
      settings.prepare(builder);
      try (PulsarClient client = builder.build()) {
        listener.phaseStarted("connect", load.consumers);
        long startNanos = System.nanoTime();
        ManyConsumers.subscribe(load.consumers, i -> consumer(client, topic, i));
        long connectNanos = System.nanoTime() - startNanos;
        listener.phaseEnded();
        Connected connected =
            new Connected(
                connectNanos,
                OwnHeap.liveBytes() - heapBefore,
                brokerHeapBytes(broker) - brokerHeapBefore,
                ManagementFactory.getThreadMXBean().getThreadCount());
        return publish(
            broker, publisher, connected, CpuSpent.idle(broker, load.idleSeconds, listener));
      }
    }
  }

  private ConsumerBuilder<byte[]> consumer(PulsarClient client, String topic, int index) {
    listener.progress(index);
    String name = "consumer-" + index;
    ConsumerBuilder<byte[]> builder =
        client
            .newConsumer()
            .topic(topic)
            .subscriptionName("clients")
            .consumerName(name)
            .property(LoadConfig.TYPE_PROPERTY, LoadConfig.BROADCAST)
            .messageListener((consumer, message) -> received(consumer, message, index));
    settings.prepare(builder, topic, name);
    return builder;
  }

  private void received(Consumer<byte[]> consumer, Message<byte[]> message, int index) {
    byte[] payload = message.getData();
    int number = (int) PayloadFormat.sequence(payload);
    if (!next.compareAndSet(index, number, number + 1)) {
      outOfOrder.incrementAndGet();
    }
    if (number >= load.warmup) {
      Histograms.recordSince(endToEndMicros, PayloadFormat.intendedNanos(payload));
    }
    consumer.acknowledgeAsync(message);
    received.incrementAndGet();
  }

  private Result publish(Broker broker, Publisher publisher, Connected connected, CpuSpent idle)
      throws InterruptedException {
    listener.phaseStarted("publish", (long) load.messages * load.consumers);
    try {
      Schedule schedule = new Schedule(System.nanoTime() + LEAD_NANOS, load.messagesPerSecond);
      publisher.publish(schedule, 0, load.warmup);
      Schedule.awaitTime(schedule.intendedNanos(load.warmup));
      CpuClock clock = new CpuClock(broker.process());
      PublishResult published = publisher.publish(schedule, load.warmup, load.messages);
      Drain.await(
          (long) published.acknowledgedCount() * load.consumers,
          received::get,
          DRAIN_LIMIT_NANOS,
          listener);
      return new Result(
          connected,
          idle,
          clock.spent(),
          endToEndMicros,
          published.acknowledgedCount(),
          received.get(),
          outOfOrder.get());
    } finally {
      listener.phaseEnded();
    }
  }

  private static long brokerHeapBytes(Broker broker) throws IOException, InterruptedException {
    return MemoryReading.of(broker).heap().totalBytes();
  }
}
