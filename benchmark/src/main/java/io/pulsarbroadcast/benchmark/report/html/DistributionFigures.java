/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;

/** Whole distributions, and variants side by side. Any thread may call it. */
final class DistributionFigures {
  private static final double MICROS_PER_MILLI = 1e3;
  private static final int MAX_LINES = 6;
  private static final double MOST_NINES = 6;

  private DistributionFigures() {}

  static List<Figure> of(List<Result> results) {
    Set<Result> ofLines = ThroughputFigures.points(results);
    Map<String, List<Result>> groups =
        groups(results.stream().filter(result -> !ofLines.contains(result)).toList());
    List<Figure> figures = new ArrayList<>();
    groups.forEach((name, group) -> figures.add(distribution(name, group)));
    groups.forEach(
        (name, group) -> {
          if (group.size() > 1) {
            figures.add(variants(name, group));
          }
        });
    return figures;
  }

  /** What was run with the same consumers, size and rate; the last of each driver. */
  static Map<String, List<Result>> groups(List<Result> results) {
    Map<String, Map<String, Result>> groups = new LinkedHashMap<>();
    for (Result result : results) {
      if (!result.endToEndCurve().isEmpty() && result.catchUp().isEmpty()) {
        groups
            .computeIfAbsent(groupName(result), n -> new LinkedHashMap<>())
            .put(result.driver(), result);
      }
    }
    Map<String, List<Result>> limited = new LinkedHashMap<>();
    groups.forEach(
        (name, byDriver) ->
            limited.put(name, byDriver.values().stream().limit(MAX_LINES).toList()));
    return limited;
  }

  private static String groupName(Result result) {
    return (result.consumers() > 0 ? Text.count(result.consumers()) + " consumers, " : "")
        + Text.bytes(result.messageBytes())
        + ", "
        + rate(result.publishPerSecond())
        + " msg/s"
        + (result.partitions() > 1 ? ", " + result.partitions() + " partitions" : "");
  }

  /** Runs of one asked rate differ a little in what they reached. */
  private static String rate(double perSecond) {
    double unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(Math.max(1, perSecond))) - 1));
    return Text.count(Math.round(perSecond / unit) * unit);
  }

  private static Figure distribution(String name, List<Result> results) {
    double most = 1;
    for (Result result : results) {
      most = Math.max(most, nines(result.endToEndCurve()));
    }
    most = Math.min(MOST_NINES, Math.ceil(most));
    XYChart chart =
        Charts.lines(
            "End-to-end latency by percentile: " + name,
            "Deliveries that were at least as fast (percentile)",
            "End-to-end latency (ms)");
    chart.getStyler().setXAxisMin(0.0).setXAxisMax(most).setXAxisMaxLabelCount((int) most + 2);
    chart.setCustomXAxisTickLabelsFormatter(DistributionFigures::percentileLabel);
    for (int i = 0; i < results.size(); i++) {
      Result result = results.get(i);
      addCurve(chart, result.driver() + ", every delivery", result.endToEndCurve(), most, i, false);
      if (result.lastReceiver() != null && result.lastReceiver().percentiles() != null) {
        List<Result.Quantile> curve =
            result.lastReceiver().percentiles().stream()
                .map(p -> new Result.Quantile(p.percentile(), p.micros() / MICROS_PER_MILLI))
                .toList();
        addCurve(chart, result.driver() + ", last receiver", curve, most, i, true);
      }
    }
    Charts.logarithmic(chart, false, true);
    return new Figure(
        "distribution-" + Text.id(name),
        "Latency distribution",
        chart,
        "The whole distribution, with as much room from 99 to 99.9 percent as from 90 to 99."
            + " Dashed, where known: for each message, when the last of all consumers had it."
            + " Vertical axis logarithmic.",
        results);
  }

  private static void addCurve(
      XYChart chart,
      String name,
      List<Result.Quantile> curve,
      double most,
      int color,
      boolean dashed) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (Result.Quantile quantile : curve) {
      double nines = toNines(quantile.percentile());
      if (nines <= most && quantile.millis() > 0) {
        x.add(nines);
        y.add(quantile.millis());
      }
    }
    if (!x.isEmpty()) {
      Charts.line(chart.addSeries(name, x, y), color, dashed, false);
    }
  }

  private static double nines(List<Result.Quantile> curve) {
    return curve.stream()
        .mapToDouble(Result.Quantile::percentile)
        .filter(p -> p < 100)
        .map(DistributionFigures::toNines)
        .max()
        .orElse(1);
  }

  private static double toNines(double percentile) {
    return percentile >= 100 ? Double.POSITIVE_INFINITY : -Math.log10(1 - percentile / 100);
  }

  private static String percentileLabel(double nines) {
    if (Math.abs(nines - Math.rint(nines)) > 1e-6) {
      return "";
    }
    int whole = (int) Math.rint(nines);
    return String.format(
        Locale.ROOT, "%." + Math.max(0, whole - 2) + "f%%", 100 - 100 * Math.pow(10, -whole));
  }

  private static Figure variants(String name, List<Result> results) {
    CategoryChart chart = Charts.bars("Variants: " + name, "Variant", "End-to-end latency (ms)");
    chart.getStyler().setLabelsVisible(true).setLabelsPosition(0.5);
    chart.getStyler().setDecimalPattern("#,##0.#");
    List<String> drivers = results.stream().map(Result::driver).toList();
    chart.addSeries("P50", drivers, at(results, 50.0));
    chart.addSeries("P99", drivers, at(results, 99.0));
    if (results.stream().allMatch(r -> r.lastReceiver() != null)) {
      chart.addSeries(
          "Last receiver, P99",
          drivers,
          results.stream().map(r -> r.lastReceiver().p99Micros() / MICROS_PER_MILLI).toList());
    }
    return new Figure(
        "variants-" + Text.id(name),
        "Variants side by side",
        chart,
        "The same workload on each driver or variant: what one change is worth. Linear axis from"
            + " zero.",
        results);
  }

  private static List<Double> at(List<Result> results, double percentile) {
    return results.stream().map(r -> r.endToEndMillis().get(percentile)).toList();
  }
}
