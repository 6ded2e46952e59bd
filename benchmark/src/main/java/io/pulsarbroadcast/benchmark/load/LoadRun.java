/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import com.sun.management.OperatingSystemMXBean;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.metrics.RunOutcome;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * Connects a fleet, publishes to it, and waits until everything has arrived or nothing arrives any
 * more. One thread may call it, once.
 */
public final class LoadRun {
  private static final long POLL_MILLIS = 100;
  private static final Duration SEND_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration UNSUBSCRIBE_TIMEOUT = Duration.ofMinutes(2);

  private static final double NANOS_PER_SECOND = 1e9;

  /** Time from the end of connecting to the first message. */
  private static final long LEAD_MILLIS = 200;

  private final String name;
  private final LoadConfig config;
  private final RunPlan plan;
  private final RunListener listener;
  private final ProcessHandle broker;
  private final long createdNanos = System.nanoTime();
  private long limitNanos = Long.MAX_VALUE;

  /**
   * Prepares a run.
   *
   * @param name of the series in tables and plots
   * @param broker the broker's process when it runs on this machine, or null
   */
  public LoadRun(
      String name, LoadConfig config, RunPlan plan, RunListener listener, ProcessHandle broker) {
    this.name = name;
    this.config = config;
    this.plan = plan;
    this.listener = listener;
    this.broker = broker;
  }

  /** Runs it from beginning to end. */
  public RunResult execute() throws FleetException, InterruptedException, PulsarClientException {
    try (ConsumerFleet fleet = new ConsumerFleet(config)) {
      connect(fleet);
      return publishTo(fleet);
    }
  }

  /**
   * Runs it as far as it comes within a time. What keeps it from its end, the broker's refusals
   * included, is part of the outcome.
   */
  public RunOutcome executeWithin(Duration limit) throws InterruptedException {
    limitNanos = limit.toNanos();
    try (ConsumerFleet fleet = new ConsumerFleet(config)) {
      int subscribed = 0;
      RunResult result;
      String stoppedBy = null;
      try {
        connect(fleet);
        subscribed = fleet.subscribed();
        result = publishTo(fleet);
        if (result.delivery().missing() > 0 || result.delivery().published() < config.messages()) {
          stoppedBy =
              isOver() ? "not done after " + limit.toSeconds() + " s" : "nothing arrived any more";
        }
      } catch (FleetException | PulsarClientException e) {
        subscribed = Math.max(subscribed, fleet.subscribed());
        listener.phaseEnded();
        stoppedBy = e.getMessage();
        result = result(fleet.snapshot(), new PublishResult(0, new BitSet(), null), -1, 0);
      }
      return new RunOutcome(result, subscribed, elapsedNanos() / NANOS_PER_SECOND, stoppedBy);
    }
  }

  private long elapsedNanos() {
    return System.nanoTime() - createdNanos;
  }

  private boolean isOver() {
    return elapsedNanos() >= limitNanos;
  }

  private RunResult publishTo(ConsumerFleet fleet)
      throws FleetException, InterruptedException, PulsarClientException {
    try (Publisher publisher =
        new Publisher(
            config.serviceUrl(), config.topic(), config.run(), plan.sizeBytes(), SEND_TIMEOUT)) {
      int warmup = config.warmupMessages();
      if (warmup > 0) {
        publish("warm up ", fleet, publisher, 0, warmup);
      }
      listener.measuringStarted();
      long brokerCpuBefore = brokerCpuMillis();
      long ownCpuBefore = ownCpuMillis();
      PublishResult published;
      long brokerCpu;
      long ownCpu;
      try {
        published = publish("publish and receive ", fleet, publisher, warmup, config.messages());
        brokerCpu = broker == null ? -1 : brokerCpuMillis() - brokerCpuBefore;
        ownCpu = ownCpuMillis() - ownCpuBefore;
      } finally {
        listener.measuringEnded();
      }
      FleetSnapshot snapshot = fleet.snapshot();
      if (plan.unsubscribeAtEnd()) {
        fleet.unsubscribe(UNSUBSCRIBE_TIMEOUT);
      }
      return result(snapshot, published, brokerCpu, ownCpu);
    }
  }

  private void connect(ConsumerFleet fleet) throws FleetException, InterruptedException {
    listener.phaseStarted("connect " + name, config.consumers());
    fleet.start();
    long leftNanos = Math.max(0, limitNanos - elapsedNanos());
    long deadlineNanos = System.nanoTime() + Math.min(leftNanos, plan.connectTimeout().toNanos());
    while (fleet.subscribed() < config.consumers()) {
      listener.progress(fleet.subscribed());
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      if (fleet.awaitSettled(Duration.ofMillis(Math.min(POLL_MILLIS, leftMillis)))
          || leftMillis <= 0) {
        fleet.awaitSubscribed(Duration.ZERO);
      }
    }
    listener.progress(config.consumers());
    listener.phaseEnded();
  }

  /** Publishes a range of messages and waits until all have arrived or nothing arrives. */
  private PublishResult publish(
      String phase, ConsumerFleet fleet, Publisher publisher, int from, int to)
      throws FleetException, InterruptedException {
    long before = fleet.received();
    listener.phaseStarted(phase + name, (long) (to - from) * config.consumers());
    Schedule schedule =
        Schedule.dueAt(
            System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MILLIS),
            from,
            plan.messagesPerSecond());
    CompletableFuture<PublishResult> publishing = publisher.publishAsync(schedule, from, to);
    awaitAll(fleet, publishing, before, (long) to * config.consumers());
    if (!publishing.isDone()) {
      publisher.stop();
    }
    listener.progress(fleet.received() - before);
    listener.phaseEnded();
    try {
      return publishing.get();
    } catch (ExecutionException e) {
      throw FleetException.failed("Publishing to " + config.topic() + " failed: " + e.getCause());
    }
  }

  private void awaitAll(
      ConsumerFleet fleet, CompletableFuture<PublishResult> publishing, long before, long expected)
      throws FleetException, InterruptedException {
    long lastReceived = -1;
    long lastChangeNanos = System.nanoTime();
    while (!isOver() && (fleet.received() < expected || !publishing.isDone())) {
      fleet.throwFatal();
      Thread.sleep(POLL_MILLIS);
      long received = fleet.received();
      listener.progress(received - before);
      if (received != lastReceived || !publishing.isDone()) {
        lastReceived = received;
        lastChangeNanos = System.nanoTime();
      } else if (System.nanoTime() - lastChangeNanos > plan.quietPeriod().toNanos()) {
        return;
      }
    }
  }

  private RunResult result(
      FleetSnapshot fleet, PublishResult published, long brokerCpuMillis, long ownCpuMillis) {
    Histogram lastReceiver = LoopStats.newHistogram();
    for (int i = config.warmupMessages(); i < published.sent(); i++) {
      if (fleet.receivers().get(i) > 0) {
        lastReceiver.recordValue(fleet.lastReceiverMicros().get(i));
      }
    }
    return new RunResult(
        name,
        DeliveryCounts.of(fleet, published.acknowledged()),
        fleet.endToEndMicros(),
        lastReceiver,
        fleet.lastReceiverMicros(),
        fleet.connectMicros(),
        fleet.connectWallMicros(),
        (int) published.acknowledged().stream().filter(i -> i >= config.warmupMessages()).count(),
        brokerCpuMillis,
        ownCpuMillis,
        fleet.connectionsLost(),
        fleet.brokerVersion(),
        fleet.firstError() == null ? published.firstError() : fleet.firstError());
  }

  private long brokerCpuMillis() {
    return broker == null ? 0 : broker.info().totalCpuDuration().map(Duration::toMillis).orElse(0L);
  }

  private static long ownCpuMillis() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return TimeUnit.NANOSECONDS.toMillis(system.getProcessCpuTime());
  }
}
