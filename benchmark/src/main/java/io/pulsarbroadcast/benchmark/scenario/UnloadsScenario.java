/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.bench.LoadOptions;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Unloads of the topic under load: what is lost, what comes again. */
@Command(
    name = "unloads",
    header = "Unloads of the topic under load: what is lost, what comes again.",
    sortOptions = false,
    showDefaultValues = true,
    usageHelpWidth = 100,
    description =
        "Unloads the topic (admin API) again and again while it is published to, and checks that"
            + " nothing is lost, that each consumer's order is kept, and that nothing comes again"
            + " for whose acknowledgement the broker had given a receipt.")
public final class UnloadsScenario extends AbstractScenario {
  private static final String TOPIC = "unloads";
  private static final Duration RECOVERY_TIMEOUT = Duration.ofMinutes(2);

  /** Time to reserve room for messages while the topic moves, per unload. */
  private static final int SECONDS_PER_UNLOAD = 60;

  @Mixin LoadOptions load = LoadOptions.ofScenario();

  @Option(names = "--unloads", paramLabel = "N", description = "How often the topic is unloaded.")
  @Range(from = 1, to = 10_000)
  int unloads = 20;

  @Option(
      names = "--between-seconds",
      paramLabel = "SECONDS",
      description = "Undisturbed time before each unload.")
  @Range(from = 1, to = 3_600)
  int betweenSeconds = 5;

  @Override
  Map<String, String> brokerSettings() {
    return Map.of();
  }

  @Override
  void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    int messages = (int) (load.rate * (unloads + 1) * (betweenSeconds + SECONDS_PER_UNLOAD));
    UnloadTracker tracker = new UnloadTracker(load.consumers, messages);
    ResultTable table =
        new ResultTable(
            "unload",
            "answered, s",
            "recovery, s",
            "came again without a receipt",
            "with a receipt of before",
            "with a receipt since");
    try (Load running =
        load(config(broker, TOPIC, load, tracker, messages).reconnect(true), load.sizeBytes)) {
      running.connect(CONNECT_TIMEOUT);
      session.say("%,d consumers subscribed", load.consumers);
      running.startPublishing(0, load.rate);
      long longestMillis = 0;
      for (int i = 1; i <= unloads; i++) {
        TimeUnit.SECONDS.sleep(betweenSeconds);
        longestMillis =
            Math.max(longestMillis, unloadOnce(i, broker, running, tracker, table, session));
      }
      session.write("unloads", table);
      PublishResult published = running.stopPublishing(RECOVERY_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      report(session, running.fleet().snapshot(), tracker, published, longestMillis);
    }
  }

  private long unloadOnce(
      int number,
      Broker broker,
      Load running,
      UnloadTracker tracker,
      ResultTable table,
      Session session)
      throws IOException, InterruptedException, FleetException {
    long startNanos = System.nanoTime();
    tracker.unloading();
    broker.unload(topic(TOPIC));
    long unloadMillis = millisSince(startNanos);
    awaitReached(tracker, running.publisher().nextSequence(), RECOVERY_TIMEOUT);
    running.fleet().awaitSubscribed(RECOVERY_TIMEOUT);
    long recoveryMillis = millisSince(startNanos);
    table.row(
        number,
        unloadMillis / 1e3,
        recoveryMillis / 1e3,
        tracker.redeliveredWithoutReceipt(),
        tracker.redeliveredWithReceiptBefore(),
        tracker.redeliveredWithReceiptSince());
    session.say(
        "unload %d of %d: answered after %.2f s, all consumers receive again after %.2f s",
        number, unloads, unloadMillis / 1e3, recoveryMillis / 1e3);
    return recoveryMillis;
  }

  private static long millisSince(long startNanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }

  private void report(
      Session session,
      FleetSnapshot fleet,
      UnloadTracker tracker,
      PublishResult published,
      long longestMillis)
      throws IOException {
    session.brokerVersion(fleet.brokerVersion());
    ResultTable consumers = ConsumerLog.table();
    tracker.addTo(consumers, "all", published.acknowledged());
    session.write("consumers", consumers);
    session.print("");
    session.print(
        "%,d consumers, %,d messages of %,d bytes at %.0f per second, %d unloads",
        load.consumers, published.acknowledgedCount(), load.sizeBytes, load.rate, unloads);
    session.print("");
    ResultTable table = new ResultTable("", "all unloads");
    table.row("longest until all consumers receive again, s", longestMillis / 1e3);
    table.row("acknowledgements with a receipt", tracker.receipts());
    table.row(
        "came again: acknowledged, but without a receipt", tracker.redeliveredWithoutReceipt());
    table.row(
        "came again: receipt before the unload began", tracker.redeliveredWithReceiptBefore());
    table.row("came again: receipt after it had begun", tracker.redeliveredWithReceiptSince());
    table.row("messages the topic has twice (sent again)", tracker.furtherCopies());
    session.show("result", table);
    session.figure("unloads", unloads);
    session.figure("published", published.acknowledgedCount());
    session.figure("receipts", tracker.receipts());
    session.figure("redeliveredWithoutReceipt", tracker.redeliveredWithoutReceipt());
    session.figure("redeliveredWithReceiptBefore", tracker.redeliveredWithReceiptBefore());
    session.figure("redeliveredWithReceiptSince", tracker.redeliveredWithReceiptSince());
    session.figure("longestRecoveryMillis", longestMillis);
    tracker.checks("every consumer", published.acknowledged()).forEach(session::check);
    session.check(
        Check.counted(
            "receipts were given, so that the next line says something",
            tracker.receipts() > 0,
            format("%,d", tracker.receipts())));
    long broken = tracker.redeliveredWithReceiptBefore() + tracker.redeliveredWithReceiptSince();
    session.check(
        Check.counted(
            "I5: nothing came again for whose acknowledgement there was a receipt",
            broken == 0,
            format("%,d", broken) + (broken == 0 ? "" : ", first " + tracker.firstBroken())));
  }
}
