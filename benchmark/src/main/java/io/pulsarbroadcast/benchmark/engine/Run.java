/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * Runs a plan: connects, warms up, publishes, and waits until everything has arrived or nothing
 * arrives any more. One thread may call it, once.
 */
public final class Run {
  private static final double INTERVAL_SECONDS = 10;
  private static final int LEAST_INTERVALS = 5;
  private static final int MAX_MESSAGES_LISTED = 100_000;
  private static final double BYTES_PER_GIGABYTE = 1L << 30;

  private final Plan plan;
  private final LoadServer server;
  private final String topic;
  private final RunListener listener;
  private final long startNanos = System.nanoTime();
  private final List<Interval> intervals = new ArrayList<>();
  private final List<CatchUpRound> rounds = new ArrayList<>();
  private Duration roundLimit = Duration.ofDays(1);
  private Duration limit = Duration.ofDays(365);
  private Histogram lastEndToEnd = Histograms.sum(Stream.of());
  private Counts intervalStart;

  /** Prepares a run on a topic that nothing else uses. */
  public Run(Plan plan, LoadServer server, String topic, RunListener listener) {
    this.plan = plan;
    this.server = server;
    this.topic = topic;
    this.listener = listener;
  }

  /** After so long it ends, and says how far it came. */
  public Run limit(Duration newLimit) {
    this.limit = newLimit;
    return this;
  }

  /** After so long a round of catching up is given up. */
  public Run roundLimit(Duration newLimit) {
    this.roundLimit = newLimit;
    return this;
  }

  /**
   * Runs it. What keeps it from its end, the broker's refusals included, is part of the result.
   *
   * @throws IOException when the broker's metrics cannot be read
   */
  public RunResult execute() throws InterruptedException, IOException {
    List<LoadConfig> partitions =
        plan.partitionsOf(topic).stream().map(partition -> config(partition).build()).toList();
    try (Load load =
        new Load(plan.driver(), partitions, plan.messageBytes(), Load.SEND_TIMEOUT, listener)) {
      try {
        long connectNanos = Math.min(plan.connectTimeout().toNanos(), leftNanos());
        load.connect(Duration.ofNanos(connectNanos));
        return plan.catchUp() == null ? measure(load) : catchUp(load);
      } catch (FleetException | PulsarClientException e) {
        return result(load, List.of(), CpuClock.UNKNOWN, 0, StageTimers.NONE, why(e));
      }
    }
  }

  private LoadConfig config(String partition) {
    return plan.config(server.serviceUrl(), partition)
        .run(topic.hashCode())
        .messages(messages())
        .warmupMessages(warmup());
  }

  /** Without a warm-up, a run with a backlog has room for all that its rounds may take. */
  private int messages() {
    if (plan.catchUp() == null) {
      return plan.messages();
    }
    long roundSeconds = roundLimit.toSeconds() * plan.catchUp().laggards().size();
    double rest = (plan.seconds() + roundSeconds + 60) * plan.messagesPerSecond();
    return Math.toIntExact((long) (backlogMessages() + rest));
  }

  private int backlogMessages() {
    return (int)
        Math.ceil(plan.catchUp().backlogGigabytes * BYTES_PER_GIGABYTE / plan.messageBytes());
  }

  private int warmup() {
    return plan.catchUp() == null ? plan.warmupMessages() : 0;
  }

  private String why(Exception e) {
    boolean perhapsNoPlugin =
        e instanceof FleetException fleet
            && fleet.isRefused()
            && !server.isOwn()
            && plan.subscriptionType().equals(LoadConfig.BROADCAST);
    return e.getMessage() + (perhapsNoPlugin ? "; has the broker the plugin?" : "");
  }

  private long deadlineNanos() {
    return startNanos + limit.toNanos();
  }

  private long leftNanos() {
    return Math.max(0, deadlineNanos() - System.nanoTime());
  }

  private RunResult measure(Load load) throws InterruptedException, FleetException, IOException {
    int warmup = plan.warmupMessages();
    if (warmup > 0) {
      load.publish(
          "warm up",
          plan.messagesPerSecond(),
          0,
          warmup,
          deadlineNanos(),
          (now, changed, over) -> {});
      load.stats().takeLatencyMicros();
      load.stats().takeDelayMicros();
    }
    StageTimers timersBefore = brokerTimers();
    CpuClock cpu = new CpuClock(server.process());
    listener.measuringStarted();
    Load.Published published;
    long serverMillis;
    long ownMillis;
    try {
      intervalStart = counts(load, System.nanoTime());
      published =
          load.publish(
              "publish",
              plan.messagesPerSecond(),
              warmup,
              plan.messages(),
              deadlineNanos(),
              (now, changed, over) -> interval(load, now, changed, over));
      serverMillis = cpu.serverMillis();
      ownMillis = cpu.ownMillis();
    } finally {
      listener.measuringEnded();
    }
    StageTimers timers = brokerTimers().since(timersBefore);
    RunResult result =
        result(load, published.partitions(), serverMillis, ownMillis, timers, stoppedBy(published));
    if (!server.isOwn()) {
      load.unsubscribe();
    }
    return result;
  }

  private RunResult catchUp(Load load) throws InterruptedException, FleetException, IOException {
    CatchUp catchUp =
        new CatchUp(
            load, plan.messageBytes(), plan.messagesPerSecond(), plan.connectTimeout(), listener);
    List<LoadConfig> laggards = plan.catchUp().laggards().stream().map(this::laggards).toList();
    for (LoadConfig each : laggards) {
      catchUp.leavePositions(each);
    }
    load.startPublishing(plan.messagesPerSecond());
    rounds.add(catchUp.alone(plan.seconds()));
    load.stopPublishing(Load.SEND_TIMEOUT);
    catchUp.writeBacklog(backlogMessages(), plan.catchUp().backlogMessagesPerSecond);
    load.awaitAll(load.publisher().acknowledgedSoFar());
    load.startPublishing(plan.messagesPerSecond());
    for (LoadConfig each : laggards) {
      rounds.add(catchUp.round(each, roundLimit));
    }
    PublishResult published = load.stopPublishing(Load.SEND_TIMEOUT);
    load.awaitAll(published.acknowledgedCount());
    intervals.add(
        new Interval(
            rounds.stream().mapToDouble(CatchUpRound::seconds).sum(),
            published.acknowledgedCount(),
            load.stats().errors(),
            load.received(),
            0,
            load.stats().takeLatencyMicros(),
            load.stats().takeDelayMicros(),
            load.endToEndMicros()));
    return result(
        load, List.of(published), CpuClock.UNKNOWN, CpuClock.UNKNOWN, StageTimers.NONE, null);
  }

  private LoadConfig laggards(int count) {
    String name = "laggard-of-" + count;
    LoadConfig config = config(topic).consumers(count).consumerName(LoadConfig.numbered(name));
    return plan.subscriptionType().equals(LoadConfig.BROADCAST)
        ? config.build()
        : config.subscriptionPerConsumer(name).build();
  }

  private String stoppedBy(Load.Published published) {
    if (published.inTime()) {
      return null;
    }
    return leftNanos() == 0
        ? "not done after " + limit.toSeconds() + " s"
        : "nothing came any more";
  }

  /** Stock subscriptions have none, and with very many of them the page is very large. */
  private StageTimers brokerTimers() throws IOException, InterruptedException {
    return plan.subscriptionType().equals(LoadConfig.BROADCAST)
        ? server.timers(plan.partitionsOf(topic))
        : StageTimers.NONE;
  }

  /** What had been counted at a time; where one interval ends the next begins. */
  private record Counts(long nanos, long acknowledged, long errors, long received) {
    double secondsUntil(long laterNanos) {
      return (laterNanos - nanos) / 1e9;
    }
  }

  private static Counts counts(Load load, long nanos) {
    return new Counts(nanos, load.stats().acknowledged(), load.stats().errors(), load.received());
  }

  /** The quiet time at the end of a run that lacks something is not part of it. */
  private void interval(Load load, long nowNanos, long changedNanos, boolean over) {
    double length = Math.min(INTERVAL_SECONDS, plan.seconds() / LEAST_INTERVALS);
    if (!over && intervalStart.secondsUntil(nowNanos) < length) {
      return;
    }
    Counts end = counts(load, changedNanos);
    Histogram endToEnd = sum(load.snapshots(), FleetSnapshot::endToEndMicros);
    Histogram ofInterval = Histograms.since(lastEndToEnd, endToEnd);
    lastEndToEnd = endToEnd;
    Interval interval =
        new Interval(
            Math.max(1e-3, intervalStart.secondsUntil(end.nanos)),
            end.acknowledged - intervalStart.acknowledged,
            end.errors - intervalStart.errors,
            end.received - intervalStart.received,
            Math.max(0, load.expected() - end.received),
            load.stats().takeLatencyMicros(),
            load.stats().takeDelayMicros(),
            ofInterval);
    // A rest at the end that is too short for a rate belongs to the interval before.
    boolean rest = interval.seconds() < length / 2 && !intervals.isEmpty();
    intervals.add(rest ? intervals.remove(intervals.size() - 1).plus(interval) : interval);
    intervalStart = end;
  }

  private RunResult result(
      Load load,
      List<PublishResult> published,
      long serverMillis,
      long ownMillis,
      StageTimers timers,
      String stoppedBy) {
    List<FleetSnapshot> end = load.snapshots();
    DeliveryCounts delivery = DeliveryCounts.NONE;
    for (int i = 0; i < end.size(); i++) {
      BitSet stored = published.isEmpty() ? new BitSet() : published.get(i).acknowledged();
      delivery = delivery.plus(DeliveryCounts.of(end.get(i), stored));
    }
    return new RunResult(
        plan,
        1,
        List.copyOf(intervals),
        sum(end, FleetSnapshot::endToEndMicros),
        sum(end, snapshot -> snapshot.lastReceivers(warmup())),
        messages() * (long) plan.partitions() > MAX_MESSAGES_LISTED
            ? List.of()
            : end.stream().flatMap(snapshot -> snapshot.lastReceiverMicros().stream()).toList(),
        sum(end, FleetSnapshot::connectMicros),
        end.stream().mapToLong(FleetSnapshot::connectWallMicros).max().orElse(0),
        end.stream().mapToInt(FleetSnapshot::subscribed).sum(),
        delivery,
        serverMillis,
        ownMillis,
        end.stream().mapToLong(FleetSnapshot::connectionsLost).sum(),
        end.get(0).brokerVersion(),
        firstError(end, published, stoppedBy),
        timers,
        List.copyOf(rounds),
        stoppedBy);
  }

  private static String firstError(
      List<FleetSnapshot> end, List<PublishResult> published, String stoppedBy) {
    List<String> errors = new ArrayList<>();
    end.forEach(snapshot -> errors.add(snapshot.firstError()));
    published.forEach(result -> errors.add(result.firstError()));
    errors.add(stoppedBy);
    return errors.stream().filter(Objects::nonNull).findFirst().orElse(null);
  }

  private static Histogram sum(
      List<FleetSnapshot> snapshots, Function<FleetSnapshot, Histogram> ofSnapshot) {
    return Histograms.sum(snapshots.stream().map(ofSnapshot));
  }
}
