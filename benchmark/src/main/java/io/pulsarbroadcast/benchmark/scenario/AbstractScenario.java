/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.BenchSubcommand;
import io.pulsarbroadcast.benchmark.bench.LoadOptions;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** What all checks of long runs have in common. One thread may call it, once. */
abstract class AbstractScenario extends BenchSubcommand {
  static final String SUBSCRIPTION = "all";
  static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(10);
  static final Duration CATCH_UP_TIMEOUT = Duration.ofMinutes(10);

  private static final long POLL_MILLIS = 20;

  @Option(
      names = "--counts-only",
      description =
          "Times are reported but do not decide the exit code: for machines that others use.")
  private boolean countsOnly;

  /** Lines of standalone.conf for the broker. */
  Map<String, String> brokerSettings() {
    return Map.of();
  }

  /** Options of the broker's JVM. */
  List<String> jvmOptions() {
    return List.of();
  }

  /** Runs with a started broker, and tells the session what it found. */
  abstract void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException;

  @Override
  protected final int measure(Session session) throws Exception {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("brokerDeleteInactiveTopicsEnabled", "false");
    settings.put("bookkeeperClientExposeStatsToPrometheus", "true");
    settings.putAll(brokerSettings());
    session.say("starting the broker");
    try (Broker broker = session.startBroker(settings, jvmOptions())) {
      run(broker, session);
      return session.finish(true, !countsOnly);
    }
  }

  static String topic(String name) {
    return "persistent://public/default/" + name;
  }

  /** Consumers of the one Broadcast subscription, of whom a log hears. */
  static LoadConfig config(
      Broker broker, String topic, LoadOptions options, ConsumerLog log, int messages) {
    return LoadConfig.builder()
        .serviceUrl(broker.serviceUrl())
        .topic(topic(topic))
        .broadcast(SUBSCRIPTION)
        .consumers(options.consumers)
        .connections(options.connections)
        .messages(messages)
        .deliveryListener(log);
  }

  /** Not connected yet. */
  static Load load(LoadConfig config, int sizeBytes) {
    return new Load("Broadcast", config.build(), sizeBytes, RunListener.SILENT);
  }

  /**
   * Waits until every consumer has received this message or a later one.
   *
   * @throws IOException when the time is over
   */
  static void awaitReached(ConsumerLog log, int sequence, Duration timeout)
      throws IOException, InterruptedException {
    if (!await(timeout, POLL_MILLIS, () -> log.lowest() >= sequence)) {
      throw new IOException(
          "After %d s some consumer has not received message %d; the one least far has %d"
              .formatted(timeout.toSeconds(), sequence, log.lowest()));
    }
  }

  /** What is waited for. */
  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  /** Asks again and again, with a pause between; false when the time is over. */
  static boolean await(Duration timeout, long pauseMillis, Condition condition)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - startNanos > timeout.toNanos()) {
        return false;
      }
      Thread.sleep(pauseMillis);
    }
    return true;
  }

  static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
