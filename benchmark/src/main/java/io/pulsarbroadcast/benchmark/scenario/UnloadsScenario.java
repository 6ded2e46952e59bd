/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.history.Faults;
import io.pulsarbroadcast.benchmark.history.HistoryChecker.Summary;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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
public final class UnloadsScenario extends DisturbedScenario {
  @Option(names = "--unloads", paramLabel = "N", description = "How often the topic is unloaded.")
  @Range(from = 1, to = 10_000)
  int unloads = 20;

  /** One per unload. */
  private final List<Double> answeredSeconds = new ArrayList<>();

  private final List<Double> recoverySeconds = new ArrayList<>();

  public UnloadsScenario() {
    super("unloads", 5);
  }

  @Override
  int times() {
    return unloads;
  }

  @Override
  String kind() {
    return "unload";
  }

  @Override
  boolean isCrash() {
    return false;
  }

  @Override
  void disturb(Broker broker) throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    broker.unload(topic(topic));
    answeredSeconds.add(secondsSince(startNanos));
  }

  @Override
  void recovered(Session session, int time, double seconds) {
    recoverySeconds.add(seconds);
    session.say(
        "unload %d of %d: answered after %.2f s, all consumers receive again after %.2f s",
        time, unloads, answeredSeconds.get(time - 1), seconds);
  }

  @Override
  String headline() {
    return unloads + " unloads";
  }

  @Override
  void report(Session session, Summary history) throws IOException {
    ResultTable table =
        new ResultTable("unload", "answered, s", "recovery, s", "acknowledged and came again");
    for (Faults.Report unload : history.faults()) {
      int index = unload.number() - 1;
      table.row(
          unload.number(),
          answeredSeconds.get(index),
          recoverySeconds.get(index),
          unload.cameAgain());
    }
    session.write("unloads", table);
    double longestSeconds = Collections.max(recoverySeconds);
    long cameAgain = history.faults().stream().mapToLong(Faults.Report::cameAgain).sum();
    ResultTable result = new ResultTable("", "all unloads");
    result.row("longest until all consumers receive again, s", longestSeconds);
    result.row("acknowledgements with a receipt", history.receipts());
    result.row("came again: acknowledged, but without a receipt", cameAgain);
    result.row("messages the topic has twice (sent again)", history.copies());
    session.show("result", result);
    session.figure("unloads", unloads);
    session.figure("receipts", history.receipts());
    session.figure("redelivered", cameAgain);
    session.figure("longestRecoveryMillis", Math.round(longestSeconds * 1e3));
    session.check(
        "receipts were given, so that I5 says something",
        history.receipts() > 0,
        "%,d",
        history.receipts());
  }
}
