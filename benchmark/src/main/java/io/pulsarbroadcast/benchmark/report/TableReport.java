/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The figures of one run, or of two side by side with their ratio, as text. Immutable; any thread
 * may call it.
 */
public final class TableReport {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MICROS_PER_MILLI = 1e3;

  private final List<RunResult> results;
  private final List<List<String>> rows = new ArrayList<>();

  private TableReport(List<RunResult> results) {
    this.results = results;
  }

  /** The first result is the one the others are compared with: ratio = other / first. */
  public static String of(List<RunResult> results) {
    TableReport table = new TableReport(results);
    table.fill();
    return TextGrid.format(table.rows);
  }

  private void fill() {
    List<String> header = new ArrayList<>(List.of(""));
    results.forEach(result -> header.add(result.name()));
    if (isComparison()) {
      header.add("ratio");
    }
    rows.add(header);
    decimal("connect all, s", r -> r.connectWallMicros() / MICROS_PER_SECOND);
    latency("connect", r -> LatencySummary.of(r.connectMicros()), false);
    if (results.stream().noneMatch(r -> r.lastReceiverPerMessageMicros().isEmpty())) {
      decimal(
          "first message, last receiver, ms",
          r -> r.lastReceiverPerMessageMicros().get(0) / MICROS_PER_MILLI);
    }
    latency("end to end", r -> LatencySummary.of(r.endToEndMicros()), true);
    latency("last receiver", r -> LatencySummary.of(r.lastReceiverMicros()), true);
    if (results.stream().allMatch(r -> r.brokerCpuMillis() >= 0)) {
      decimal("broker CPU per message, ms", r -> perMessage(r, r.brokerCpuMillis()));
    }
    decimal("generator CPU per message, ms", r -> perMessage(r, r.generatorCpuMillis()));
    count("expected", DeliveryCounts::expected);
    count("received", DeliveryCounts::received);
    count("missing", DeliveryCounts::missing);
    count("duplicates", DeliveryCounts::duplicates);
    count("out of order", DeliveryCounts::outOfOrder);
    countIfAny("corrupt", DeliveryCounts::corrupt);
    countIfAny("unexpected", DeliveryCounts::unexpected);
    countIfAny("not acknowledged, yet received", DeliveryCounts::unacknowledged);
  }

  private interface Summary {
    LatencySummary of(RunResult result);
  }

  private void latency(String name, Summary summary, boolean withRatio) {
    decimal(name + " P50, ms", r -> summary.of(r).p50Millis(), withRatio);
    decimal(name + " P99, ms", r -> summary.of(r).p99Millis(), withRatio);
    decimal(name + " max, ms", r -> summary.of(r).maxMillis(), withRatio);
  }

  private void decimal(String name, ToDoubleFunction<RunResult> value) {
    decimal(name, value, true);
  }

  private void decimal(String name, ToDoubleFunction<RunResult> value, boolean withRatio) {
    List<String> row = new ArrayList<>(List.of(name));
    for (RunResult result : results) {
      row.add(String.format(Locale.ROOT, "%.2f", value.applyAsDouble(result)));
    }
    if (isComparison()) {
      row.add(withRatio ? ratio(value) : "");
    }
    rows.add(row);
  }

  private String ratio(ToDoubleFunction<RunResult> value) {
    double first = value.applyAsDouble(results.get(0));
    double second = value.applyAsDouble(results.get(1));
    return first > 0 ? String.format(Locale.ROOT, "%.1fx", second / first) : "";
  }

  private void count(String name, ToLongFunction<DeliveryCounts> value) {
    List<String> row = new ArrayList<>(List.of(name));
    for (RunResult result : results) {
      row.add(String.format(Locale.ROOT, "%,d", value.applyAsLong(result.delivery())));
    }
    if (isComparison()) {
      row.add("");
    }
    rows.add(row);
  }

  private void countIfAny(String name, ToLongFunction<DeliveryCounts> value) {
    if (results.stream().anyMatch(r -> value.applyAsLong(r.delivery()) != 0)) {
      count(name, value);
    }
  }

  private static double perMessage(RunResult result, long millis) {
    return result.timedMessages() == 0 ? 0 : (double) millis / result.timedMessages();
  }

  private boolean isComparison() {
    return results.size() == 2;
  }
}
