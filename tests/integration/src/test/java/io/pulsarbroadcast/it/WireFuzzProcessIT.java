/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.Folders;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * I8, I1, I2: what connections send that send anything at all costs a broker neither memory nor
 * others their latency. {@code -Dwire.minutes=30} says how long: phases with such connections take
 * turns with phases without. {@code -Dwire.coverage} counts instead which lines of the plugin are
 * run, which takes time of its own.
 */
class WireFuzzProcessIT {
  private static final double MINUTES = Double.parseDouble(System.getProperty("wire.minutes", "0"));
  private static final int PHASE_SECONDS = Integer.getInteger("wire.phase.seconds", 30);

  /** How long phases without such connections are. */
  private static final int QUIET_SECONDS = Integer.getInteger("wire.quiet.seconds", PHASE_SECONDS);

  private static final int FRAMES_PER_SECOND = Integer.getInteger("wire.rate", 200);
  private static final int CONSUMERS = Integer.getInteger("wire.consumers", 200);
  private static final double MESSAGES_PER_SECOND = 10;

  /** Until what a phase began is over, and does not count for the next one. */
  private static final int PAUSE_SECONDS = 2;

  /** For both JVMs to be warm: what is fuzzed keeps the compilers busy for minutes. */
  private static final double WARM_UP_MINUTES =
      Double.parseDouble(System.getProperty("wire.warm.up.minutes", "1"));

  private static final boolean COVERAGE = System.getProperty("wire.coverage") != null;

  private final Path folder = Path.of("target", "wire-fuzz");

  @Test
  @EnabledIfSystemProperty(
      named = "wire.minutes",
      matches = "[\\d.]+",
      disabledReason = "it takes as long as one says; say how many minutes, -Dwire.minutes=30")
  @Timeout(value = 6, unit = TimeUnit.HOURS)
  void shouldCostOthersNothingWhateverConnectionsSend() throws Exception {
    Folders.delete(folder);
    Files.createDirectories(folder);
    BrokerCoverage coverage = COVERAGE ? new BrokerCoverage(folder) : null;
    int phases = phases(MINUTES);
    int warmUpPhases = phases(WARM_UP_MINUTES);
    int seconds = (phases + warmUpPhases + 4) * (PHASE_SECONDS + PAUSE_SECONDS) * 2;
    int messages = (int) (seconds * MESSAGES_PER_SECOND);
    try (Broker broker = Broker.startWithTransactions(options(coverage));
        Bystanders same =
            new Bystanders(broker, "same subscription", CONSUMERS, MESSAGES_PER_SECOND, messages);
        Bystanders other =
            new Bystanders(broker, "another topic", CONSUMERS, MESSAGES_PER_SECOND, messages)) {
      List<Bystanders> bystanders = List.of(same, other);
      for (Bystanders group : bystanders) {
        group.start();
      }
      await().until(() -> !same.ids().isEmpty());
      long firstSeed =
          Long.getLong("wire.seed", new SplittableRandom().nextInt(1_000_000, Integer.MAX_VALUE));
      WireFuzzReport report = new WireFuzzReport(broker, bystanders, folder);
      try (WireFuzzers fuzzers = new WireFuzzers(broker, same, firstSeed, FRAMES_PER_SECOND)) {
        for (int i = -warmUpPhases; i < phases; i++) {
          if (i == 0) {
            report.started();
          }
          phase(i, fuzzers, bystanders, report);
        }
      }
      for (Bystanders group : bystanders) {
        group.finish();
      }
      report.ended();
      if (coverage != null) {
        broker.process().stop();
        report.show("coverage", coverage.table(BrokerExtension.nar().resolveSibling("classes")));
      }
      assertThat(report.broken(!COVERAGE)).isEmpty();
    }
  }

  /** An even number. */
  private static int phases(double minutes) {
    int secondsOfTwo = PHASE_SECONDS + QUIET_SECONDS + 2 * PAUSE_SECONDS;
    return 2 * (int) Math.max(1, minutes * 60 / secondsOfTwo);
  }

  /** One that is fuzzed if its number is odd; those before 0 warm up. */
  private static void phase(
      int number, WireFuzzers fuzzers, List<Bystanders> bystanders, WireFuzzReport report)
      throws Exception {
    boolean fuzzed = number % 2 != 0;
    List<Histogram> before = new ArrayList<>();
    for (Bystanders group : bystanders) {
      before.add(group.latencies());
    }
    report.phaseStarted();
    WireTally tally = new WireTally();
    if (fuzzed) {
      fuzzers.run(PHASE_SECONDS, tally);
    } else {
      TimeUnit.SECONDS.sleep(QUIET_SECONDS);
    }
    List<Histogram> latencies = new ArrayList<>();
    for (int i = 0; i < bystanders.size(); i++) {
      latencies.add(bystanders.get(i).latenciesSince(before.get(i)));
    }
    report.phaseEnded(number, fuzzed, tally, latencies);
    TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
  }

  /** The distribution's own JVM options, because latencies count; with JaCoCo they do not. */
  private static PulsarProcessBuilder options(BrokerCoverage coverage) {
    PulsarProcessBuilder broker =
        PulsarProcess.builder()
            .pulsarHome(Path.of(System.getProperty("pulsar.home")))
            .keepLogs(Path.of(System.getProperty("broker.logs")))
            .nar(BrokerExtension.nar())
            .setting("acknowledgmentAtBatchIndexLevelEnabled", "true")
            // Of 20 it starts one more every half minute, whatever happens.
            .setting("webSocketNumServiceThreads", "1")
            // Pulsar's own detector looks at every 128th buffer then, at both kinds of phases.
            .jvmOption(BrokerExtension.LEAK_DETECTION + (coverage == null ? "Simple" : "Paranoid"));
    return coverage == null ? broker : coverage.in(broker.lightJvm());
  }
}
