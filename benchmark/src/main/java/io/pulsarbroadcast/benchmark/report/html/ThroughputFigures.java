/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;

/**
 * Latency against throughput, as Pravega's evaluation plots it: never one without the other. Any
 * thread may call it.
 */
final class ThroughputFigures {
  private static final String SECTION = "Latency against throughput";
  private static final int LEAST_POINTS = 2;
  private static final int SMALL_MESSAGE_BYTES = 1_000;

  private ThroughputFigures() {}

  /**
   * A plot end to end and one of publishing for each message size that was run at several rates.
   */
  static List<Figure> of(List<Result> results) {
    List<Figure> figures = new ArrayList<>();
    bySize(results)
        .forEach(
            (bytes, ofSize) -> {
              Map<String, List<Result>> series = severalRates(ofSize);
              if (!series.isEmpty()) {
                figures.add(figure(bytes, series, true));
                figures.add(figure(bytes, series, false));
              }
            });
    return figures;
  }

  /** Those that are a point of a line, of which there may be very many. */
  static Set<Result> points(List<Result> results) {
    Set<Result> points = new HashSet<>();
    bySize(results).values().forEach(r -> severalRates(r).values().forEach(points::addAll));
    return points;
  }

  /** Those points, line by line, with a name for each line. */
  static Map<String, List<Result>> lines(List<Result> results) {
    Map<String, List<Result>> lines = new LinkedHashMap<>();
    bySize(results)
        .forEach(
            (bytes, ofSize) ->
                severalRates(ofSize)
                    .forEach(
                        (series, points) -> lines.put(series + ", " + Text.bytes(bytes), points)));
    return lines;
  }

  private static Map<Integer, List<Result>> bySize(List<Result> results) {
    Map<Integer, List<Result>> bySize = new TreeMap<>();
    for (Result result : results) {
      if (result.catchUp().isEmpty()) {
        bySize.computeIfAbsent(result.messageBytes(), size -> new ArrayList<>()).add(result);
      }
    }
    return bySize;
  }

  private static Map<String, List<Result>> severalRates(List<Result> results) {
    Map<String, List<Result>> series = new LinkedHashMap<>();
    for (Result result : results) {
      series.computeIfAbsent(result.series(), name -> new ArrayList<>()).add(result);
    }
    series
        .values()
        .removeIf(
            points ->
                points.stream().mapToLong(p -> Math.round(p.publishPerSecond())).distinct().count()
                    < LEAST_POINTS);
    series.values().forEach(p -> p.sort(Comparator.comparingDouble(Result::publishPerSecond)));
    return series;
  }

  private static Figure figure(int bytes, Map<String, List<Result>> series, boolean endToEnd) {
    boolean small = bytes < SMALL_MESSAGE_BYTES;
    String what = endToEnd ? "End-to-end latency" : "Publish latency";
    XYChart chart =
        Charts.lines(
            what + " against throughput, messages of " + Text.bytes(bytes),
            small ? "Published (messages/s)" : "Published (MB/s)",
            what + " (ms)");
    int color = 0;
    List<Result> used = new ArrayList<>();
    for (Map.Entry<String, List<Result>> entry : series.entrySet()) {
      used.addAll(entry.getValue());
      List<Double> throughput =
          entry.getValue().stream()
              .map(r -> small ? r.publishPerSecond() : r.publishMegabytesPerSecond())
              .toList();
      Charts.line(
          add(chart, entry.getKey() + ", P95", throughput, entry.getValue(), endToEnd, 95.0),
          color,
          false,
          true);
      Charts.line(
          add(chart, entry.getKey() + ", P99", throughput, entry.getValue(), endToEnd, 99.0),
          color,
          true,
          true);
      color++;
    }
    Charts.logarithmic(chart, true, true);
    return new Figure(
        (endToEnd ? "end-to-end" : "publish") + "-throughput-" + bytes,
        SECTION,
        chart,
        what
            + " at the 95th (solid) and the 99th percentile (dashed) over what was published. The"
            + " last point of a line is the first rate that was not sustained. Every consumer gets"
            + " every message, so deliveries per second are that many times the consumers. Both"
            + " axes are logarithmic.",
        used);
  }

  private static XYSeries add(
      XYChart chart,
      String name,
      List<Double> throughput,
      List<Result> points,
      boolean endToEnd,
      double percentile) {
    List<Double> millis =
        points.stream()
            .map(r -> positive((endToEnd ? r.endToEndMillis() : r.publishMillis()).get(percentile)))
            .toList();
    return chart.addSeries(name, throughput, millis);
  }

  /** For a logarithmic axis. */
  static double positive(double value) {
    return Math.max(1e-3, value);
  }
}
