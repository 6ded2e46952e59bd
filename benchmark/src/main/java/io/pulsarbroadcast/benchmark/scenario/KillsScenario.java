/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.scenario.KillTracker.Kill;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
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
public final class KillsScenario extends DisturbedScenario<KillTracker> {
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
  KillTracker newLog(int consumers, int messages) {
    return new KillTracker(consumers, messages, flushIntervalMillis + marginMillis);
  }

  @Override
  int disturb(Broker broker, Load running, KillTracker tracker)
      throws IOException, InterruptedException {
    int atMillis = tracker.nowMillis();
    broker.kill();
    tracker.killed(atMillis);
    int next = running.publisher().nextSequence();
    broker.start(RunListener.SILENT);
    return next;
  }

  @Override
  void recovered(Session session, KillTracker tracker, int time, double seconds) {
    recoverySeconds.add(seconds);
    Kill kill = tracker.kills().get(tracker.kills().size() - 1);
    session.say(
        "kill %d of %d: all consumers receive again after %.1f s; %,d acknowledged messages came"
            + " again",
        time, kills, seconds, kill.redeliveries().size());
  }

  @Override
  String headline() {
    return format(
        "%d kills, flush interval %,d ms and margin %,d ms",
        kills, flushIntervalMillis, marginMillis);
  }

  @Override
  void report(Session session, KillTracker tracker, FleetSnapshot fleet) throws IOException {
    ResultTable table =
        new ResultTable(
            "kill",
            "recovery, s",
            "came again",
            "could have",
            "most of one consumer",
            "oldest, ms before the kill",
            "too old");
    long redelivered = 0;
    long overBound = 0;
    long tooOld = 0;
    for (int i = 0; i < tracker.kills().size(); i++) {
      Kill kill = tracker.kills().get(i);
      int count = kill.redeliveries().size();
      table.row(
          i + 1,
          i < recoverySeconds.size() ? recoverySeconds.get(i) : 0.0,
          count,
          kill.acknowledgedInWindow(),
          kill.mostOfOneConsumer(),
          kill.oldestMillis(),
          kill.tooOld());
      redelivered += count;
      overBound += Math.max(0, count - kill.acknowledgedInWindow());
      tooOld += kill.tooOld();
    }
    session.show("kills", table);
    session.print(
        "Messages that the topic has twice, because the producer sent them again: %,d",
        tracker.furtherCopies());
    Kill worst = Collections.max(tracker.kills(), Comparator.comparingInt(Kill::oldestMillis));
    session.figure("kills", kills);
    session.figure("redelivered", redelivered);
    session.figure("oldestMillis", worst.oldestMillis());
    session.check(
        "I5: nothing came again that was acknowledged longer before than interval and margin",
        tooOld == 0,
        "%,d too old%s",
        tooOld,
        worst
            .oldest()
            .map(o -> format(", the oldest %,d ms before the kill (%s)", o.ageMillis(), o))
            .orElse(""));
    session.check(
        "I5: per kill no more came again than was acknowledged within interval and margin",
        overBound == 0,
        "%,d over the bounds, %,d came again in all",
        overBound,
        redelivered);
    long damaged = fleet.corrupt() + fleet.protocolErrors() + fleet.unexpected();
    session.check("no damaged message, no error of the protocol", damaged == 0, "%,d", damaged);
  }
}
