/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.bench.LoadOptions;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.scenario.LatencyPhases.Phase;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Consumers far behind that catch up beside a tail, one and many of them. */
@Command(
    name = "catch-up",
    header = "Consumers far behind catch up beside a tail, one and many.",
    sortOptions = false,
    showDefaultValues = true,
    usageHelpWidth = 100,
    description =
        "One durable consumer far behind catches up from BookKeeper while others receive at the tail;"
            + " then many that are equally far behind. Compares the rates, the tail's latency, and"
            + " how much is read from BookKeeper.")
public final class CatchUpScenario extends AbstractScenario {
  private static final String TOPIC = "catch-up";
  private static final double BYTES_PER_MEGABYTE = 1 << 20;
  private static final int LAGGARDS_PER_CONNECTION = 10;
  private static final double AS_FAST_AS_POSSIBLE = 1e6;
  private static final Duration TIMEOUT = Duration.ofMinutes(60);

  /** Successful reads of ranges of entries that the broker's BookKeeper client has done. */
  private static final String READS =
      "pulsar_managedLedger_client_bookkeeper_client_READ_ENTRY_count";

  @Mixin LoadOptions load = LoadOptions.ofScenario();

  @Option(
      names = "--backlog-mb",
      paramLabel = "MB",
      description = "How far the laggards are behind.")
  @Range(from = 1, to = 9_000)
  int backlogMegabytes = 1_024;

  @Option(
      names = "--laggards",
      paramLabel = "N",
      description = "How many catch up in the second run.")
  @Range(from = 1, to = 10_000)
  int laggards = 100;

  @Option(names = "--cache-mb", paramLabel = "MB", description = "The broker's entry cache.")
  @Range(from = 1, to = 1_000_000)
  int cacheMegabytes = 16;

  @Option(
      names = "--before-seconds",
      paramLabel = "SECONDS",
      description = "Time at the tail alone before each run.")
  @Range(from = 1, to = 3_600)
  int beforeSeconds = 60;

  @Option(
      names = "--max-read-ratio",
      paramLabel = "RATIO",
      description = "What many may cost in reads from BookKeeper, of what one does.")
  @Range(from = 1, to = 1_000)
  double maxReadRatio = 1.5;

  /** One catch-up. */
  private record Run(
      int consumers,
      double seconds,
      double reads,
      double cacheHitsPercent,
      Phase tailBefore,
      Phase tailDuring,
      ConsumerLog log) {}

  private int backlog;

  @Override
  Map<String, String> brokerSettings() {
    Map<String, String> settings = new HashMap<>(CacheHits.BROKER_SETTINGS);
    settings.put("managedLedgerCacheSizeMB", Integer.toString(cacheMegabytes));
    return settings;
  }

  @Override
  void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    backlog = (int) (backlogMegabytes * BYTES_PER_MEGABYTE / load.sizeBytes);
    int messages = backlog + (int) (load.rate * 2 * (beforeSeconds + TIMEOUT.toSeconds()));
    PhasedLog tail = new PhasedLog(load.consumers);
    LoadConfig options = config(broker, TOPIC, load, tail, messages);
    LoadConfig config = options.build();
    try (Load running = load(options.run(config.run), load.sizeBytes)) {
      leavePosition(config, 1);
      leavePosition(config, laggards);
      running.connectPublishers();
      publishBacklog(session, running);
      running.subscribe(CONNECT_TIMEOUT);
      session.say("%,d consumers at the tail", load.consumers);
      running.startPublishing(backlog, load.rate);
      Run one = catchUp(broker, session, config, running, tail, 1);
      Run many = catchUp(broker, session, config, running, tail, laggards);
      PublishResult published = running.stopPublishing(Duration.ofMinutes(2));
      awaitReached(tail, published.acknowledged().length() - 1, Duration.ofMinutes(2));
      FleetSnapshot fleet = running.fleet().snapshot();
      BitSet ofTheTail = (BitSet) published.acknowledged().clone();
      ofTheTail.clear(0, backlog);
      session.brokerVersion(fleet.brokerVersion());
      report(session, one, many, tail, ofTheTail);
    }
  }

  /** Consumers subscribe and go away again: what is published from then on is kept for them. */
  private void leavePosition(LoadConfig config, int count)
      throws FleetException, InterruptedException {
    try (ConsumerFleet fleet = new ConsumerFleet(laggards(config, new ConsumerLog(count, true)))) {
      fleet.start();
      fleet.awaitSubscribed(CONNECT_TIMEOUT);
    }
  }

  private static LoadConfig laggards(LoadConfig tail, ConsumerLog log) {
    int count = log.consumers();
    return LoadConfig.builder()
        .serviceUrl(tail.serviceUrl)
        .topic(tail.topic)
        .broadcast(SUBSCRIPTION)
        .run(tail.run)
        .messages(tail.messages)
        .consumerName(LoadConfig.numbered("behind-" + count))
        .consumers(count)
        .connections((count + LAGGARDS_PER_CONNECTION - 1) / LAGGARDS_PER_CONNECTION)
        .deliveryListener(log)
        .build();
  }

  private void publishBacklog(Session session, Load running)
      throws IOException, InterruptedException {
    session.say("publishing %,d messages, %,d MB", backlog, backlogMegabytes);
    PublishResult result =
        running
            .publisher()
            .publish(new Schedule(System.nanoTime(), AS_FAST_AS_POSSIBLE), 0, backlog);
    if (result.acknowledgedCount() < backlog) {
      throw new IOException("The backlog was not stored: " + result.firstError());
    }
  }

  private Run catchUp(
      Broker broker, Session session, LoadConfig config, Load running, PhasedLog tail, int count)
      throws IOException, InterruptedException, FleetException {
    // The tail's consumers get to know their connections before they are timed.
    TimeUnit.SECONDS.sleep(Math.min(5, beforeSeconds));
    Phase before = tail.phases().begin("before " + count, running.publisher().nextSequence() + 1);
    TimeUnit.SECONDS.sleep(beforeSeconds);
    double readsBefore = broker.metrics().sum(READS, "success=\"true\"");
    ConsumerLog log = new ConsumerLog(count, true);
    try (ConsumerFleet fleet = new ConsumerFleet(laggards(config, log));
        CacheHits cache = new CacheHits(broker)) {
      session.say(
          "%d behind by %,d messages: catching up", count, running.publisher().nextSequence());
      Phase during = tail.phases().begin("during " + count, running.publisher().nextSequence() + 1);
      long startNanos = System.nanoTime();
      fleet.start();
      fleet.awaitSubscribed(CONNECT_TIMEOUT);
      awaitReached(log, running.publisher().nextSequence() - 1, TIMEOUT);
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      tail.phases().end(running.publisher().nextSequence() + 1);
      double reads = broker.metrics().sum(READS, "success=\"true\"") - readsBefore;
      cache.close();
      session.say(
          "caught up after %.1f s, %.0f reads from BookKeeper, %.0f %% of the entries from the"
              + " cache",
          seconds, reads, cache.percent());
      fleet.snapshot();
      return new Run(count, seconds, reads, cache.percent(), before, during, log);
    }
  }

  private void report(Session session, Run one, Run many, PhasedLog tail, BitSet ofTheTail)
      throws IOException {
    session.print("");
    session.print(
        "%,d messages of %,d bytes behind (%,d MB, entry cache %,d MB), %,d consumers at the tail,"
            + " %.0f messages per second",
        backlog, load.sizeBytes, backlogMegabytes, cacheMegabytes, load.consumers, load.rate);
    session.print("");
    ResultTable table =
        new ResultTable(
            "behind",
            "caught up, s",
            "each, MB/s",
            "each, messages/s",
            "all, MB/s",
            "reads",
            "cache hits, %",
            "tail P99 before, ms",
            "tail P99 during, ms");
    BitSet ofTheBacklog = new BitSet();
    ofTheBacklog.set(0, backlog);
    ResultTable consumers = ConsumerLog.table();
    for (Run run : List.of(one, many)) {
      double rate = backlog / run.seconds;
      double megabytes = rate * load.sizeBytes / BYTES_PER_MEGABYTE;
      double before = LatencyPhases.millis(run.tailBefore.micros(), 99);
      double during = LatencyPhases.millis(run.tailDuring.micros(), 99);
      table.row(
          Integer.toString(run.consumers),
          run.seconds,
          megabytes,
          rate,
          megabytes * run.consumers,
          (long) run.reads,
          run.cacheHitsPercent,
          before,
          during);
      run.log.addTo(consumers, "behind-" + run.consumers, ofTheBacklog);
      String who = run.consumers == 1 ? "the one" : "each of the " + run.consumers;
      run.log.checks(who, ofTheBacklog).forEach(session::check);
      session.check(
          Check.counted(
              "nothing came twice to " + who,
              run.log.duplicates() == 0,
              format("%,d did", run.log.duplicates())));
      session.figure("seconds" + run.consumers, run.seconds);
      session.figure("megabytesPerSecondEach" + run.consumers, megabytes);
      session.figure("reads" + run.consumers, run.reads);
      session.figure("cacheHitsPercent" + run.consumers, run.cacheHitsPercent);
      session.figure("tailP99MillisBefore" + run.consumers, before);
      session.figure("tailP99MillisDuring" + run.consumers, during);
    }
    tail.addTo(consumers, "tail", ofTheTail);
    session.show("catch-up", table);
    session.write("consumers", consumers);
    tail.checks("every consumer at the tail", ofTheTail).forEach(session::check);
    session.check(
        Check.counted(
            "the catch-up was read from BookKeeper and not from the cache",
            one.reads > 0,
            format("%.0f reads", one.reads)));
    session.check(
        Check.counted(
            format("%d cost at most %.1f times the reads of one", many.consumers, maxReadRatio),
            many.reads <= one.reads * maxReadRatio,
            format("%.0f and %.0f, ratio %.2f", many.reads, one.reads, many.reads / one.reads)));
  }
}
