/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.BrokerLoadServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** All consumers cut off at once, again and again. The main thread calls it. */
@Command(
    name = "reconnect",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Cuts off all consumers at once while messages are published, and lets them come back; in"
            + " rounds. --messages is not used.")
final class ReconnectCommand extends BenchSubcommand {
  private static final long POLL_MILLIS = 50;
  private static final double NANOS_PER_SECOND = 1e9;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often they are cut off (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  private int rounds = 10;

  @Option(
      names = "--settle-seconds",
      paramLabel = "N",
      description = "Between the rounds (default: ${DEFAULT-VALUE}).")
  @Range(from = 0, to = 3_600)
  private int settleSeconds = 5;

  @Option(
      names = "--step-limit-seconds",
      paramLabel = "N",
      description =
          "After this the benchmark fails because not everybody is back and complete (default:"
              + " ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 86_400)
  private int roundLimitSeconds = 180;

  private final ResultTable table =
      new ResultTable(
          List.of(
              "round",
              "all back, s",
              "all complete, s",
              "published meanwhile",
              "publish P50, ms",
              "publish P99, ms",
              "publish max, ms",
              "duplicates",
              "out of order",
              "live heap, MB",
              "direct memory, MB",
              "resident, MB"));

  ReconnectCommand() {
    super("reconnect", LoadOptions.smallMessages());
  }

  @Override
  String describe() {
    return String.format(
        Locale.ROOT,
        "%,d consumers over %,d connections, cut off %d times, %,d-byte messages at %s per second,"
            + " ack %s",
        load().consumers,
        Math.min(load().connections, load().consumers),
        rounds,
        load().sizeBytes,
        load().rate,
        load().ackPolicy());
  }

  /** More than can be published in all the time there is. */
  private int messages() {
    double seconds = (double) (rounds + 1) * (roundLimitSeconds + settleSeconds);
    return (int) Math.min(Integer.MAX_VALUE / 2, Math.ceil(seconds * load().rate));
  }

  @Override
  int measure(BenchSession session) throws Exception {
    try (BrokerLoadServer broker = session.startBroker("Broadcast")) {
      LoadConfig config =
          load()
              .broadcast(broker.serviceUrl(), session.newTopic())
              .messages(messages())
              .warmupMessages(0)
              .reconnect(true)
              .build();
      FleetSnapshot atEnd;
      int published;
      try (ConnectedFleet connected =
          ConnectedFleet.connect(broker, config, load().plan(), session.progress())) {
        CompletableFuture<PublishResult> publishing =
            connected
                .publisher()
                .publishAsync(new Schedule(System.nanoTime(), load().rate), 0, messages());
        settle(session);
        add("before", MemoryReading.of(broker));
        for (int round = 1; round <= rounds; round++) {
          round(session, connected, broker, round);
          settle(session);
        }
        connected.publisher().stop();
        published = publishing.get().acknowledgedCount();
        await(
            session,
            "last messages",
            published,
            () -> connected.fleet().hasAll(published(publishing)));
        atEnd = connected.fleet().snapshot();
      }
      report(session, atEnd, published);
    }
    return Program.EXIT_COMPLETE;
  }

  private static int published(CompletableFuture<PublishResult> publishing) {
    return publishing.join().acknowledgedCount();
  }

  private void round(
      BenchSession session, ConnectedFleet connected, BrokerLoadServer broker, int round)
      throws FleetException, InterruptedException, IOException {
    ConsumerFleet fleet = connected.fleet();
    FleetSnapshot before = fleet.snapshot();
    connected.publisher().takeLatencyMicros();
    int lostBefore = fleet.connectionsLost();
    long startNanos = System.nanoTime();
    fleet.dropConnections();
    int connections = connected.config().connections();
    await(
        session,
        "round " + round + ": cut off",
        connections,
        () -> fleet.connectionsLost() - lostBefore >= connections);
    await(
        session,
        "round " + round + ": come back",
        load().consumers,
        () -> fleet.subscribed() == load().consumers);
    double backSeconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    int due = connected.publisher().acknowledgedSoFar();
    await(session, "round " + round + ": catch up", due, () -> fleet.hasAll(due));
    double completeSeconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    var publishMicros = connected.publisher().takeLatencyMicros();
    FleetSnapshot after = fleet.snapshot();
    LatencySummary publish = LatencySummary.of(publishMicros);
    MemoryReading memory = MemoryReading.of(broker);
    table.add(
        List.of(
            Integer.toString(round),
            backSeconds,
            completeSeconds,
            publishMicros.getTotalCount(),
            publish.p50Millis(),
            publish.p99Millis(),
            publish.maxMillis(),
            after.duplicates() - before.duplicates(),
            after.outOfOrder() - before.outOfOrder(),
            memory.heapMegabytes(),
            memory.directMegabytes(),
            memory.residentMegabytes()));
  }

  private void add(String name, MemoryReading memory) {
    table.add(
        List.of(
            name,
            Double.NaN,
            Double.NaN,
            0L,
            Double.NaN,
            Double.NaN,
            Double.NaN,
            0L,
            0L,
            memory.heapMegabytes(),
            memory.directMegabytes(),
            memory.residentMegabytes()));
  }

  private void settle(BenchSession session) throws InterruptedException {
    session.progress().phaseStarted("settle", settleSeconds);
    for (int second = 0; second < settleSeconds; second++) {
      TimeUnit.SECONDS.sleep(1);
      session.progress().progress(second + 1);
    }
    session.progress().phaseEnded();
  }

  private void await(BenchSession session, String phase, long total, BooleanSupplier condition)
      throws InterruptedException, IOException {
    session.progress().phaseStarted(phase, total);
    long startNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - startNanos > Duration.ofSeconds(roundLimitSeconds).toNanos()) {
        throw new IOException(
            "%s: not done after %d s (--step-limit-seconds)%n%s"
                .formatted(phase, roundLimitSeconds, table.text()));
      }
      session.progress().progress(0);
      Thread.sleep(POLL_MILLIS);
    }
    session.progress().progress(total);
    session.progress().phaseEnded();
  }

  private void report(BenchSession session, FleetSnapshot atEnd, int published) throws IOException {
    String newLine = System.lineSeparator();
    String text =
        describe()
            + newLine
            + newLine
            + table.text()
            + newLine
            + "In the end every one of %,d messages was with every consumer; duplicates %,d, out of order %,d, corrupt %,d, unexpected %,d%n"
                .formatted(
                    published,
                    atEnd.duplicates(),
                    atEnd.outOfOrder(),
                    atEnd.corrupt(),
                    atEnd.unexpected());
    session.out().println();
    session.out().print(session.results().write(text, table, atEnd.brokerVersion(), List.of()));
    session.out().println("Results: " + session.results().folder());
  }
}
