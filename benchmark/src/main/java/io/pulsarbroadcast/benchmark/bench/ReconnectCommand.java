/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import io.pulsarbroadcast.benchmark.server.MemoryReading;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** All consumers cut off at once, again and again. The main thread calls it. */
@Command(
    name = "reconnect",
    header = "All connections cut at once, again and again.",
    description =
        "Cuts off all consumers at once while messages are published, and lets them come back; in"
            + " rounds. --messages is not used.")
public final class ReconnectCommand extends BenchSubcommand {
  private static final long POLL_MILLIS = 50;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final Duration CONNECT_LIMIT = Duration.ofMinutes(10);

  @Option(names = "--rounds", paramLabel = "N", description = "How often they are cut off.")
  @Range(from = 1, to = 1_000)
  private int rounds = 10;

  @Option(names = "--settle-seconds", paramLabel = "N", description = "Between the rounds.")
  @Range(from = 0, to = 3_600)
  private int settleSeconds = 5;

  @Option(
      names = "--step-limit-seconds",
      paramLabel = "N",
      description = "After this it fails because not everybody is back and complete.")
  @Range(from = 1, to = 86_400)
  private int roundLimitSeconds = 180;

  @Mixin private RunLoadOptions load = RunLoadOptions.ofSmallMessages();

  private final ResultTable table =
      new ResultTable(
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
          "resident, MB");

  /** More than can be published in all the time there is. */
  @Override
  protected void check() {
    double seconds = (double) (rounds + 1) * (roundLimitSeconds + settleSeconds);
    load.messages = (int) Math.min(Integer.MAX_VALUE / 2.0, Math.ceil(seconds * load.rate));
    load.check();
  }

  @Override
  protected int measure(Session session) throws Exception {
    try (Broker broker = session.startBroker(Map.of())) {
      LoadConfig config =
          load.broadcast(broker.serviceUrl(), session.newTopic()).reconnect(true).build();
      try (Load all = new Load("Broadcast", config, load.sizeBytes, session.progress())) {
        all.connect(CONNECT_LIMIT);
        all.startPublishing(load.rate);
        settle(session);
        add("before", MemoryReading.of(broker));
        for (int round = 1; round <= rounds; round++) {
          round(session, all, broker, round);
          settle(session);
        }
        int published =
            all.stopPublishing(Duration.ofSeconds(roundLimitSeconds)).acknowledgedCount();
        await(session, "last messages", published, () -> all.fleet().hasAll(published));
        report(session, all.fleet().snapshot(), published);
      }
    }
    return session.finish(true, true);
  }

  private void round(Session session, Load all, Broker broker, int round)
      throws InterruptedException, IOException {
    ConsumerFleet fleet = all.fleet();
    FleetSnapshot before = fleet.snapshot();
    all.publisher().takeLatencyMicros();
    int lostBefore = fleet.connectionsLost();
    int connections = Math.min(load.connections, load.consumers);
    long startNanos = System.nanoTime();
    fleet.dropConnections();
    await(
        session,
        "round " + round + ": cut off",
        connections,
        () -> fleet.connectionsLost() - lostBefore >= connections);
    await(
        session,
        "round " + round + ": come back",
        load.consumers,
        () -> fleet.subscribed() == load.consumers);
    double backSeconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    int due = all.publisher().acknowledgedSoFar();
    await(session, "round " + round + ": catch up", due, () -> fleet.hasAll(due));
    double completeSeconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    Histogram publishMicros = all.publisher().takeLatencyMicros();
    FleetSnapshot after = fleet.snapshot();
    LatencySummary publish = LatencySummary.of(publishMicros);
    MemoryReading memory = MemoryReading.of(broker);
    table.row(
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
        memory.residentMegabytes());
  }

  private void add(String name, MemoryReading memory) {
    table.row(
        name,
        null,
        null,
        0L,
        null,
        null,
        null,
        0L,
        0L,
        memory.heapMegabytes(),
        memory.directMegabytes(),
        memory.residentMegabytes());
  }

  private void settle(Session session) throws InterruptedException {
    session.progress().phaseStarted("settle", settleSeconds);
    for (int second = 0; second < settleSeconds; second++) {
      TimeUnit.SECONDS.sleep(1);
      session.progress().progress(second + 1);
    }
    session.progress().phaseEnded();
  }

  private void await(Session session, String phase, long total, BooleanSupplier condition)
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

  private void report(Session session, FleetSnapshot atEnd, int published) throws IOException {
    session.brokerVersion(atEnd.brokerVersion());
    session.print(
        "%,d consumers over %,d connections, cut off %d times, %,d-byte messages at %s per second,"
            + " ack %s",
        load.consumers,
        Math.min(load.connections, load.consumers),
        rounds,
        load.sizeBytes,
        LoadOptions.plain(load.rate),
        load.ack);
    session.print("");
    session.show("result", table);
    session.print(
        "In the end every one of %,d messages was with every consumer; duplicates %,d, out of order"
            + " %,d, corrupt %,d, unexpected %,d",
        published, atEnd.duplicates(), atEnd.outOfOrder(), atEnd.corrupt(), atEnd.unexpected());
  }
}
