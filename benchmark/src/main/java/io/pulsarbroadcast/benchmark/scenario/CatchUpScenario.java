/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.LoadOptions;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.CatchUp;
import io.pulsarbroadcast.benchmark.engine.CatchUpRound;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
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

  /** Some laggards that caught up, and the tail before. */
  private record Result(
      CatchUpRound before,
      CatchUpRound round,
      double reads,
      double cacheHitsPercent,
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
    ConsumerLog tail = new ConsumerLog(load.consumers, true);
    LoadConfig options = config(broker, TOPIC, load, tail, messages);
    LoadConfig config = options.build();
    try (Load running = load(options.run(config.run), load.sizeBytes)) {
      CatchUp catchUp =
          new CatchUp(running, load.sizeBytes, load.rate, CONNECT_TIMEOUT, RunListener.SILENT);
      catchUp.leavePositions(laggards(config, new ConsumerLog(1, true)));
      catchUp.leavePositions(laggards(config, new ConsumerLog(laggards, true)));
      running.connectPublishers();
      session.say("publishing %,d messages, %,d MB", backlog, backlogMegabytes);
      catchUp.writeBacklog(backlog, AS_FAST_AS_POSSIBLE);
      running.subscribe(CONNECT_TIMEOUT);
      session.say("%,d consumers at the tail", load.consumers);
      running.startPublishing(load.rate);
      List<Result> results = new ArrayList<>();
      for (int count : List.of(1, laggards)) {
        results.add(catchUp(broker, session, catchUp, config, count));
      }
      PublishResult published = running.stopPublishing(Duration.ofMinutes(2));
      awaitReached(tail, published.acknowledged().length() - 1, Duration.ofMinutes(2));
      BitSet ofTheTail = (BitSet) published.acknowledged().clone();
      ofTheTail.clear(0, backlog);
      session.brokerVersion(running.fleet().snapshot().brokerVersion());
      report(session, results, tail, ofTheTail);
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

  private Result catchUp(
      Broker broker, Session session, CatchUp catchUp, LoadConfig config, int count)
      throws IOException, InterruptedException, FleetException {
    // The tail's consumers get to know their connections before they are timed.
    TimeUnit.SECONDS.sleep(Math.min(5, beforeSeconds));
    CatchUpRound before = catchUp.alone(beforeSeconds);
    ConsumerLog log = new ConsumerLog(count, true);
    session.say("%d behind by %,d messages: catching up", count, backlog);
    double readsBefore = broker.metrics().sum(READS, "success=\"true\"");
    try (CacheHits cache = new CacheHits(broker)) {
      CatchUpRound round = catchUp.round(laggards(config, log), TIMEOUT);
      double reads = broker.metrics().sum(READS, "success=\"true\"") - readsBefore;
      double hits = cache.percent();
      session.say(
          "%s after %.1f s, %.0f reads from BookKeeper, %.0f %% of the entries from the cache",
          round.caughtUp() ? "caught up" : "given up", round.seconds(), reads, hits);
      return new Result(before, round, reads, hits, log);
    }
  }

  private void report(Session session, List<Result> results, ConsumerLog tail, BitSet ofTheTail)
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
    for (Result result : results) {
      int count = result.round.laggards();
      double seconds = result.round.seconds();
      double rate = backlog / seconds;
      double megabytes = rate * load.sizeBytes / BYTES_PER_MEGABYTE;
      double before = result.before.tailEndToEnd().p99Micros() / 1e3;
      double during = result.round.tailEndToEnd().p99Micros() / 1e3;
      table.row(
          Integer.toString(count),
          seconds,
          megabytes,
          rate,
          megabytes * count,
          (long) result.reads,
          result.cacheHitsPercent,
          before,
          during);
      result.log.addTo(consumers, "behind-" + count, ofTheBacklog);
      String who = count == 1 ? "the one" : "each of the " + count;
      session.check(who + " caught up", result.round.caughtUp(), "after %.1f s", seconds);
      result.log.checks(who, ofTheBacklog).forEach(session::check);
      long duplicates = result.log.duplicates();
      session.check("nothing came twice to " + who, duplicates == 0, "%,d did", duplicates);
      session.figure("seconds" + count, seconds);
      session.figure("megabytesPerSecondEach" + count, megabytes);
      session.figure("reads" + count, result.reads);
      session.figure("cacheHitsPercent" + count, result.cacheHitsPercent);
      session.figure("tailP99MillisBefore" + count, before);
      session.figure("tailP99MillisDuring" + count, during);
    }
    tail.addTo(consumers, "tail", ofTheTail);
    session.show("catch-up", table);
    session.write("consumers", consumers);
    tail.checks("every consumer at the tail", ofTheTail).forEach(session::check);
    double one = results.get(0).reads;
    double many = results.get(1).reads;
    session.check(
        "the catch-up was read from BookKeeper and not from the cache", one > 0, "%.0f reads", one);
    session.check(
        format("%d cost at most %.1f times the reads of one", laggards, maxReadRatio),
        many <= one * maxReadRatio,
        "%.0f and %.0f, ratio %.2f",
        many,
        one,
        many / one);
  }
}
