/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

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
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The same disturbance again and again under load: what is lost, what comes again. Called as its
 * superclass is.
 */
abstract class DisturbedScenario<L extends RedeliveryLog> extends AbstractScenario {
  private static final Duration RECOVERY_TIMEOUT = Duration.ofMinutes(3);

  /** Time to reserve room for messages while the consumers are away, per disturbance. */
  private static final int SECONDS_AWAY = 120;

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

  abstract L newLog(int consumers, int messages);

  /** Does it, and returns the first message that counts as published afterwards. */
  abstract int disturb(Broker broker, Load running, L log) throws IOException, InterruptedException;

  /** The consumers receive again, so long after it began. */
  abstract void recovered(Session session, L log, int time, double seconds);

  /** Shows what was found; that nothing is lost or out of order is checked already. */
  abstract void report(Session session, L log, FleetSnapshot fleet) throws IOException;

  /** What else is to be said of the load, in the headline. */
  abstract String headline();

  @Override
  final void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    int messages = (int) (load.rate * (times() + 1) * (betweenSeconds + SECONDS_AWAY));
    L log = newLog(load.consumers, messages);
    try (Load running =
        load(config(broker, topic, load, log, messages).reconnect(true), load.sizeBytes)) {
      running.connect(CONNECT_TIMEOUT);
      session.say("%,d consumers subscribed", load.consumers);
      running.startPublishing(load.rate);
      for (int time = 1; time <= times(); time++) {
        TimeUnit.SECONDS.sleep(betweenSeconds);
        long startNanos = System.nanoTime();
        awaitReached(log, disturb(broker, running, log), RECOVERY_TIMEOUT);
        running.fleet().awaitSubscribed(RECOVERY_TIMEOUT);
        recovered(session, log, time, secondsSince(startNanos));
      }
      PublishResult published = running.stopPublishing(RECOVERY_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      report(session, log, running.fleet().snapshot(), published.acknowledged());
    }
  }

  private void report(Session session, L log, FleetSnapshot fleet, BitSet acknowledged)
      throws IOException {
    session.brokerVersion(fleet.brokerVersion());
    ResultTable consumers = ConsumerLog.table();
    log.addTo(consumers, "all", acknowledged);
    session.write("consumers", consumers);
    session.print("");
    session.print(
        "%,d consumers, %,d messages of %,d bytes at %.0f per second, %s",
        load.consumers, acknowledged.cardinality(), load.sizeBytes, load.rate, headline());
    session.print("");
    session.figure("published", acknowledged.cardinality());
    log.checks("every consumer", acknowledged).forEach(session::check);
    report(session, log, fleet);
  }
}
