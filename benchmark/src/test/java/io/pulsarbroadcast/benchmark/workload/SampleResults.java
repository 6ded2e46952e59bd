/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.SubscriptionKind;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.report.LatencyReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Result files as a run writes them, with made-up figures, for tests of what reads them. */
public final class SampleResults {
  private static final Path BENCHMARK = Path.of("");

  private SampleResults() {}

  static WorkloadPlan plan(String workload, String driver) throws IOException {
    WorkloadFile workloadFile =
        WorkloadFile.read(BENCHMARK.resolve("workloads/" + workload + ".yaml").toFile());
    DriverFile driverFile =
        DriverFile.read(BENCHMARK.resolve("drivers/" + driver + ".yaml").toFile());
    return new WorkloadPlan(
        workloadFile,
        driverFile,
        workloadFile.consumers(),
        workloadFile.messagesPerSecond(),
        10,
        1,
        true);
  }

  static Histogram histogram(long slowestMicros) {
    Histogram histogram = new Histogram(PublishStats.MAX_MICROS, PublishStats.DIGITS);
    for (int i = 1; i <= 1_000; i++) {
      histogram.recordValue(slowestMicros * i / 1_000);
    }
    return histogram;
  }

  static WorkloadResult result(WorkloadPlan plan, long slowestMicros, List<CatchUpRound> rounds) {
    long published = (long) plan.messagesPerSecond() * plan.seconds();
    long expected = published * plan.consumers();
    Histogram histogram = histogram(slowestMicros);
    Interval half =
        new Interval(
            plan.seconds() / 2.0,
            published / 2,
            0,
            expected / 2,
            3,
            histogram,
            histogram,
            histogram);
    return new WorkloadResult(
        plan,
        List.of(half, half),
        histogram,
        histogram,
        histogram,
        2_500_000,
        new DeliveryCounts((int) published, expected, expected, 0, 0, 0, 0, 0, 0, 0),
        1_200,
        600,
        0,
        "Pulsar 3.3.6",
        null,
        brokerTimers(plan),
        rounds);
  }

  /** 1 ms in each of the broker's stages but the writing, which takes 5 ms; stock has none. */
  private static StageTimers brokerTimers(WorkloadPlan plan) {
    if (plan.driver().consumer().subscriptionType() != SubscriptionKind.Broadcast) {
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
    WorkloadPlan plan = plan(workload, driver).atRate(messagesPerSecond);
    List<CatchUpRound> rounds = plan.workload().catchUp() == null ? List.of() : rounds();
    Path file = folder.resolve("%s-%s-%d.json".formatted(workload, driver, messagesPerSecond));
    ResultWriter.write(
        file, result(plan, slowestMicros, rounds), "", Instant.parse("2026-01-02T03:04:05Z"));
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
