/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.bench.LoadOptions;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Histograms;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Consumers that leave and return for hours, and what becomes of latency and memory. */
@Command(
    name = "churn",
    header = "Consumers that leave and return for hours.",
    description =
        "Resets one connection after the other under load, as a crash of its client would. Its"
            + " consumers return. Compares the last window of time with the first.")
public final class ChurnScenario extends AbstractScenario {
  private static final String TOPIC = "churn";

  /** One buffer in eight: of a leak with each connection that leaves, hardly any stays unseen. */
  private static final List<String> LEAK_DETECTION =
      List.of(
          "-Dpulsar.allocator.leak_detection=Simple",
          "-Dio.netty.leakDetection.samplingInterval=8");

  /** Netty reports what was collected when it allocates the next buffers. */
  private static final int LEAK_REPORT_SECONDS = 10;

  private static final double PERCENT = 100;

  /** The two that are compared. */
  private static final int MIN_WINDOWS = 2;

  @Mixin LoadOptions load = new LoadOptions(20_000, 1_000, 1, 1_024);

  @Option(
      names = "--minutes",
      paramLabel = "MINUTES",
      description = "How long they come and go: as many windows as that is, at least two.")
  @Range(from = 0.05, to = 10_000)
  double minutes = 120;

  @Option(names = "--window-minutes", paramLabel = "MINUTES", description = "How long a window is.")
  @Range(from = 0.01, to = 10_000)
  double windowMinutes = 10;

  @Option(
      names = "--leave-percent",
      paramLabel = "PERCENT",
      description = "How many of the connections are reset per minute.")
  @Range(from = 0.01, to = 1_000)
  double leavePercent = 1;

  @Option(
      names = "--warmup-seconds",
      paramLabel = "SECONDS",
      description = "Load before the first of them leaves.")
  @Range(from = 0, to = 3_600)
  int warmupSeconds = 120;

  @Option(
      names = "--sample-seconds",
      paramLabel = "SECONDS",
      description = "How often the broker's memory is read, after two collections.")
  @Range(from = 1, to = 3_600)
  int sampleSeconds = 300;

  @Option(
      names = "--max-p99-ratio",
      paramLabel = "RATIO",
      description = "What the P99 of the last window may be of that of the first.")
  @Range(from = 1, to = 1_000)
  double maxP99Ratio = 1.10;

  @Option(
      names = "--max-heap-percent",
      paramLabel = "PERCENT",
      description = "How far the broker's heap after a collection may grow.")
  @Range(from = 0, to = 1_000)
  double maxHeapPercent = 5;

  /** Resets connections in turn, as many as are due. */
  private static final class Leaving {
    private final ConsumerFleet fleet;
    private final int connections;
    private final double perSecond;
    private final long startNanos = System.nanoTime();
    private volatile long left;

    Leaving(ConsumerFleet fleet, int connections, double perSecond) {
      this.fleet = fleet;
      this.connections = connections;
      this.perSecond = perSecond;
    }

    /** To be called now and then, by one thread. */
    void resetDue() {
      long due = (long) (secondsSince(startNanos) * perSecond);
      for (; left < due; left++) {
        fleet.dropConnection((int) (left % connections));
      }
    }
  }

  @Override
  protected void check() {
    double seconds = TimeUnit.MINUTES.toSeconds(1) * windows() * windowMinutes;
    if (seconds / sampleSeconds < MemorySampler.MIN_SAMPLES) {
      throw new InvalidOptionException(
          "--sample-seconds is %d; allowed: up to a third of the %.0f s that they come and go"
              .formatted(sampleSeconds, seconds));
    }
    if (leavingPerSecond() * seconds < 1) {
      throw new InvalidOptionException(
          "--leave-percent is %s; allowed: so many that of %d connections one leaves within %.0f s"
              .formatted(leavePercent, connections(), seconds));
    }
  }

  private int windows() {
    return (int) Math.max(MIN_WINDOWS, Math.round(minutes / windowMinutes));
  }

  private int connections() {
    return Math.min(load.connections, load.consumers);
  }

  private double leavingPerSecond() {
    return connections() * leavePercent / PERCENT / TimeUnit.MINUTES.toSeconds(1);
  }

  @Override
  List<String> jvmOptions() {
    return LEAK_DETECTION;
  }

  @Override
  void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    // However long somebody takes to catch up, the last window has messages.
    double seconds = warmupSeconds + windows() * Phase.maxSeconds(windowMinutes);
    ConsumerLog log = new ConsumerLog(load.consumers, true);
    LoadConfig config = config(broker, TOPIC, load, log, (int) (load.rate * seconds) + 1);
    try (Load running = load(config.reconnect(true), load.sizeBytes);
        MemorySampler memory =
            new MemorySampler(broker, session.folder().resolve("memory.csv"), sampleSeconds)) {
      memory.phase("warm-up");
      running.connect(CONNECT_TIMEOUT);
      session.say("%,d consumers subscribed", load.consumers);
      running.startPublishing(load.rate);
      TimeUnit.SECONDS.sleep(warmupSeconds);

      memory.phase(TOPIC);
      Leaving leaving = new Leaving(running.fleet(), connections(), leavingPerSecond());
      List<Phase> windows;
      try (Periodic resetting = new Periodic("leaving", 1, 1, leaving::resetDue)) {
        windows = windows(session, running, log, resetting);
      }
      memory.phase("end");
      broker.collectGarbage();
      TimeUnit.SECONDS.sleep(LEAK_REPORT_SECONDS);
      PublishResult published = running.stopPublishing(CATCH_UP_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      FleetSnapshot fleet = running.fleet().snapshot();
      session.brokerVersion(fleet.brokerVersion());
      reportLatency(session, fleet, published.sent(), windows);
      reportDelivery(session, fleet, log, published, leaving.left);
      session.check(memory.flat(MemorySampler.HEAP, TOPIC, maxHeapPercent / PERCENT, 0));
      session.check(memory.flat(MemorySampler.DIRECT, TOPIC));
      memory.plot(session);
      long leaks = broker.logged("LEAK:");
      session.check(
          "no buffer leaked, of those that Netty samples", leaks == 0, "%,d lines", leaks);
      memory.check();
    }
  }

  private List<Phase> windows(Session session, Load running, ConsumerLog log, Periodic resetting)
      throws IOException, InterruptedException {
    int count = windows();
    List<Phase> windows = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      Phase window = Phase.of(Integer.toString(i), windowMinutes, running, log);
      windows.add(window);
      resetting.check();
      session.say("window %d of %d: P99 %.2f ms", i, count, Histograms.millis(window.micros(), 99));
    }
    return windows;
  }

  private void reportLatency(
      Session session, FleetSnapshot fleet, int published, List<Phase> windows) throws IOException {
    session.print("");
    session.print(
        "%,d consumers over %,d connections, %s %% of which are reset per minute, %,d-byte messages"
            + " at %s per second, windows of %s minutes",
        load.consumers, connections(), leavePercent, load.sizeBytes, load.rate, windowMinutes);
    session.print("");
    ResultTable table = Phase.table("window");
    windows.forEach(window -> window.addTo(table, fleet.lastReceiverMicros()));
    session.show("windows", table);
    Histogram first = windows.get(0).micros();
    Histogram last = windows.get(windows.size() - 1).micros();
    double p99First = Histograms.millis(first, 99);
    double p99Last = Histograms.millis(last, 99);
    double ratio = Phase.p99Ratio(last, first);
    session.figure("p99MillisFirst", p99First);
    session.figure("p99MillisLast", p99Last);
    session.figure("p99Ratio", ratio);
    session.check(
        Check.timed(
            format("the P99 of the last window is at most %.2f of that of the first", maxP99Ratio),
            ratio <= maxP99Ratio,
            "%.2f ms and %.2f ms, ratio %.3f",
            p99Last,
            p99First,
            ratio));
    LastReceivers.plot(
        session,
        fleet.lastReceiverMicros().subList(0, published),
        load.rate,
        "Last receiver, worst per second",
        "Those that have just returned among them.");
  }

  private void reportDelivery(
      Session session, FleetSnapshot fleet, ConsumerLog log, PublishResult published, long left)
      throws IOException {
    ResultTable consumers = ConsumerLog.table();
    log.addTo(consumers, "all", published.acknowledged());
    session.write("consumers", consumers);
    ResultTable table =
        new ResultTable(
            "messages", "connections that left", "missing", "came again", "out of order");
    table.row(
        published.acknowledgedCount(),
        left,
        log.missing(published.acknowledged()),
        log.duplicates(),
        log.outOfOrder());
    session.show("delivery", table);
    session.figure("published", published.acknowledgedCount());
    session.figure("left", left);
    session.figure("cameAgain", log.duplicates());
    log.checks("every consumer", published.acknowledged()).forEach(session::check);
    session.checkUndamaged(List.of(fleet));
    // Of one that had not come back yet, nothing is lost.
    session.check(
        "connections left, and no others were lost",
        fleet.connectionsLost() > left / 2 && fleet.connectionsLost() <= left,
        "%,d left, %,d lost",
        left,
        fleet.connectionsLost());
    double returns = (double) left * load.consumers / connections();
    session.check(
        "I5: who returned was sent again what it had last received, of a second at most",
        log.duplicates() <= returns * Math.max(1, load.rate),
        "%,d messages to %,.0f who returned",
        log.duplicates(),
        returns);
  }
}
