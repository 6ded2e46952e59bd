/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.LoadOptions;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.history.Event;
import io.pulsarbroadcast.benchmark.history.Event.Step;
import io.pulsarbroadcast.benchmark.history.HistoryChecker.Summary;
import io.pulsarbroadcast.benchmark.history.HistoryVerdict;
import io.pulsarbroadcast.benchmark.history.HistoryWriter;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.scenario.HistoryRecorder.Manner;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The same disturbance again and again under load: what is lost, what comes again. It is recorded
 * as a history, which decides. Called as its superclass is.
 */
abstract class DisturbedScenario extends AbstractScenario {
  private static final Duration RECOVERY_TIMEOUT = Duration.ofMinutes(3);

  /** Time to reserve room for messages while the consumers are away, per disturbance. */
  private static final int SECONDS_AWAY = 120;

  /** When a consumer starves; less than it takes until a load gives up. */
  private static final int PATIENCE_MILLIS = 10_000;

  private static final int DEFAULT_FLUSH_INTERVAL_MILLIS = 1_000;

  @Mixin LoadOptions load = LoadOptions.ofScenario();

  @Option(
      names = "--between-seconds",
      paramLabel = "SECONDS",
      description = "Undisturbed time before each one.")
  @Range(from = 1, to = 3_600)
  int betweenSeconds;

  final String topic;

  DisturbedScenario(String topic, int betweenSeconds) {
    this.topic = topic;
    this.betweenSeconds = betweenSeconds;
  }

  /** How often. */
  abstract int times();

  /** What the history calls it. */
  abstract String kind();

  /** Whether it may lose what was acknowledged within a flush interval. */
  abstract boolean isCrash();

  /** The broker's broadcastPositionFlushIntervalMillis. */
  int flushIntervalMillis() {
    return DEFAULT_FLUSH_INTERVAL_MILLIS;
  }

  /** What a flush may take, and the way of an acknowledgement to the broker. */
  int marginMillis() {
    return 0;
  }

  /** Does it, and returns when it has happened. */
  abstract void disturb(Broker broker) throws IOException, InterruptedException;

  /** Undoes it, if it does not pass by itself. */
  void heal(Broker broker) throws IOException, InterruptedException {}

  /** The consumers receive again, so long after it began. */
  abstract void recovered(Session session, int time, double seconds);

  /** Shows what was found; what the history says is checked already. */
  abstract void report(Session session, Summary history) throws IOException;

  /** What else is to be said of the load, in the headline. */
  abstract String headline();

  /** What there is besides the history. */
  private record Recorded(ConsumerLog log, FleetSnapshot fleet, BitSet acknowledged) {}

  @Override
  final void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    Path file = session.folder().resolve("history.jsonl.gz");
    Recorded recorded;
    try (HistoryWriter writer = HistoryWriter.create(file)) {
      writer.write(
          (line, micros) ->
              new Event.Start(
                  line, micros, flushIntervalMillis(), marginMillis(), PATIENCE_MILLIS, true));
      recorded =
          record(
              broker,
              session,
              new HistoryRecorder(
                  writer, load.consumers, broker.serviceUrl(), Manner.CUMULATIVE, !isCrash()));
    }
    session.say("checking the history");
    report(session, recorded, HistoryVerdict.of(file));
  }

  private Recorded record(Broker broker, Session session, HistoryRecorder log)
      throws IOException, InterruptedException, FleetException {
    int messages = (int) (load.rate * (times() + 1) * (betweenSeconds + SECONDS_AWAY));
    try (Load running =
        load(config(broker, topic, load, log, messages).reconnect(true), load.sizeBytes)) {
      running.connect(CONNECT_TIMEOUT);
      session.say("%,d consumers subscribed", load.consumers);
      running.publisher().listener(log);
      running.startPublishing(load.rate);
      for (int time = 1; time <= times(); time++) {
        undisturbed(broker, log);
        long startNanos = System.nanoTime();
        log.fault(Step.BEGUN, time, kind(), isCrash());
        disturb(broker);
        log.fault(Step.CONFIRMED, time, kind(), isCrash());
        int next = running.publisher().nextSequence();
        heal(broker);
        log.fault(Step.HEALED, time, kind(), isCrash());
        awaitReached(log, next, RECOVERY_TIMEOUT);
        running.fleet().awaitSubscribed(RECOVERY_TIMEOUT);
        recovered(session, time, secondsSince(startNanos));
      }
      PublishResult published = running.stopPublishing(RECOVERY_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      log.sampleMarkDelete(broker, topic(topic), SUBSCRIPTION);
      log.sampleSkips(broker);
      return new Recorded(log, running.fleet().snapshot(), published.acknowledged());
    }
  }

  private void undisturbed(Broker broker, HistoryRecorder log)
      throws IOException, InterruptedException {
    log.sampleSkips(broker);
    for (int second = 0; second < betweenSeconds; second++) {
      TimeUnit.SECONDS.sleep(1);
      log.sampleMarkDelete(broker, topic(topic), SUBSCRIPTION);
    }
  }

  private void report(Session session, Recorded recorded, HistoryVerdict verdict)
      throws IOException {
    BitSet acknowledged = recorded.acknowledged;
    session.brokerVersion(recorded.fleet.brokerVersion());
    ResultTable consumers = ConsumerLog.table();
    recorded.log.addTo(consumers, "all", acknowledged);
    session.write("consumers", consumers);
    session.print("");
    session.print(
        "%,d consumers, %,d messages of %,d bytes at %.0f per second, %s",
        load.consumers, acknowledged.cardinality(), load.sizeBytes, load.rate, headline());
    session.print("");
    session.figure("published", acknowledged.cardinality());
    session.figure("events", verdict.summary().events());
    session.checkInvariants(verdict::of);
    session.checkUndamaged(List.of(recorded.fleet));
    report(session, verdict.summary());
  }
}
