/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.history.Faults;
import io.pulsarbroadcast.benchmark.history.HistoryChecker.Summary;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** SIGKILLs of the broker under load: what is lost, what comes again. */
@Command(
    name = "kills",
    header = "SIGKILLs of the broker under load: what is lost, what comes again.",
    description =
        "Kills the broker (SIGKILL) again and again while it is published to, and checks that nothing"
            + " acknowledged to the producer is lost, that each consumer's order is kept, and that"
            + " nothing comes again that was acknowledged longer before the kill than one flush"
            + " interval.")
public final class KillsScenario extends DisturbedScenario {
  @Option(names = "--kills", paramLabel = "N", description = "How often the broker is killed.")
  @Range(from = 1, to = 1_000)
  int kills = 20;

  @Option(
      names = "--flush-interval-millis",
      paramLabel = "MILLIS",
      description = "broadcastPositionFlushIntervalMillis of the broker.")
  @Range(from = 1, to = 60_000)
  int flushIntervalMillis = 1_000;

  @Option(
      names = "--margin-millis",
      paramLabel = "MILLIS",
      description =
          "What one flush may take, and the way of an acknowledgement to the broker: added to the"
              + " interval.")
  @Range(from = 0, to = 60_000)
  int marginMillis = 500;

  @Override
  Map<String, String> brokerSettings() {
    return Map.of("broadcastPositionFlushIntervalMillis", Integer.toString(flushIntervalMillis));
  }

  private final List<Double> recoverySeconds = new ArrayList<>();

  public KillsScenario() {
    super("kills", 10);
  }

  @Override
  int times() {
    return kills;
  }

  @Override
  String kind() {
    return "kill";
  }

  @Override
  boolean isCrash() {
    return true;
  }

  @Override
  int flushIntervalMillis() {
    return flushIntervalMillis;
  }

  @Override
  int marginMillis() {
    return marginMillis;
  }

  @Override
  void disturb(Broker broker) {
    broker.kill();
  }

  @Override
  void heal(Broker broker) throws IOException, InterruptedException {
    broker.start(RunListener.SILENT);
  }

  @Override
  void recovered(Session session, int time, double seconds) {
    recoverySeconds.add(seconds);
    session.say("kill %d of %d: all consumers receive again after %.1f s", time, kills, seconds);
  }

  @Override
  String headline() {
    return format(
        "%d kills, flush interval %,d ms and margin %,d ms",
        kills, flushIntervalMillis, marginMillis);
  }

  @Override
  void report(Session session, Summary history) throws IOException {
    ResultTable table =
        new ResultTable(
            "kill",
            "recovery, s",
            "came again",
            "could have",
            "most of one consumer",
            "oldest, ms before the kill");
    for (Faults.Report kill : history.faults()) {
      table.row(
          kill.number(),
          recoverySeconds.get(kill.number() - 1),
          kill.cameAgain(),
          kill.couldComeAgain(),
          kill.mostOfOneConsumer(),
          kill.oldestMillis());
    }
    session.show("kills", table);
    session.print(
        "Messages that the topic has twice, because the producer sent them again: %,d",
        history.copies());
    session.figure("kills", kills);
    session.figure(
        "redelivered", history.faults().stream().mapToLong(Faults.Report::cameAgain).sum());
    session.figure(
        "oldestMillis",
        history.faults().stream().mapToLong(Faults.Report::oldestMillis).max().orElse(0));
    List<Faults.Report> beyond =
        history.faults().stream().filter(kill -> !kill.isWithinBound()).toList();
    session.check(
        "I5: after no kill more came again than was acknowledged within interval and margin",
        beyond.isEmpty(),
        "%,d kills%s",
        beyond.size(),
        beyond.stream().findFirst().map(first -> ", the first: " + first).orElse(""));
  }
}
