/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Unloads of the topic under load: what is lost, what comes again. */
@Command(
    name = "unloads",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Unloads the topic (admin API) again and again while it is published to, and checks that"
            + " nothing is lost, that each consumer's order is kept, and that nothing comes again"
            + " for whose acknowledgement the broker had given a receipt.",
    footer = {"", AbstractScenario.EXIT_CODES})
final class UnloadsScenario extends AbstractScenario {
  private static final String TOPIC = "unloads";
  private static final Duration RECOVERY_TIMEOUT = Duration.ofMinutes(2);

  /** Time to reserve room for messages while the topic moves, per unload. */
  private static final int SECONDS_PER_UNLOAD = 60;

  @Mixin FleetOptions load = new FleetOptions();

  @Option(
      names = "--unloads",
      paramLabel = "N",
      description = "How often the topic is unloaded (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 10_000)
  int unloads = 20;

  @Option(
      names = "--between-seconds",
      paramLabel = "SECONDS",
      description = "Undisturbed time before each unload (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 3_600)
  int betweenSeconds = 5;

  UnloadsScenario(PrintStream out, PrintStream err) {
    super(out, err);
  }

  @Override
  Map<String, String> brokerSettings() {
    return Map.of();
  }

  @Override
  void run(ScenarioBroker broker, ResultsFolder results)
      throws IOException, InterruptedException, FleetException {
    int messages = (int) (load.rate * (unloads + 1) * (betweenSeconds + SECONDS_PER_UNLOAD));
    UnloadTracker tracker = new UnloadTracker(load.consumers, messages);
    try (BroadcastLoad running =
            new BroadcastLoad(
                BroadcastLoad.config(broker, TOPIC, load, tracker, messages).reconnect(true),
                load.sizeBytes);
        CsvFile csv =
            new CsvFile(
                results.file("unloads.csv"),
                "unload",
                "unloadMillis",
                "recoveryMillis",
                "redeliveredWithoutReceipt",
                "redeliveredWithReceiptBefore",
                "redeliveredWithReceiptSince")) {
      running.subscribe();
      say("%,d consumers subscribed", load.consumers);
      running.publish(0, load.rate);
      long longestMillis = 0;
      for (int i = 1; i <= unloads; i++) {
        TimeUnit.SECONDS.sleep(betweenSeconds);
        longestMillis = Math.max(longestMillis, unloadOnce(i, broker, running, tracker, csv));
      }
      PublishResult published = running.stopPublishing(RECOVERY_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      report(results, running.fleet().snapshot(), tracker, published, longestMillis);
    }
  }

  private long unloadOnce(
      int number, ScenarioBroker broker, BroadcastLoad running, UnloadTracker tracker, CsvFile csv)
      throws IOException, InterruptedException, FleetException {
    long startNanos = System.nanoTime();
    tracker.unloading();
    broker.unload(TOPIC);
    long unloadMillis = millisSince(startNanos);
    BroadcastLoad.awaitReached(tracker, running.publisher().nextSequence(), RECOVERY_TIMEOUT);
    running.fleet().awaitSubscribed(RECOVERY_TIMEOUT);
    long recoveryMillis = millisSince(startNanos);
    csv.row(
        number,
        unloadMillis,
        recoveryMillis,
        tracker.redeliveredWithoutReceipt(),
        tracker.redeliveredWithReceiptBefore(),
        tracker.redeliveredWithReceiptSince());
    say(
        "unload %d of %d: answered after %.2f s, all consumers receive again after %.2f s",
        number, unloads, unloadMillis / 1e3, recoveryMillis / 1e3);
    return recoveryMillis;
  }

  private static long millisSince(long startNanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }

  private void report(
      ResultsFolder results,
      FleetSnapshot fleet,
      UnloadTracker tracker,
      PublishResult published,
      long longestMillis)
      throws IOException {
    brokerVersion(fleet.brokerVersion());
    try (CsvFile csv = ConsumerLog.csv(results.file("consumers.csv"))) {
      tracker.write(csv, "all", published.acknowledged());
    }
    print("");
    print(
        format(
            "%,d consumers, %,d messages of %,d bytes at %.0f per second, %d unloads",
            load.consumers, published.acknowledgedCount(), load.sizeBytes, load.rate, unloads));
    print("");
    TextTable table = new TextTable("", "");
    table.row("longest until all consumers receive again, s", longestMillis / 1e3);
    table.row("acknowledgements with a receipt", tracker.receipts());
    table.row(
        "came again: acknowledged, but without a receipt", tracker.redeliveredWithoutReceipt());
    table.row(
        "came again: receipt before the unload began", tracker.redeliveredWithReceiptBefore());
    table.row("came again: receipt after it had begun", tracker.redeliveredWithReceiptSince());
    table.row("messages the topic has twice (sent again)", tracker.furtherCopies());
    print(table.toString());
    figures.put("unloads", unloads);
    figures.put("published", published.acknowledgedCount());
    figures.put("receipts", tracker.receipts());
    figures.put("redeliveredWithoutReceipt", tracker.redeliveredWithoutReceipt());
    figures.put("redeliveredWithReceiptBefore", tracker.redeliveredWithReceiptBefore());
    figures.put("redeliveredWithReceiptSince", tracker.redeliveredWithReceiptSince());
    figures.put("longestRecoveryMillis", longestMillis);
    for (Promise promise : tracker.promises("every consumer", published.acknowledged())) {
      promise(promise);
    }
    promise(
        Promise.counted(
            "receipts were given, so that the next line says something",
            tracker.receipts() > 0,
            format("%,d", tracker.receipts())));
    long broken = tracker.redeliveredWithReceiptBefore() + tracker.redeliveredWithReceiptSince();
    promise(
        Promise.counted(
            "I5: nothing came again for whose acknowledgement there was a receipt",
            broken == 0,
            format("%,d", broken) + (broken == 0 ? "" : ", first " + tracker.firstBroken())));
  }
}
