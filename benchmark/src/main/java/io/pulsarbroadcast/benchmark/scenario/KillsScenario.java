/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.bench.LoadOptions;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.scenario.KillTracker.Kill;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** SIGKILLs of the broker under load: what is lost, what comes again. */
@Command(
    name = "kills",
    header = "SIGKILLs of the broker under load: what is lost, what comes again.",
    sortOptions = false,
    showDefaultValues = true,
    usageHelpWidth = 100,
    description =
        "Kills the broker (SIGKILL) again and again while it is published to, and checks that nothing"
            + " acknowledged to the producer is lost, that each consumer's order is kept, and that"
            + " nothing comes again that was acknowledged longer before the kill than one flush"
            + " interval.")
public final class KillsScenario extends AbstractScenario {
  private static final String TOPIC = "kills";
  private static final Duration RECOVERY_TIMEOUT = Duration.ofMinutes(3);

  /** Time to reserve room for messages while the broker is down, per kill. */
  private static final int SECONDS_PER_KILL = 120;

  @Mixin LoadOptions load = LoadOptions.ofScenario();

  @Option(names = "--kills", paramLabel = "N", description = "How often the broker is killed.")
  @Range(from = 1, to = 1_000)
  int kills = 20;

  @Option(
      names = "--between-seconds",
      paramLabel = "SECONDS",
      description = "Undisturbed time before each kill.")
  @Range(from = 1, to = 3_600)
  int betweenSeconds = 10;

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

  @Override
  void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    int messages = (int) (load.rate * (kills + 1) * (betweenSeconds + SECONDS_PER_KILL));
    KillTracker tracker =
        new KillTracker(load.consumers, messages, flushIntervalMillis + marginMillis);
    try (Load running =
        load(config(broker, TOPIC, load, tracker, messages).reconnect(true), load.sizeBytes)) {
      running.connect(CONNECT_TIMEOUT);
      session.say("%,d consumers subscribed", load.consumers);
      running.startPublishing(0, load.rate);
      long[] recoveryMillis = new long[kills];
      for (int i = 0; i < kills; i++) {
        TimeUnit.SECONDS.sleep(betweenSeconds);
        recoveryMillis[i] = killOnce(broker, running, tracker);
        Kill kill = tracker.kills().get(tracker.kills().size() - 1);
        session.say(
            "kill %d of %d: all consumers receive again after %.1f s; %,d acknowledged messages came"
                + " again",
            i + 1, kills, recoveryMillis[i] / 1e3, kill.redelivered());
      }
      PublishResult published = running.stopPublishing(RECOVERY_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      report(session, running.fleet().snapshot(), tracker, published, recoveryMillis);
    }
  }

  /** Returns the milliseconds from the kill until every consumer received something new. */
  private long killOnce(Broker broker, Load running, KillTracker tracker)
      throws IOException, InterruptedException, FleetException {
    int atMillis = tracker.nowMillis();
    broker.kill();
    tracker.killed(atMillis);
    int next = running.publisher().nextSequence();
    broker.start(RunListener.SILENT);
    awaitReached(tracker, next, RECOVERY_TIMEOUT);
    running.fleet().awaitSubscribed(RECOVERY_TIMEOUT);
    return (long) tracker.nowMillis() - atMillis;
  }

  /** All kills together. */
  private record Totals(
      long redelivered, long overBound, long tooOld, int oldestMillis, String oldest) {
    static Totals of(List<Kill> kills) {
      long redelivered = 0;
      long overBound = 0;
      long tooOld = 0;
      Kill oldest = null;
      for (Kill kill : kills) {
        redelivered += kill.redelivered();
        overBound += Math.max(0, kill.redelivered() - kill.acknowledgedInWindow);
        tooOld += kill.tooOld();
        if (oldest == null || kill.oldestMillis() > oldest.oldestMillis()) {
          oldest = kill;
        }
      }
      return oldest == null
          ? new Totals(0, 0, 0, 0, "")
          : new Totals(redelivered, overBound, tooOld, oldest.oldestMillis(), oldest.oldest());
    }
  }

  private void report(
      Session session,
      FleetSnapshot fleet,
      KillTracker tracker,
      PublishResult published,
      long[] recoveryMillis)
      throws IOException {
    session.brokerVersion(fleet.brokerVersion());
    session.print("");
    session.print(
        "%,d consumers, %,d messages of %,d bytes at %.0f per second, %d kills, flush interval %,d"
            + " ms and margin %,d ms",
        load.consumers,
        published.acknowledgedCount(),
        load.sizeBytes,
        load.rate,
        kills,
        flushIntervalMillis,
        marginMillis);
    session.print("");
    session.show("kills", table(tracker.kills(), recoveryMillis));
    session.print(
        "Messages that the topic has twice, because the producer sent them again: %,d",
        tracker.furtherCopies());
    ResultTable consumers = ConsumerLog.table();
    tracker.addTo(consumers, "all", published.acknowledged());
    session.write("consumers", consumers);
    Totals totals = Totals.of(tracker.kills());
    session.figure("kills", kills);
    session.figure("published", published.acknowledgedCount());
    session.figure("redelivered", totals.redelivered);
    session.figure("oldestMillis", totals.oldestMillis);
    tracker.checks("every consumer", published.acknowledged()).forEach(session::check);
    checks(session, fleet, totals);
  }

  private static ResultTable table(List<Kill> kills, long[] recoveryMillis) {
    ResultTable table =
        new ResultTable(
            "kill",
            "recovery, s",
            "came again",
            "could have",
            "most of one consumer",
            "oldest, ms before the kill",
            "too old");
    for (int i = 0; i < kills.size(); i++) {
      Kill kill = kills.get(i);
      table.row(
          i + 1,
          i < recoveryMillis.length ? recoveryMillis[i] / 1e3 : 0.0,
          kill.redelivered(),
          kill.acknowledgedInWindow,
          kill.mostOfOneConsumer(),
          kill.oldestMillis(),
          kill.tooOld());
    }
    return table;
  }

  private static void checks(Session session, FleetSnapshot fleet, Totals totals) {
    session.check(
        Check.counted(
            "I5: nothing came again that was acknowledged longer before than interval and margin",
            totals.tooOld == 0,
            format("%,d too old", totals.tooOld)
                + (totals.oldestMillis == 0
                    ? ""
                    : format(
                        ", the oldest %,d ms before the kill (%s)",
                        totals.oldestMillis, totals.oldest))));
    session.check(
        Check.counted(
            "I5: per kill no more came again than was acknowledged within interval and margin",
            totals.overBound == 0,
            format(
                "%,d over the bounds, %,d came again in all",
                totals.overBound, totals.redelivered)));
    long damaged = fleet.corrupt() + fleet.protocolErrors() + fleet.unexpected();
    session.check(
        Check.counted(
            "no damaged message, no error of the protocol", damaged == 0, format("%,d", damaged)));
  }
}
