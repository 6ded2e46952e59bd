/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import com.sun.management.OperatingSystemMXBean;
import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.config.SubscriptionKind;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Runs a workload at one rate: connects, warms up, publishes for the asked time, and waits until
 * everything has arrived or nothing arrives any more. One thread may call it, once.
 */
final class WorkloadRun {
  private static final Duration SEND_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration QUIET = Duration.ofSeconds(15);
  private static final double INTERVAL_SECONDS = 10;
  private static final int LEAST_INTERVALS = 5;
  private static final long LEAD_MILLIS = 200;
  private static final long POLL_MILLIS = 20;
  private static final double OVERRUN = 1.25;
  private static final double NANOS_PER_SECOND = 1e9;

  private final WorkloadPlan plan;
  private final WorkloadBroker broker;
  private final String topic;
  private final PublishStats publishStats = new PublishStats();
  private final List<Interval> intervals = new ArrayList<>();
  private Histogram lastEndToEnd = new Histogram(PublishStats.MAX_MICROS, PublishStats.DIGITS);

  WorkloadRun(WorkloadPlan plan, WorkloadBroker broker, String topic) {
    this.plan = plan;
    this.broker = broker;
    this.topic = topic;
  }

  WorkloadResult execute() throws FleetException, InterruptedException, IOException {
    int run = topic.hashCode();
    List<LoadConfig> configs = new ArrayList<>();
    for (String partition : plan.partitions(topic)) {
      configs.add(plan.consumersOf(broker.serviceUrl(), partition, "consumer").run(run).build());
    }
    List<Publisher> publishers = new ArrayList<>();
    try (Fleets fleets = new Fleets(configs)) {
      fleets.connect(Duration.ofSeconds(plan.driver().consumer().creationTimeoutSeconds()));
      for (LoadConfig config : configs) {
        publishers.add(
            new Publisher(
                    broker.serviceUrl(),
                    config.topic(),
                    run,
                    plan.workload().messageBytes(),
                    SEND_TIMEOUT)
                .listener(publishStats));
      }
      return measure(fleets, publishers);
    } finally {
      for (Publisher publisher : publishers) {
        publisher.close();
      }
    }
  }

  private WorkloadResult measure(Fleets fleets, List<Publisher> publishers)
      throws InterruptedException, FleetException, IOException {
    int warmup = plan.warmupMessages();
    if (warmup > 0) {
      publish(fleets, publishers, 0, warmup, false);
      publishStats.takeLatencyMicros();
      publishStats.takeDelayMicros();
    }
    StageTimers timersBefore = brokerTimers();
    long brokerCpuBefore = brokerCpuMillis();
    long ownCpuBefore = ownCpuMillis();
    List<PublishResult> published =
        publish(fleets, publishers, warmup, plan.messagesOfPartition(), true);
    long brokerCpu = broker.isOwn() ? brokerCpuMillis() - brokerCpuBefore : -1;
    long ownCpu = ownCpuMillis() - ownCpuBefore;
    StageTimers timers = brokerTimers().since(timersBefore);
    List<FleetSnapshot> end = fleets.snapshots();
    if (!broker.isOwn()) {
      fleets.unsubscribe();
    }
    List<BitSet> acknowledged = published.stream().map(PublishResult::acknowledged).toList();
    return new WorkloadResult(
        plan,
        intervals,
        Fleets.endToEndMicros(end),
        Fleets.lastReceiverMicros(end, warmup),
        Fleets.connectMicros(end),
        end.stream().mapToLong(FleetSnapshot::connectWallMicros).max().orElse(0),
        Fleets.delivery(end, acknowledged),
        brokerCpu,
        ownCpu,
        end.stream().mapToLong(FleetSnapshot::connectionsLost).sum(),
        end.get(0).brokerVersion(),
        firstError(end, published),
        timers,
        List.of());
  }

  /** Stock subscriptions have none, and with very many of them the page is very large. */
  private StageTimers brokerTimers() throws IOException, InterruptedException {
    return plan.driver().consumer().subscriptionType() == SubscriptionKind.Broadcast
        ? broker.timers(plan.partitions(topic))
        : StageTimers.NONE;
  }

  private static String firstError(List<FleetSnapshot> end, List<PublishResult> published) {
    return end.stream()
        .map(FleetSnapshot::firstError)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseGet(
            () ->
                published.stream()
                    .map(PublishResult::firstError)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null));
  }

  private List<PublishResult> publish(
      Fleets fleets, List<Publisher> publishers, int from, int to, boolean timed)
      throws InterruptedException, FleetException {
    long startNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAD_MILLIS);
    Schedule schedule = Schedule.dueAt(startNanos, from, plan.messagesPerSecondOfPartition());
    // At a rate that is not reached, the schedule would take for ever.
    long lengthNanos = schedule.intendedNanos(to) - startNanos;
    long endNanos = startNanos + Math.round(lengthNanos * OVERRUN) + TimeUnit.SECONDS.toNanos(1);
    List<CompletableFuture<PublishResult>> publishing = new ArrayList<>();
    for (Publisher publisher : publishers) {
      publishing.add(publisher.endAt(endNanos).publishAsync(schedule, from, to));
    }
    awaitAll(fleets, publishing, schedule.intendedNanos(to), timed);
    List<PublishResult> results = new ArrayList<>();
    for (CompletableFuture<PublishResult> each : publishing) {
      try {
        results.add(each.get());
      } catch (ExecutionException e) {
        throw new IllegalStateException("Publishing to " + topic + " failed", e.getCause());
      }
    }
    return results;
  }

  /**
   * Not before the time at which the next message would be due: N messages at a rate take N / rate.
   */
  private void awaitAll(
      Fleets fleets,
      List<CompletableFuture<PublishResult>> publishing,
      long scheduledEndNanos,
      boolean timed)
      throws InterruptedException {
    double length = Math.min(INTERVAL_SECONDS, (double) plan.seconds() / LEAST_INTERVALS);
    Counts start = counts(fleets, System.nanoTime());
    long last = -1;
    long changedNanos = System.nanoTime();
    while (true) {
      long received = fleets.received();
      long nowNanos = System.nanoTime();
      boolean published =
          nowNanos - scheduledEndNanos >= 0
              && publishing.stream().allMatch(CompletableFuture::isDone);
      if (received != last || !published) {
        last = received;
        changedNanos = nowNanos;
      }
      boolean over =
          published
              && (received >= publishStats.acknowledged() * plan.consumers()
                  || nowNanos - changedNanos > QUIET.toNanos());
      if (timed && (over || start.secondsUntil(nowNanos) >= length)) {
        // The quiet time at the end of a run that lacks something is not part of it.
        Counts end = counts(fleets, changedNanos);
        add(interval(fleets, start, end), length);
        start = end;
      }
      if (over) {
        return;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** A rest at the end that is too short for a rate belongs to the interval before. */
  private void add(Interval interval, double length) {
    boolean rest = interval.seconds() < length / 2 && !intervals.isEmpty();
    intervals.add(rest ? intervals.remove(intervals.size() - 1).plus(interval) : interval);
  }

  /** What had been counted at a time; where one interval ends the next begins. */
  private record Counts(long nanos, long acknowledged, long errors, long received) {
    double secondsUntil(long laterNanos) {
      return (laterNanos - nanos) / NANOS_PER_SECOND;
    }
  }

  private Counts counts(Fleets fleets, long nanos) {
    return new Counts(nanos, publishStats.acknowledged(), publishStats.errors(), fleets.received());
  }

  private Interval interval(Fleets fleets, Counts start, Counts end) {
    Histogram endToEnd = Fleets.endToEndMicros(fleets.snapshots());
    Histogram ofInterval = endToEnd.copy();
    ofInterval.subtract(lastEndToEnd);
    lastEndToEnd = endToEnd;
    return new Interval(
        Math.max(1e-3, start.secondsUntil(end.nanos)),
        end.acknowledged - start.acknowledged,
        end.errors - start.errors,
        end.received - start.received,
        Math.max(0, end.acknowledged * plan.consumers() - end.received),
        publishStats.takeLatencyMicros(),
        publishStats.takeDelayMicros(),
        ofInterval);
  }

  private long brokerCpuMillis() {
    return broker
        .processHandle()
        .flatMap(process -> process.info().totalCpuDuration())
        .map(Duration::toMillis)
        .orElse(0L);
  }

  private static long ownCpuMillis() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return TimeUnit.NANOSECONDS.toMillis(system.getProcessCpuTime());
  }
}
