/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Unloads of the topic under load: what is lost, what comes again. */
@Command(
    name = "unloads",
    header = "Unloads of the topic under load: what is lost, what comes again.",
    description =
        "Unloads the topic (admin API) again and again while it is published to, and checks that"
            + " nothing is lost, that each consumer's order is kept, and that nothing comes again"
            + " for whose acknowledgement the broker had given a receipt.")
public final class UnloadsScenario extends DisturbedScenario<UnloadTracker> {
  @Option(names = "--unloads", paramLabel = "N", description = "How often the topic is unloaded.")
  @Range(from = 1, to = 10_000)
  int unloads = 20;

  private final ResultTable table =
      new ResultTable(
          "unload",
          "answered, s",
          "recovery, s",
          "came again without a receipt",
          "with a receipt of before",
          "with a receipt since");
  private double answeredSeconds;
  private double longestSeconds;

  public UnloadsScenario() {
    super("unloads", 5);
  }

  @Override
  int times() {
    return unloads;
  }

  @Override
  UnloadTracker newLog(int consumers, int messages) {
    return new UnloadTracker(consumers, messages);
  }

  @Override
  int disturb(Broker broker, Load running, UnloadTracker tracker)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    tracker.unloading();
    broker.unload(topic(topic));
    answeredSeconds = secondsSince(startNanos);
    return running.publisher().nextSequence();
  }

  @Override
  void recovered(Session session, UnloadTracker tracker, int time, double seconds) {
    longestSeconds = Math.max(longestSeconds, seconds);
    table.row(
        time,
        answeredSeconds,
        seconds,
        tracker.redeliveredWithoutReceipt(),
        tracker.redeliveredWithReceiptBefore(),
        tracker.redeliveredWithReceiptSince());
    session.say(
        "unload %d of %d: answered after %.2f s, all consumers receive again after %.2f s",
        time, unloads, answeredSeconds, seconds);
  }

  @Override
  String headline() {
    return unloads + " unloads";
  }

  @Override
  void report(Session session, UnloadTracker tracker, FleetSnapshot fleet) throws IOException {
    session.write("unloads", table);
    long receipts = tracker.receipts();
    long without = tracker.redeliveredWithoutReceipt();
    long before = tracker.redeliveredWithReceiptBefore();
    long since = tracker.redeliveredWithReceiptSince();
    ResultTable result = new ResultTable("", "all unloads");
    result.row("longest until all consumers receive again, s", longestSeconds);
    result.row("acknowledgements with a receipt", receipts);
    result.row("came again: acknowledged, but without a receipt", without);
    result.row("came again: receipt before the unload began", before);
    result.row("came again: receipt after it had begun", since);
    result.row("messages the topic has twice (sent again)", tracker.furtherCopies());
    session.show("result", result);
    session.figure("unloads", unloads);
    session.figure("receipts", receipts);
    session.figure("redeliveredWithoutReceipt", without);
    session.figure("redeliveredWithReceiptBefore", before);
    session.figure("redeliveredWithReceiptSince", since);
    session.figure("longestRecoveryMillis", Math.round(longestSeconds * 1e3));
    session.check(
        "receipts were given, so that the next line says something", receipts > 0, "%,d", receipts);
    session.check(
        "I5: nothing came again for whose acknowledgement there was a receipt",
        before + since == 0,
        "%,d%s",
        before + since,
        before + since == 0 ? "" : ", first " + tracker.firstBroken());
  }
}
