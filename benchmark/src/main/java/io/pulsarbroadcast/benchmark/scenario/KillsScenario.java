/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.scenario.KillTracker.Kill;
import java.io.IOException;
import java.io.PrintStream;
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
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Kills the broker (SIGKILL) again and again while it is published to, and checks that nothing"
            + " acknowledged to the producer is lost, that each consumer's order is kept, and that"
            + " nothing comes again that was acknowledged longer before the kill than one flush"
            + " interval.",
    footer = {"", AbstractScenario.EXIT_CODES})
final class KillsScenario extends AbstractScenario {
  private static final String TOPIC = "kills";
  private static final Duration RECOVERY_TIMEOUT = Duration.ofMinutes(3);

  /** Time to reserve room for messages while the broker is down, per kill. */
  private static final int SECONDS_PER_KILL = 120;

  @Mixin FleetOptions load = new FleetOptions();

  @Option(
      names = "--kills",
      paramLabel = "N",
      description = "How often the broker is killed (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  int kills = 20;

  @Option(
      names = "--between-seconds",
      paramLabel = "SECONDS",
      description = "Undisturbed time before each kill (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 3_600)
  int betweenSeconds = 10;

  @Option(
      names = "--flush-interval-millis",
      paramLabel = "MILLIS",
      description =
          "broadcastPositionFlushIntervalMillis of the broker (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 60_000)
  int flushIntervalMillis = 1_000;

  @Option(
      names = "--margin-millis",
      paramLabel = "MILLIS",
      description =
          "What one flush may take, and the way of an acknowledgement to the broker: added to the"
              + " interval (default: ${DEFAULT-VALUE}).")
  @Range(from = 0, to = 60_000)
  int marginMillis = 500;

  KillsScenario(PrintStream out, PrintStream err) {
    super(out, err);
  }

  @Override
  Map<String, String> brokerSettings() {
    return Map.of("broadcastPositionFlushIntervalMillis", Integer.toString(flushIntervalMillis));
  }

  @Override
  void run(ScenarioBroker broker, ResultsFolder results)
      throws IOException, InterruptedException, FleetException {
    int messages = (int) (load.rate * (kills + 1) * (betweenSeconds + SECONDS_PER_KILL));
    KillTracker tracker =
        new KillTracker(load.consumers, messages, flushIntervalMillis + marginMillis);
    try (BroadcastLoad running =
        new BroadcastLoad(
            BroadcastLoad.config(broker, TOPIC, load, tracker, messages).reconnect(true),
            load.sizeBytes)) {
      running.subscribe();
      say("%,d consumers subscribed", load.consumers);
      running.publish(0, load.rate);
      long[] recoveryMillis = new long[kills];
      for (int i = 0; i < kills; i++) {
        TimeUnit.SECONDS.sleep(betweenSeconds);
        recoveryMillis[i] = killOnce(broker, running, tracker);
        Kill kill = tracker.kills().get(tracker.kills().size() - 1);
        say(
            "kill %d of %d: all consumers receive again after %.1f s; %,d acknowledged messages came"
                + " again",
            i + 1, kills, recoveryMillis[i] / 1e3, kill.redelivered());
      }
      PublishResult published = running.stopPublishing(RECOVERY_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      report(results, running.fleet().snapshot(), tracker, published, recoveryMillis);
    }
  }

  /** Returns the milliseconds from the kill until every consumer received something new. */
  private long killOnce(ScenarioBroker broker, BroadcastLoad running, KillTracker tracker)
      throws IOException, InterruptedException, FleetException {
    int atMillis = tracker.nowMillis();
    broker.kill();
    tracker.killed(atMillis);
    int next = running.publisher().nextSequence();
    broker.start();
    BroadcastLoad.awaitReached(tracker, next, RECOVERY_TIMEOUT);
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
      ResultsFolder results,
      FleetSnapshot fleet,
      KillTracker tracker,
      PublishResult published,
      long[] recoveryMillis)
      throws IOException {
    brokerVersion(fleet.brokerVersion());
    print("");
    print(
        format(
            "%,d consumers, %,d messages of %,d bytes at %.0f per second, %d kills, flush interval %,d"
                + " ms and margin %,d ms",
            load.consumers,
            published.acknowledgedCount(),
            load.sizeBytes,
            load.rate,
            kills,
            flushIntervalMillis,
            marginMillis));
    print("");
    print(table(results, tracker.kills(), recoveryMillis).toString());
    print(
        format(
            "Messages that the topic has twice, because the producer sent them again: %,d",
            tracker.furtherCopies()));
    try (CsvFile csv = ConsumerLog.csv(results.file("consumers.csv"))) {
      tracker.write(csv, "all", published.acknowledged());
    }
    Totals totals = Totals.of(tracker.kills());
    figures.put("kills", kills);
    figures.put("published", published.acknowledgedCount());
    figures.put("redelivered", totals.redelivered);
    figures.put("oldestMillis", totals.oldestMillis);
    for (Promise promise : tracker.promises("every consumer", published.acknowledged())) {
      promise(promise);
    }
    promises(fleet, totals);
  }

  /** Also writes kills.csv. */
  private static TextTable table(ResultsFolder results, List<Kill> kills, long[] recoveryMillis)
      throws IOException {
    TextTable table =
        new TextTable(
            "kill",
            "recovery, s",
            "came again",
            "could have",
            "most of one consumer",
            "oldest, ms before the kill",
            "too old");
    try (CsvFile csv =
        new CsvFile(
            results.file("kills.csv"),
            "kill",
            "recoveryMillis",
            "redelivered",
            "acknowledgedInWindow",
            "mostOfOneConsumer",
            "oldestMillis",
            "tooOld")) {
      for (int i = 0; i < kills.size(); i++) {
        Kill kill = kills.get(i);
        long recovery = i < recoveryMillis.length ? recoveryMillis[i] : 0;
        table.row(
            i + 1,
            recovery / 1e3,
            kill.redelivered(),
            kill.acknowledgedInWindow,
            kill.mostOfOneConsumer(),
            kill.oldestMillis(),
            kill.tooOld());
        csv.row(
            i + 1,
            recovery,
            kill.redelivered(),
            kill.acknowledgedInWindow,
            kill.mostOfOneConsumer(),
            kill.oldestMillis(),
            kill.tooOld());
      }
    }
    return table;
  }

  private void promises(FleetSnapshot fleet, Totals totals) {
    promise(
        Promise.counted(
            "I5: nothing came again that was acknowledged longer before than interval and margin",
            totals.tooOld == 0,
            format("%,d too old", totals.tooOld)
                + (totals.oldestMillis == 0
                    ? ""
                    : format(
                        ", the oldest %,d ms before the kill (%s)",
                        totals.oldestMillis, totals.oldest))));
    promise(
        Promise.counted(
            "I5: per kill no more came again than was acknowledged within interval and margin",
            totals.overBound == 0,
            format(
                "%,d over the bounds, %,d came again in all",
                totals.overBound, totals.redelivered)));
    long damaged = fleet.corrupt() + fleet.protocolErrors() + fleet.unexpected();
    promise(
        Promise.counted(
            "no damaged message, no error of the protocol", damaged == 0, format("%,d", damaged)));
  }
}
