/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * The consumers and the publishers of one topic, on each of its partitions, which stay connected.
 * One thread may call it.
 */
public final class Load implements AutoCloseable {
  /** What is still missing when nothing has arrived for so long is taken for lost. */
  static final Duration QUIET = Duration.ofSeconds(20);

  /** After which a message counts as lost. */
  static final Duration SEND_TIMEOUT = Duration.ofSeconds(60);

  private static final Duration UNSUBSCRIBE_TIMEOUT = Duration.ofMinutes(2);
  private static final long POLL_MILLIS = 20;

  /** Time to the first message. */
  private static final long LEAD_MILLIS = 200;

  /** At a rate that is not reached, the schedule would take for ever. */
  private static final double OVERRUN = 1.25;

  /** And so much longer: a machine that stands still for a moment costs a short run no message. */
  private static final long OVERRUN_SECONDS = 10;

  private final String name;
  private final List<LoadConfig> partitions;
  private final int messageBytes;
  private final Duration sendTimeout;
  private final RunListener listener;
  private final PublishStats stats = new PublishStats();
  private final List<ConsumerFleet> fleets = new ArrayList<>();
  private final List<Publisher> publishers = new ArrayList<>();
  private CompletableFuture<PublishResult> publishing;

  /**
   * Allocates; nothing connects before {@link #connect}.
   *
   * @param name what the listener is told
   * @param partitions the consumers of each
   * @param sendTimeout as of a {@link Publisher}
   */
  public Load(
      String name,
      List<LoadConfig> partitions,
      int messageBytes,
      Duration sendTimeout,
      RunListener listener) {
    this.name = name;
    this.partitions = List.copyOf(partitions);
    this.messageBytes = messageBytes;
    this.sendTimeout = sendTimeout;
    this.listener = listener;
    partitions.forEach(config -> fleets.add(new ConsumerFleet(config)));
  }

  /** One topic that is not partitioned; messages outlive a restart of the broker. */
  public Load(String name, LoadConfig config, int messageBytes, RunListener listener) {
    this(name, List.of(config), messageBytes, Duration.ZERO, listener);
  }

  /** Connects all consumers, then the publishers. */
  public void connect(Duration timeout)
      throws FleetException, InterruptedException, PulsarClientException {
    subscribe(timeout);
    connectPublishers();
  }

  /** Connects the publishers, when messages are to be there before the consumers. */
  public void connectPublishers() throws PulsarClientException {
    for (LoadConfig config : partitions) {
      publishers.add(
          new Publisher(config.serviceUrl, config.topic, config.run, messageBytes, sendTimeout)
              .keys(config.keys)
              .listener(stats));
    }
  }

  /** Connects all consumers. */
  public void subscribe(Duration timeout) throws FleetException, InterruptedException {
    listener.phaseStarted("connect " + name, consumers());
    try {
      long deadlineNanos = System.nanoTime() + timeout.toNanos();
      fleets.forEach(ConsumerFleet::start);
      for (ConsumerFleet fleet : fleets) {
        long leftNanos = deadlineNanos - System.nanoTime();
        while (leftNanos > 0
            && !fleet.awaitSettled(
                Duration.ofNanos(Math.min(leftNanos, TimeUnit.MILLISECONDS.toNanos(100))))) {
          listener.progress(subscribed());
          leftNanos = deadlineNanos - System.nanoTime();
        }
        fleet.awaitSubscribed(Duration.ZERO);
      }
      listener.progress(subscribed());
    } finally {
      listener.phaseEnded();
    }
  }

  /** Hears how far publishing is. */
  interface Tick {
    /**
     * Called several times a second.
     *
     * @param changedNanos when something was received, or published, last
     * @param over whether it is the last call
     */
    void at(long nowNanos, long changedNanos, boolean over);
  }

  /**
   * What became of the messages.
   *
   * @param partitions one each
   * @param seconds from the first message's time to the last reception
   * @param inTime false when the time was over first
   */
  public record Published(List<PublishResult> partitions, double seconds, boolean inTime) {}

  /** Publishes a range of each partition's messages; returns when all consumers have them. */
  public Published publish(String phase, double messagesPerSecond, int from, int to, Duration limit)
      throws FleetException, InterruptedException {
    long deadlineNanos = System.nanoTime() + limit.toNanos();
    return publish(phase, messagesPerSecond, from, to, deadlineNanos, (now, changed, over) -> {});
  }

  /**
   * Publishes a range of each partition's messages, and returns when every consumer has what the
   * broker acknowledged, nothing arrives any more, or the time is over; not before the time at
   * which the next message would be due, because N messages at a rate take N / rate.
   *
   * @param messagesPerSecond of all partitions together
   */
  Published publish(
      String phase, double messagesPerSecond, int from, int to, long deadlineNanos, Tick tick)
      throws FleetException, InterruptedException {
    long startNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MILLIS);
    Schedule schedule = Schedule.dueAt(startNanos, from, messagesPerSecond / publishers.size());
    long lengthNanos = schedule.intendedNanos(to) - startNanos;
    long lastSendNanos =
        startNanos + Math.round(lengthNanos * OVERRUN) + TimeUnit.SECONDS.toNanos(OVERRUN_SECONDS);
    listener.phaseStarted(phase + " " + name, (long) (to - from) * consumers());
    List<CompletableFuture<PublishResult>> each = new ArrayList<>();
    for (Publisher publisher : publishers) {
      each.add(publisher.endAt(lastSendNanos).publishAsync(schedule, from, to));
    }
    try {
      long changedNanos = await(each, startNanos + lengthNanos, deadlineNanos, tick);
      boolean inTime = each.stream().allMatch(CompletableFuture::isDone);
      if (!inTime) {
        publishers.forEach(Publisher::stop);
      }
      List<PublishResult> results = new ArrayList<>();
      for (CompletableFuture<PublishResult> one : each) {
        results.add(one.get());
      }
      return new Published(
          results, seconds(startNanos, changedNanos), inTime && received() >= expected());
    } catch (ExecutionException e) {
      throw FleetException.failed("Publishing failed: " + e.getCause());
    } finally {
      listener.phaseEnded();
    }
  }

  /** Returns when something was received last. */
  private long await(
      List<CompletableFuture<PublishResult>> each,
      long scheduledEndNanos,
      long deadlineNanos,
      Tick tick)
      throws FleetException, InterruptedException {
    long before = received();
    long last = -1;
    long changedNanos = System.nanoTime();
    while (true) {
      for (ConsumerFleet fleet : fleets) {
        fleet.throwFatal();
      }
      long received = received();
      long nowNanos = System.nanoTime();
      boolean published =
          nowNanos - scheduledEndNanos >= 0 && each.stream().allMatch(CompletableFuture::isDone);
      if (received != last || !published) {
        last = received;
        changedNanos = nowNanos;
      }
      boolean over =
          nowNanos - deadlineNanos >= 0
              || (published
                  && (received >= expected() || nowNanos - changedNanos > QUIET.toNanos()));
      listener.progress(received - before);
      tick.at(nowNanos, changedNanos, over);
      if (over) {
        return changedNanos;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static double seconds(long fromNanos, long toNanos) {
    return (toNanos - fromNanos) / 1e9;
  }

  /** Begins to publish to the one partition, from the next message on, until it is stopped. */
  public void startPublishing(double messagesPerSecond) {
    startPublishing(messagesPerSecond, partitions.get(0).messages);
  }

  /** The same up to a message. */
  void startPublishing(double messagesPerSecond, int to) {
    int from = publisher().nextSequence();
    Schedule schedule = Schedule.dueAt(System.nanoTime(), from, messagesPerSecond);
    publishing = publisher().publishAsync(schedule, from, to);
  }

  boolean isPublishing() {
    return !publishing.isDone();
  }

  /** Ends publishing, and returns what the broker has acknowledged. */
  public PublishResult stopPublishing(Duration timeout) throws IOException, InterruptedException {
    publisher().finish();
    return awaitPublished(timeout);
  }

  PublishResult awaitPublished(Duration timeout) throws IOException, InterruptedException {
    try {
      return publishing.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("The publisher did not end within " + timeout + ": " + e, e);
    }
  }

  /** Waits until the messages before this one were received by all, or nothing arrives any more. */
  public void awaitAll(int published) throws FleetException, InterruptedException {
    fleet().awaitReceived((long) published * consumers(), QUIET);
    // Makes visible what the event loops wrote.
    fleet().snapshot();
  }

  /** Of the one partition. */
  public ConsumerFleet fleet() {
    return fleets.get(0);
  }

  /** Of the one partition. */
  public Publisher publisher() {
    return publishers.get(0);
  }

  /** Latencies of the one partition so far. */
  public Histogram endToEndMicros() {
    return fleet().snapshot().endToEndMicros();
  }

  /** Those since then. */
  public Histogram endToEndMicrosSince(Histogram before) {
    return Histograms.since(before, endToEndMicros());
  }

  PublishStats stats() {
    return stats;
  }

  int subscribed() {
    return fleets.stream().mapToInt(ConsumerFleet::subscribed).sum();
  }

  private int consumers() {
    return partitions.stream().mapToInt(config -> config.consumers).sum();
  }

  /** First receptions so far, summed over consumers. */
  long received() {
    return fleets.stream().mapToLong(ConsumerFleet::received).sum();
  }

  /** What all consumers are to receive of what is stored so far. */
  long expected() {
    long expected = 0;
    for (int i = 0; i < publishers.size(); i++) {
      expected += (long) publishers.get(i).acknowledgedSoFar() * partitions.get(i).consumers;
    }
    return expected;
  }

  List<FleetSnapshot> snapshots() {
    return fleets.stream().map(ConsumerFleet::snapshot).toList();
  }

  void unsubscribe() throws InterruptedException {
    for (ConsumerFleet fleet : fleets) {
      fleet.unsubscribe(UNSUBSCRIBE_TIMEOUT);
    }
  }

  @Override
  public void close() {
    for (Publisher publisher : publishers) {
      try {
        publisher.close();
      } catch (PulsarClientException e) {
        // The broker may be gone already; the others are closed all the same.
      }
    }
    fleets.forEach(ConsumerFleet::close);
  }
}
