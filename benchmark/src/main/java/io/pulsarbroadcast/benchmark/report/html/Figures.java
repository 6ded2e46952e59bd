/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;

/**
 * The plots of a page, made of its results. One thread may call it.
 *
 * <p>Results of one series at several rates are the points of a line, as Pravega's evaluation plots
 * latency against throughput. The others are grouped by consumers, size and rate, with their
 * drivers side by side.
 */
final class Figures {
  private static final int LEAST_POINTS = 2;
  private static final int MAX_DRIVERS = 6;
  private static final int SMALL_MESSAGE_BYTES = 1_000;
  private static final double MOST_NINES = 6;
  private static final double MICROS_PER_MILLI = 1e3;

  /** The points of each line, by the line's name, by the size of messages. */
  private final Map<Integer, Map<String, List<Result>>> lines = new TreeMap<>();

  /** What is no point of a line: the last result of each driver, by the name of the group. */
  private final Map<String, List<Result>> groups = new LinkedHashMap<>();

  private final List<Figure> figures = new ArrayList<>();

  private Figures(List<Result> results) {
    List<Result> steady = results.stream().filter(r -> r.catchUp().isEmpty()).toList();
    by(steady, Result::messageBytes).forEach((bytes, ofSize) -> lines.put(bytes, lines(ofSize)));
    lines.values().removeIf(Map::isEmpty);
    Set<Result> ofLines =
        lines.values().stream()
            .flatMap(ofSize -> ofSize.values().stream())
            .flatMap(List::stream)
            .collect(Collectors.toSet());
    List<Result> others =
        steady.stream().filter(r -> !ofLines.contains(r) && !r.endToEndCurve().isEmpty()).toList();
    by(others, Figures::groupName)
        .forEach((name, group) -> groups.put(name, lastOfEach(group, Result::driver)));
  }

  static List<Figure> of(List<Result> results) {
    Figures all = new Figures(results);
    all.figures.addAll(ScaleFigures.of(results));
    all.addThroughput();
    all.groups.forEach(all::addDistribution);
    all.groups.forEach(all::addVariants);
    all.addStages();
    all.figures.addAll(CatchUpFigures.of(results));
    return all.figures;
  }

  /** In the order in which the keys occur. */
  static <K> Map<K, List<Result>> by(Collection<Result> results, Function<Result, K> key) {
    return results.stream()
        .collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
  }

  private static List<Result> lastOfEach(List<Result> results, Function<Result, String> key) {
    return by(results, key).values().stream()
        .limit(MAX_DRIVERS)
        .map(same -> same.get(same.size() - 1))
        .toList();
  }

  private static Map<String, List<Result>> lines(List<Result> ofSize) {
    Map<String, List<Result>> series = by(ofSize, Result::series);
    series.values().removeIf(points -> rates(points) < LEAST_POINTS);
    series.values().forEach(p -> p.sort(Comparator.comparingDouble(Result::publishPerSecond)));
    return series;
  }

  private static long rates(List<Result> points) {
    return points.stream().mapToLong(p -> Math.round(p.publishPerSecond())).distinct().count();
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

  // --- Latency against throughput: never one without the other ---------------------------------

  private void addThroughput() {
    lines.forEach(
        (bytes, ofSize) -> {
          addThroughput(bytes, ofSize, "end-to-end", "End-to-end latency", Result::endToEndMillis);
          addThroughput(bytes, ofSize, "publish", "Publish latency", Result::publishMillis);
        });
  }

  private void addThroughput(
      int bytes,
      Map<String, List<Result>> ofSize,
      String id,
      String what,
      Function<Result, Map<Double, Double>> latency) {
    boolean small = bytes < SMALL_MESSAGE_BYTES;
    ToDoubleFunction<Result> throughput =
        small ? Result::publishPerSecond : Result::publishMegabytesPerSecond;
    XYChart chart =
        Charts.lines(
            what + " against throughput, messages of " + Text.bytes(bytes),
            small ? "Published (messages/s)" : "Published (MB/s)",
            what + " (ms)");
    int[] color = {0};
    ofSize.forEach(
        (name, points) -> {
          Charts.line(
              Charts.add(chart, name + ", P95", points, throughput, at(latency, 95.0)),
              color[0],
              false,
              true);
          Charts.line(
              Charts.add(chart, name + ", P99", points, throughput, at(latency, 99.0)),
              color[0]++,
              true,
              true);
        });
    Charts.logarithmic(chart, true, true);
    figures.add(
        new Figure(
            id + "-throughput-" + bytes,
            "Latency against throughput",
            chart,
            what
                + " at the 95th (solid) and the 99th percentile (dashed) over what was published."
                + " The last point of a line is the first rate that was not sustained. Every"
                + " consumer gets every message, so deliveries per second are that many times the"
                + " consumers. Both axes are logarithmic.",
            ofSize.values().stream().flatMap(List::stream).toList()));
  }

  /** More than nothing, for a logarithmic axis. */
  private static ToDoubleFunction<Result> at(
      Function<Result, Map<Double, Double>> latency, double percentile) {
    return result -> Math.max(1e-3, latency.apply(result).get(percentile));
  }

  // --- Whole distributions, and variants side by side ------------------------------------------

  private void addDistribution(String name, List<Result> group) {
    double most =
        group.stream()
            .flatMap(result -> result.endToEndCurve().stream())
            .filter(quantile -> quantile.percentile() < 100)
            .mapToDouble(Result.Quantile::nines)
            .max()
            .orElse(1);
    double end = Math.min(MOST_NINES, Math.ceil(Math.max(1, most)));
    XYChart chart =
        Charts.lines(
            "End-to-end latency by percentile: " + name,
            "Deliveries that were at least as fast (percentile)",
            "End-to-end latency (ms)");
    chart.getStyler().setXAxisMin(0.0).setXAxisMax(end).setXAxisMaxLabelCount((int) end + 2);
    chart.setCustomXAxisTickLabelsFormatter(Figures::percentileLabel);
    int color = 0;
    for (Result result : group) {
      addCurve(
          chart, result.driver() + ", every delivery", result.endToEndCurve(), end, color, false);
      addCurve(
          chart, result.driver() + ", last receiver", result.lastReceiverCurve(), end, color, true);
      color++;
    }
    Charts.logarithmic(chart, false, true);
    figures.add(
        new Figure(
            "distribution-" + Text.id(name),
            "Latency distribution",
            chart,
            "The whole distribution, with as much room from 99 to 99.9 percent as from 90 to 99."
                + " Dashed, where known: for each message, when the last of all consumers had it."
                + " Vertical axis logarithmic.",
            group));
  }

  private static void addCurve(
      XYChart chart,
      String name,
      List<Result.Quantile> curve,
      double end,
      int color,
      boolean dashed) {
    List<Result.Quantile> shown =
        curve.stream().filter(q -> q.nines() <= end && q.millis() > 0).toList();
    if (!shown.isEmpty()) {
      Charts.line(
          Charts.add(chart, name, shown, Result.Quantile::nines, Result.Quantile::millis),
          color,
          dashed,
          false);
    }
  }

  private static String percentileLabel(double nines) {
    int whole = (int) Math.rint(nines);
    return Math.abs(nines - whole) > 1e-6
        ? ""
        : String.format(
            Locale.ROOT, "%." + Math.max(0, whole - 2) + "f%%", 100 - 100 * Math.pow(10, -whole));
  }

  private void addVariants(String name, List<Result> group) {
    if (group.size() == 1) {
      return;
    }
    CategoryChart chart = Charts.bars("Variants: " + name, "Variant", "End-to-end latency (ms)");
    chart.getStyler().setLabelsVisible(true).setLabelsPosition(0.5);
    chart.getStyler().setDecimalPattern("#,##0.#");
    List<String> drivers = group.stream().map(Result::driver).toList();
    Charts.add(chart, "P50", drivers, group, r -> r.endToEndMillis().get(50.0));
    Charts.add(chart, "P99", drivers, group, r -> r.endToEndMillis().get(99.0));
    if (group.stream().allMatch(r -> r.lastReceiver() != null)) {
      Charts.add(
          chart,
          "Last receiver, P99",
          drivers,
          group,
          r -> r.lastReceiver().p99Micros() / MICROS_PER_MILLI);
    }
    figures.add(
        new Figure(
            "variants-" + Text.id(name),
            "Variants side by side",
            chart,
            "The same workload on each driver or variant: what one change is worth. Linear axis"
                + " from zero.",
            group));
  }

  // --- Where the time of a message goes --------------------------------------------------------

  /** A plot for each group with its drivers side by side, and one for each line of rates. */
  private void addStages() {
    groups.forEach((name, group) -> addStages(name, "Driver", group, Result::driver));
    lines.forEach(
        (bytes, ofSize) ->
            ofSize.forEach(
                (series, points) ->
                    addStages(
                        series + ", " + Text.bytes(bytes),
                        "Published (messages/s)",
                        points,
                        r -> Text.number(r.publishPerSecond()))));
  }

  private void addStages(
      String name, String xTitle, List<Result> of, Function<Result, String> label) {
    Map<String, Result> bars = new LinkedHashMap<>();
    of.stream().filter(r -> !r.stages().isEmpty()).forEach(r -> bars.put(label.apply(r), r));
    if (bars.isEmpty()) {
      return;
    }
    CategoryChart chart = Charts.bars("Where the time goes: " + name, xTitle, "Mean latency (ms)");
    chart.getStyler().setStacked(true);
    List<String> labels = List.copyOf(bars.keySet());
    List<Result> shown = List.copyOf(bars.values());
    Result.STAGES.forEach(
        (stage, what) -> {
          if (shown.stream().anyMatch(r -> r.stages().containsKey(stage))) {
            Charts.add(
                chart,
                stage + ": " + what,
                labels,
                shown,
                r -> r.stages().getOrDefault(stage, 0.0));
          }
        });
    figures.add(
        new Figure(
            "stages-" + Text.id(name),
            "Stages of the end-to-end latency",
            chart,
            "Means per message. broker to broadcast are timers of the plugin in the broker."
                + " produce is the publish latency without what the broker spent on it, so the way"
                + " of its answer is in it; receive is what is left until the last consumer has the"
                + " message, where that is known. Stock subscriptions have no such timers. In"
                + " figure 6 of NTT's post, with 40,000 Shared consumers and for the P99, persist"
                + " took 27% and broadcast 33%.",
            shown));
  }
}
