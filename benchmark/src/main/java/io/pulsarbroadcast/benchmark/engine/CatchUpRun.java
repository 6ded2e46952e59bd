/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Consumers that were away read a backlog while the writer and the others go on. One thread may
 * call it, once.
 *
 * <p>All laggards connect once to the empty topic, so that their positions exist, and leave. Then
 * the backlog is written, once; each round's laggards come back and read it.
 */
public final class CatchUpRun {
  private static final Duration SEND_TIMEOUT = Duration.ofSeconds(60);
  private static final long SAMPLE_MILLIS = 250;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int PROGRESS_SECONDS = 10;
  private static final double BYTES_PER_MEGABYTE = 1e6;
  private static final double BYTES_PER_GIGABYTE = 1L << 30;

  private final Plan plan;
  private final LoadServer server;
  private final String topic;
  private final int roundLimitSeconds;
  private final Consumer<String> progress;
  private final int run;
  private final List<CatchUpRound> rounds = new ArrayList<>();

  /**
   * Does nothing before {@link #execute()}.
   *
   * @param plan with {@link Plan#catchUp()}
   * @param roundLimitSeconds after which a round is given up
   * @param progress is told every ten seconds how far it is, and of each round how it went
   */
  public CatchUpRun(
      Plan plan,
      LoadServer server,
      String topic,
      int roundLimitSeconds,
      Consumer<String> progress) {
    this.plan = plan;
    this.server = server;
    this.topic = topic;
    this.roundLimitSeconds = roundLimitSeconds;
    this.progress = progress;
    this.run = topic.hashCode();
  }

  private int backlogMessages() {
    return (int)
        Math.ceil(plan.catchUp().backlogGigabytes * BYTES_PER_GIGABYTE / plan.messageBytes());
  }

  private int capacity() {
    long roundSeconds = (long) roundLimitSeconds * plan.catchUp().laggards().size();
    double messages =
        backlogMessages() + (plan.seconds() + roundSeconds + 60) * plan.messagesPerSecond();
    return Math.toIntExact((long) messages);
  }

  /**
   * Runs it.
   *
   * @throws IOException when the publisher fails
   */
  public RunResult execute() throws FleetException, InterruptedException, IOException {
    Duration timeout = plan.connectTimeout();
    registerLaggards(timeout);
    try (Load tail =
        new Load(
            "tail",
            List.of(config("consumer", plan.consumers())),
            plan.messageBytes(),
            SEND_TIMEOUT,
            RunListener.SILENT)) {
      tail.connect(timeout);
      Writer writer = new Writer(tail.publisher(), plan.messagesPerSecond());
      Histogram before = endToEnd(tail);
      writer.start();
      Thread.sleep((long) (plan.seconds() * 1_000));
      writer.stop();
      awaitTail(tail, writer);
      finished(
          new CatchUpRound(
              0, 0, plan.seconds(), true, List.of(), LatencyReport.of(since(before, tail))));
      writeBacklog(writer);
      awaitTail(tail, writer);
      for (int laggards : plan.catchUp().laggards()) {
        finished(round(tail, writer, laggards, timeout));
      }
      return result(tail, writer);
    }
  }

  private void finished(CatchUpRound round) {
    rounds.add(round);
    progress.accept(round.line());
  }

  private void tell(String format, Object... values) {
    progress.accept(String.format(Locale.ROOT, format, values));
  }

  private void writeBacklog(Writer writer) throws InterruptedException {
    int messages = backlogMessages();
    int rate = plan.catchUp().backlogMessagesPerSecond;
    Schedule schedule = writer.scheduleFromNow(rate);
    for (int written = 0; written < messages; ) {
      int count = Math.min(messages - written, rate * PROGRESS_SECONDS);
      writer.publish(schedule, count);
      written += count;
      tell("backlog: %,d of %,d messages written", written, messages);
    }
  }

  private LoadConfig config(String prefix, int consumers) {
    LoadConfig config =
        plan.config(server.serviceUrl(), topic)
            .consumers(consumers)
            .messages(capacity())
            .warmupMessages(0)
            .run(run)
            .consumerName(LoadConfig.numbered(prefix));
    return plan.subscriptionType().equals(LoadConfig.BROADCAST)
        ? config.build()
        : config.subscriptionPerConsumer(prefix).build();
  }

  private static String laggardPrefix(int laggards) {
    return "laggard-of-" + laggards;
  }

  private void registerLaggards(Duration timeout) throws FleetException, InterruptedException {
    for (int laggards : plan.catchUp().laggards()) {
      try (ConsumerFleet fleet = new ConsumerFleet(config(laggardPrefix(laggards), laggards))) {
        fleet.start();
        fleet.awaitSubscribed(timeout);
      }
    }
  }

  private CatchUpRound round(Load tail, Writer writer, int laggards, Duration timeout)
      throws FleetException, InterruptedException {
    Histogram before = endToEnd(tail);
    long messageBytes = plan.messageBytes();
    List<CatchUpRound.Point> curve = new ArrayList<>();
    writer.start();
    try (ConsumerFleet fleet = new ConsumerFleet(config(laggardPrefix(laggards), laggards))) {
      long backlogMessages = writer.acknowledged();
      long startNanos = System.nanoTime();
      fleet.start();
      fleet.awaitSubscribed(timeout);
      long lastNanos = startNanos;
      long last = 0;
      long toldNanos = startNanos;
      boolean caughtUp = false;
      while (!caughtUp && seconds(startNanos, lastNanos) < roundLimitSeconds) {
        Thread.sleep(SAMPLE_MILLIS);
        long nowNanos = System.nanoTime();
        long received = fleet.received();
        long behind = Math.max(0, writer.acknowledged() * laggards - received);
        curve.add(
            new CatchUpRound.Point(
                seconds(startNanos, nowNanos),
                (received - last)
                    * messageBytes
                    / BYTES_PER_MEGABYTE
                    / seconds(lastNanos, nowNanos),
                (double) behind / laggards));
        last = received;
        lastNanos = nowNanos;
        if (seconds(toldNanos, nowNanos) >= PROGRESS_SECONDS) {
          toldNanos = nowNanos;
          tell("%,d behind: each lacks %,.0f messages", laggards, (double) behind / laggards);
        }
        // The newest messages are on their way to everybody.
        caughtUp = behind <= laggards * Math.max(1, plan.messagesPerSecond() / 4);
      }
      writer.stop();
      awaitTail(tail, writer);
      return new CatchUpRound(
          laggards,
          backlogMessages * messageBytes,
          seconds(startNanos, lastNanos),
          caughtUp,
          curve,
          LatencyReport.of(since(before, tail)));
    }
  }

  private static double seconds(long fromNanos, long toNanos) {
    return (toNanos - fromNanos) / NANOS_PER_SECOND;
  }

  private static Histogram endToEnd(Load load) {
    return load.fleet().snapshot().endToEndMicros();
  }

  private static Histogram since(Histogram before, Load load) {
    Histogram now = endToEnd(load).copy();
    now.subtract(before);
    return now;
  }

  /** Returns when the consumers at the end have everything, or nothing arrives for a while. */
  private void awaitTail(Load tail, Writer writer) throws InterruptedException {
    long quietNanos = TimeUnit.SECONDS.toNanos(15);
    long last = -1;
    long changedNanos = System.nanoTime();
    while (tail.received() < writer.acknowledged() * plan.consumers()) {
      if (tail.received() != last) {
        last = tail.received();
        changedNanos = System.nanoTime();
      } else if (System.nanoTime() - changedNanos > quietNanos) {
        return;
      }
      Thread.sleep(SAMPLE_MILLIS / 5);
    }
  }

  private RunResult result(Load tail, Writer writer) {
    FleetSnapshot end = tail.fleet().snapshot();
    Interval whole =
        new Interval(
            rounds.stream().mapToDouble(CatchUpRound::seconds).sum(),
            writer.acknowledged(),
            tail.stats().errors(),
            tail.received(),
            0,
            tail.stats().takeLatencyMicros(),
            tail.stats().takeDelayMicros(),
            end.endToEndMicros());
    return new RunResult(
        plan,
        1,
        List.of(whole),
        end.endToEndMicros(),
        end.lastReceivers(0),
        List.of(),
        end.connectMicros(),
        end.connectWallMicros(),
        end.subscribed(),
        DeliveryCounts.of(end, writer.acknowledgedMessages()),
        CpuClock.UNKNOWN,
        CpuClock.UNKNOWN,
        end.connectionsLost(),
        end.brokerVersion(),
        end.firstError(),
        StageTimers.NONE,
        rounds,
        null);
  }

  /** Publishes at a rate until stopped. One thread may call it. */
  static final class Writer {
    private final Publisher publisher;
    private final double messagesPerSecond;
    private final BitSet stored = new BitSet();
    private volatile boolean stopping;
    private Thread thread;
    private int next;

    Writer(Publisher publisher, double messagesPerSecond) {
      this.publisher = publisher;
      this.messagesPerSecond = messagesPerSecond;
    }

    void start() {
      stopping = false;
      thread = new Thread(this::writeUntilStopped, "writer");
      thread.setDaemon(true);
      thread.start();
    }

    private void writeUntilStopped() {
      Schedule schedule = scheduleFromNow(messagesPerSecond);
      int atOnce = (int) Math.max(1, messagesPerSecond / 4);
      try {
        while (!stopping) {
          publish(schedule, atOnce);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** On the thread of the writer, or on the caller's while that is stopped. */
    void publish(Schedule schedule, int count) throws InterruptedException {
      stored.or(publisher.publish(schedule, next, next + count).acknowledged());
      next += count;
    }

    void stop() throws InterruptedException {
      stopping = true;
      thread.join();
    }

    Schedule scheduleFromNow(double rate) {
      return Schedule.dueAt(System.nanoTime(), next, rate);
    }

    long acknowledged() {
      return publisher.acknowledgedSoFar();
    }

    /** While the writer is stopped. */
    BitSet acknowledgedMessages() {
      return stored;
    }
  }
}
