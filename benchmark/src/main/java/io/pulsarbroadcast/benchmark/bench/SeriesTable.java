/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The figures of runs as rows, and the ratio of two of them. Not thread-safe. */
final class SeriesTable {
  /** In the column that says which round, the rounds added up. */
  static final String ALL_ROUNDS = "all";

  private static final double MICROS_PER_SECOND = 1e6;
  private static final int COUNTS = 5;
  private static final List<String> COLUMNS =
      List.of(
          "series",
          "round",
          "connect all, s",
          "connect P50, ms",
          "connect P99, ms",
          "connect max, ms",
          "end to end P50, ms",
          "end to end P99, ms",
          "end to end max, ms",
          "last receiver P50, ms",
          "last receiver P99, ms",
          "last receiver max, ms",
          "server CPU per delivery, us",
          "generator CPU per delivery, us",
          "expected",
          "received",
          "missing",
          "duplicates",
          "out of order");

  private final ResultTable table = new ResultTable(COLUMNS);

  void add(String series, String round, RunResult result) {
    List<Object> cells = new ArrayList<>(List.of(series, round));
    figures(result).forEach(cells::add);
    DeliveryCounts delivery = result.delivery();
    cells.addAll(
        List.of(
            delivery.expected(),
            delivery.received(),
            delivery.missing(),
            delivery.duplicates(),
            delivery.outOfOrder()));
    table.add(cells);
  }

  /** How many times the other's each figure is. */
  void addRatio(String round, RunResult result, RunResult other) {
    List<Object> cells = new ArrayList<>(List.of(result.name() + " / " + other.name(), round));
    List<Double> ofResult = figures(result);
    List<Double> ofOther = figures(other);
    for (int i = 0; i < ofResult.size(); i++) {
      cells.add(ofOther.get(i) > 0 ? ofResult.get(i) / ofOther.get(i) : Double.NaN);
    }
    cells.addAll(Arrays.asList(new Object[COUNTS]));
    table.add(cells);
  }

  private static List<Double> figures(RunResult result) {
    LatencySummary connect = LatencySummary.of(result.connectMicros());
    LatencySummary endToEnd = LatencySummary.of(result.endToEndMicros());
    LatencySummary last = LatencySummary.of(result.lastReceiverMicros());
    return List.of(
        result.connectWallMicros() / MICROS_PER_SECOND,
        connect.p50Millis(),
        connect.p99Millis(),
        connect.maxMillis(),
        endToEnd.p50Millis(),
        endToEnd.p99Millis(),
        endToEnd.maxMillis(),
        last.p50Millis(),
        last.p99Millis(),
        last.maxMillis(),
        result.brokerCpuMicrosPerDelivery(),
        result.generatorCpuMicrosPerDelivery());
  }

  ResultTable table() {
    return table;
  }
}
