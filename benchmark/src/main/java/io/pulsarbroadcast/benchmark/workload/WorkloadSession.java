/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.load.FleetException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Runs plans one after the other, prints a line and writes a file for each. One thread. */
final class WorkloadSession {
  private static final DateTimeFormatter FILE_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MICROS_PER_MILLI = 1e3;

  private final RunOptions options;
  private final PrintStream out;
  private final PrintStream err;
  private boolean complete = true;
  private int number;

  WorkloadSession(RunOptions options, PrintStream out, PrintStream err) {
    this.options = options;
    this.out = out;
    this.err = err;
  }

  /** False when something did not arrive, or a run failed. */
  boolean isComplete() {
    return complete;
  }

  /**
   * Runs a workload at each of its rates, up to the first that is not sustained. A run that fails
   * is said so, and the next one tried: a baseline that gives up at 100,000 is a result as well.
   */
  void run(WorkloadPlan plan, WorkloadBroker broker, String fileName)
      throws InterruptedException, IOException {
    plan.ignored().forEach(key -> out.println("Not used in local runs: " + key));
    for (int rate : plan.workload().rateSteps()) {
      WorkloadPlan step = plan.atRate(rate);
      WorkloadResult result = runOnce(step, broker, fileName + suffix(step));
      if (result == null || (plan.workload().isStepped() && !result.isSustained())) {
        if (result != null) {
          out.printf(
              Locale.ROOT,
              "Saturated: %,d msg/s are not sustained (%,.0f published per second)%n",
              rate,
              result.publishedPerSecond());
        }
        return;
      }
    }
  }

  private static String suffix(WorkloadPlan plan) {
    return plan.workload().isStepped() ? "-" + plan.messagesPerSecond() + "msgs" : "";
  }

  private WorkloadResult runOnce(WorkloadPlan plan, WorkloadBroker broker, String fileName)
      throws InterruptedException, IOException {
    Instant startedAt = Instant.now();
    String topic =
        "persistent://public/default/workload-" + FILE_TIME.format(startedAt) + "-" + number++;
    out.printf(
        Locale.ROOT,
        "%s: %,d consumers, %,d bytes, %,d msg/s, %d s ...%n",
        plan.driver().name(),
        plan.consumers(),
        plan.workload().messageBytes(),
        plan.messagesPerSecond(),
        plan.seconds());
    WorkloadResult result;
    try {
      result =
          plan.workload().catchUp() == null
              ? new WorkloadRun(plan, broker, topic).execute()
              : new CatchUpRun(
                      plan,
                      broker,
                      topic,
                      options.backlogGigabytes(plan.workload()),
                      options.roundLimitSeconds,
                      line -> out.println("  " + line))
                  .execute();
    } catch (FleetException e) {
      complete = false;
      err.println("  failed: " + e.getMessage());
      return null;
    }
    Path file =
        options.output.resolve("%s-%s.json".formatted(safe(fileName), FILE_TIME.format(startedAt)));
    ResultWriter.write(file, result, options.label, startedAt);
    print(result);
    out.println("  " + file);
    if (result.delivery().missing() > 0) {
      complete = plan.workload().isStepped() && complete;
      err.printf(Locale.ROOT, "  %,d deliveries are missing%n", result.delivery().missing());
    }
    return result;
  }

  private static String safe(String fileName) {
    return fileName.replaceAll("[^A-Za-z0-9.-]+", "_");
  }

  private void print(WorkloadResult result) {
    out.printf(
        Locale.ROOT,
        "  connect %.2f s; end to end P50 %.2f, P99 %.2f, max %.2f ms; last receiver P99 %.2f ms;"
            + " received %,d of %,d, %,d twice%n",
        result.connectWallMicros() / MICROS_PER_SECOND,
        result.endToEndMicros().getValueAtPercentile(50) / MICROS_PER_MILLI,
        result.endToEndMicros().getValueAtPercentile(99) / MICROS_PER_MILLI,
        result.endToEndMicros().getMaxValue() / MICROS_PER_MILLI,
        result.lastReceiverMicros().getValueAtPercentile(99) / MICROS_PER_MILLI,
        result.delivery().received(),
        result.delivery().expected(),
        result.delivery().duplicates());
    Map<String, Double> stages = result.stages();
    if (!stages.isEmpty()) {
      out.println(
          stages.entrySet().stream()
              .map(
                  stage ->
                      String.format(
                          Locale.ROOT,
                          "%s %.2f",
                          stage.getKey(),
                          stage.getValue() / MICROS_PER_MILLI))
              .collect(Collectors.joining(", ", "  stages, means in ms: ", "")));
    }
  }
}
