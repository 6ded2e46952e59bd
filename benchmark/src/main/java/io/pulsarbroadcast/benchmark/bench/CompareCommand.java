/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.OptionValues;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import io.pulsarbroadcast.benchmark.load.LoadRun;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import io.pulsarbroadcast.benchmark.metrics.RunOutcome;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.report.ScalePlot;
import io.pulsarbroadcast.benchmark.server.BrokerLoadServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Broadcast beside the stock types at several sizes. The main thread calls it.
 *
 * <p>Each step has a broker of its own, so that none inherits what another left behind.
 */
@Command(
    name = "compare",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Broadcast beside one stock subscription, or one reader, per consumer, at several sizes and"
            + " as far as each goes.")
final class CompareCommand extends BenchSubcommand {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final int MAX_CONSUMERS = 1_000_000;

  @Option(
      names = "--sizes",
      paramLabel = "N,N,...",
      description =
          "Consumers, one step after the other; takes the place of --consumers (default:"
              + " ${DEFAULT-VALUE}).")
  private String sizes = "1000,10000,20000,40000";

  @Option(
      names = "--types",
      paramLabel = "T,T,...",
      description = "Which are measured (default: ${DEFAULT-VALUE}).")
  private String types = "broadcast,exclusive,shared,reader";

  @Option(
      names = "--step-limit-seconds",
      paramLabel = "N",
      description =
          "A step that takes longer is stopped and counts as not finished (default:"
              + " ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 86_400)
  private int stepLimitSeconds = 300;

  @Option(
      names = "--keep-going",
      description = "Try larger sizes of a type also after one that did not finish.")
  private boolean keepGoing;

  private final ResultTable table =
      new ResultTable(
          List.of(
              "type",
              "consumers",
              "connected",
              "connect all, s",
              "P50, ms",
              "P99, ms",
              "max, ms",
              "last receiver P50, ms",
              "last receiver max, ms",
              "broker CPU per delivery, us",
              "expected",
              "received",
              "duplicates",
              "outcome"));
  private final List<RunResult> series = new ArrayList<>();
  private final Map<StockType, Integer> notFinished = new EnumMap<>(StockType.class);
  private String pulsarVersion = "unknown";

  CompareCommand() {
    super("compare", new LoadOptions());
  }

  @Override
  void check() {
    sizes();
    StockType.parse(types);
  }

  @Override
  String describe() {
    return String.format(
        Locale.ROOT,
        "%s consumers over %,d connections, %,d messages of %,d bytes at %s per second, the first"
            + " %,d not timed, ack %s; at most %,d s per step",
        sizes,
        load().connections,
        load().messages,
        load().sizeBytes,
        load().rate,
        load().warmup,
        load().ackPolicy(),
        stepLimitSeconds);
  }

  private List<Integer> sizes() {
    return OptionValues.numbers("--sizes", sizes, 1, MAX_CONSUMERS);
  }

  @Override
  int measure(BenchSession session) throws Exception {
    ScalePlot plot =
        new ScalePlot(
            "%,d-byte messages at %s per second".formatted(load().sizeBytes, load().rate),
            "Consumers of one topic",
            "P99 from intended send time (ms)");
    for (int consumers : sizes()) {
      for (StockType type : StockType.parse(types)) {
        if (notFinished.containsKey(type) && !keepGoing) {
          String outcome = "not tried: did not finish at " + notFinished.get(type);
          table.add(row(type, consumers, null, outcome));
          continue;
        }
        RunOutcome outcome = step(session, type, consumers);
        if (!outcome.isComplete()) {
          notFinished.put(type, consumers);
        }
        series.add(outcome.result());
        table.add(row(type, consumers, outcome, describe(outcome)));
        plot.add(
            type.label(),
            consumers,
            outcome.isComplete()
                ? LatencySummary.of(outcome.result().endToEndMicros()).p99Millis()
                : Double.NaN);
      }
      // Whoever stops it half way has what there is.
      write(session);
    }
    session.out().println();
    session.out().print(write(session));
    plot(session, plot);
    session.out().println("Results: " + session.results().folder());
    return notFinished.containsKey(StockType.BROADCAST)
        ? Program.EXIT_MISSING
        : Program.EXIT_COMPLETE;
  }

  private RunOutcome step(BenchSession session, StockType type, int consumers)
      throws IOException, InterruptedException {
    String name = type.label() + ", " + consumers;
    try (BrokerLoadServer broker =
        session.startBroker(type.label(), type.needsPlugin(), Map.of())) {
      LoadConfigBuilder config =
          load().config(broker.serviceUrl(), session.newTopic()).consumers(consumers);
      RunOutcome outcome =
          new LoadRun(
                  name,
                  type.subscribe(config, load().ackPolicy()).build(),
                  load().plan(),
                  session.listener(broker, name),
                  broker.process())
              .executeWithin(Duration.ofSeconds(stepLimitSeconds));
      if (!"unknown".equals(outcome.result().brokerVersion())) {
        pulsarVersion = outcome.result().brokerVersion();
      }
      return outcome;
    }
  }

  private static String describe(RunOutcome outcome) {
    if (outcome.isComplete()) {
      return "complete";
    }
    return "%s (stopped after %.0f s)"
        .formatted(
            outcome.stoppedBy() == null ? "messages are missing" : outcome.stoppedBy(),
            outcome.seconds());
  }

  private static List<Object> row(
      StockType type, int consumers, RunOutcome outcome, String description) {
    List<Object> cells = new ArrayList<>(List.of(type.label(), consumers));
    if (outcome == null) {
      for (int i = 0; i < 11; i++) {
        cells.add(null);
      }
    } else {
      RunResult result = outcome.result();
      boolean timed = result.timedDeliveries() > 0;
      LatencySummary endToEnd = LatencySummary.of(result.endToEndMicros());
      LatencySummary last = LatencySummary.of(result.lastReceiverMicros());
      cells.add(outcome.consumersSubscribed());
      cells.add(
          result.connectWallMicros() == 0 ? null : result.connectWallMicros() / MICROS_PER_SECOND);
      cells.add(timed ? endToEnd.p50Millis() : null);
      cells.add(timed ? endToEnd.p99Millis() : null);
      cells.add(timed ? endToEnd.maxMillis() : null);
      cells.add(timed ? last.p50Millis() : null);
      cells.add(timed ? last.maxMillis() : null);
      cells.add(result.brokerCpuMicrosPerDelivery());
      cells.add(result.delivery().expected());
      cells.add(result.delivery().received());
      cells.add(result.delivery().duplicates());
    }
    cells.add(description);
    return cells;
  }

  private String write(BenchSession session) throws IOException {
    String text = describe() + System.lineSeparator().repeat(2) + table.text();
    return session.results().write(text, table, pulsarVersion, series);
  }

  private static void plot(BenchSession session, ScalePlot plot) throws IOException {
    try {
      plot.write(session.results().folder(), "plot");
    } catch (RuntimeException | LinkageError e) {
      // A JRE without fonts cannot draw; the figures are there all the same.
      session.err().println("The plot was not written: " + e);
    }
  }
}
