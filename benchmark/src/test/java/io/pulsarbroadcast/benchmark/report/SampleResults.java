/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import io.pulsarbroadcast.benchmark.engine.CatchUpRound;
import io.pulsarbroadcast.benchmark.engine.Interval;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Result files as a run writes them, with made-up figures, for tests of what reads them. */
public final class SampleResults {
  private static final Path BENCHMARK = Path.of("");
  private static final int SECONDS = 10;
  private static final int WARMUP_SECONDS = 1;

  private SampleResults() {}

  static Plan plan(String workload, String driver, int messagesPerSecond) throws IOException {
    WorkloadFile workloadFile =
        WorkloadFile.read(BENCHMARK.resolve("workloads/" + workload + ".yaml").toFile());
    DriverFile driverFile =
        DriverFile.read(BENCHMARK.resolve("drivers/" + driver + ".yaml").toFile());
    return new Plan(
        workloadFile.name,
        driverFile.name,
        driverFile.localServer,
        driverFile.brokerSettings,
        driverFile.consumer.subscriptionType.name(),
        workloadFile.partitionsPerTopic,
        workloadFile.subscriptionsPerTopic,
        driverFile.client.connections,
        (WARMUP_SECONDS + SECONDS) * messagesPerSecond / workloadFile.partitionsPerTopic,
        WARMUP_SECONDS * messagesPerSecond / workloadFile.partitionsPerTopic,
        workloadFile.messageSize,
        messagesPerSecond,
        Duration.ofMinutes(1),
        workloadFile.isStepped(),
        workloadFile.catchUp,
        LoadConfig::builder);
  }

  static Histogram histogram(long slowestMicros) {
    Histogram histogram = new Histogram(TimeUnit.HOURS.toMicros(1), 3);
    for (int i = 1; i <= 1_000; i++) {
      histogram.recordValue(slowestMicros * i / 1_000);
    }
    return histogram;
  }

  static RunResult result(Plan plan, long slowestMicros, List<CatchUpRound> rounds) {
    long published = (long) (plan.messagesPerSecond() * SECONDS);
    long expected = published * plan.consumers();
    Histogram histogram = histogram(slowestMicros);
    Interval half =
        new Interval(
            SECONDS / 2.0, published / 2, 0, expected / 2, 3, histogram, histogram, histogram);
    return new RunResult(
        plan,
        1,
        List.of(half, half),
        histogram,
        histogram,
        List.of(1L, 2L),
        histogram,
        2_500_000,
        plan.consumers(),
        new DeliveryCounts((int) published, expected, expected, 0, 0, 0, 0, 0, 0, 0),
        1_200,
        600,
        0,
        "Pulsar 3.3.6",
        null,
        brokerTimers(plan),
        rounds,
        null);
  }

  /** 1 ms in each of the broker's stages but the writing, which takes 5 ms; stock has none. */
  private static StageTimers brokerTimers(Plan plan) {
    if (!plan.subscriptionType().equals(LoadConfig.BROADCAST)) {
      return StageTimers.NONE;
    }
    StringBuilder page = new StringBuilder();
    for (String stage : StageTimers.STAGES) {
      String labels = "{topic=\"t\",stage=\"%s\"}".formatted(stage);
      page.append("pulsar_broadcast_stage_seconds_count").append(labels).append(" 10\n");
      page.append("pulsar_broadcast_stage_seconds_sum").append(labels);
      page.append(stage.endsWith("write") ? " 0.05\n" : " 0.01\n");
    }
    return StageTimers.read(MetricsPage.parse(page.toString()), List.of("t"));
  }

  /** Writes a file and returns it. */
  public static Path write(
      Path folder, String workload, String driver, int messagesPerSecond, long slowestMicros)
      throws IOException {
    Plan plan = plan(workload, driver, messagesPerSecond);
    List<CatchUpRound> rounds = plan.catchUp() == null ? List.of() : rounds();
    Path file = folder.resolve("%s-%s-%d.json".formatted(workload, driver, messagesPerSecond));
    RunFile.write(file, result(plan, slowestMicros, rounds), Instant.parse("2026-01-02T03:04:05Z"));
    return file;
  }

  private static List<CatchUpRound> rounds() {
    LatencyReport tail = LatencyReport.of(histogram(9_000));
    List<CatchUpRound.Point> curve =
        List.of(
            new CatchUpRound.Point(0.5, 210, 800),
            new CatchUpRound.Point(1, 240, 300),
            new CatchUpRound.Point(1.5, 150, 0));
    return List.of(
        new CatchUpRound(0, 0, 10, true, List.of(), tail),
        new CatchUpRound(1, 1_000_000, 1.5, true, curve, tail),
        new CatchUpRound(10, 1_000_000, 1.5, true, curve, tail));
  }
}
