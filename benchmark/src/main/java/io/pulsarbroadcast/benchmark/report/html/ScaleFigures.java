/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;

/** Latency and connect time over the number of consumers, with NTT's points. Any thread. */
final class ScaleFigures {
  private static final String SECTION = "Latency and connect time against the number of consumers";
  private static final double MICROS_PER_SECOND = 1e6;
  private static final int BINS = 24;
  private static final double MAX_PER_SECOND = 1.5;
  private static final int NTT_MESSAGE_BYTES = 10_240;

  private ScaleFigures() {}

  /** Of the results at NTT's rate and size; the histogram of whatever has connect times. */
  static List<Figure> of(List<Result> results) {
    List<Result> likeNtt =
        results.stream()
            .filter(
                r ->
                    r.consumers() > 0
                        && r.catchUp().isEmpty()
                        && r.messageBytes() == NTT_MESSAGE_BYTES
                        && r.publishPerSecond() <= MAX_PER_SECOND)
            .toList();
    List<Figure> figures = new ArrayList<>();
    if (!likeNtt.isEmpty()) {
      figures.add(latency(likeNtt));
      figures.add(connect(likeNtt));
    }
    results.stream()
        .filter(r -> r.connect() != null)
        .mapToInt(Result::consumers)
        .max()
        .ifPresent(most -> figures.add(histogram(results, most)));
    return figures;
  }

  private static Figure latency(List<Result> results) {
    return overConsumers(
        "latency-consumers",
        "End-to-end P99 against the number of consumers, 10 KiB at 1 msg/s",
        "End-to-end latency, P99 (ms)",
        results,
        result -> result.endToEndMillis().get(99.0),
        Reference::p99Millis,
        "The 99th percentile over all deliveries.");
  }

  private static Figure connect(List<Result> results) {
    return overConsumers(
        "connect-consumers",
        "Time to connect all against the number of consumers",
        "Time until all consumers are connected (s)",
        results,
        Result::connectWallSeconds,
        Reference::connectSeconds,
        "From the start of the first connection to the end of the last.");
  }

  private static Figure overConsumers(
      String id,
      String title,
      String yTitle,
      List<Result> results,
      ToDoubleFunction<Result> value,
      ToDoubleFunction<Reference> referenceValue,
      String caption) {
    XYChart chart = Charts.lines(title, "Consumers of the topic", yTitle);
    int[] index = {0};
    List<Result> known =
        results.stream()
            .filter(result -> value.applyAsDouble(result) > 0)
            .sorted(Comparator.comparingInt(Result::consumers))
            .toList();
    Figures.by(known, Result::driver)
        .forEach(
            (driver, points) ->
                Charts.line(
                    Charts.add(chart, driver + ", measured", points, Result::consumers, value),
                    index[0]++,
                    false,
                    true));
    index[0] = 0;
    Reference.NTT.stream()
        .filter(reference -> referenceValue.applyAsDouble(reference) > 0)
        .collect(Collectors.groupingBy(Reference::series, LinkedHashMap::new, Collectors.toList()))
        .forEach(
            (name, points) ->
                Charts.reference(
                    Charts.add(
                        chart, name + " (published)", points, Reference::consumers, referenceValue),
                    index[0]++));
    Charts.logarithmic(chart, true, true);
    return new Figure(
        id,
        SECTION,
        chart,
        caption
            + " Grey marks are what NTT published, on other hardware (i3.4xlarge brokers and"
            + " bookies on AWS) and another Pulsar: a reference for the shape, not a comparison of"
            + " machines. What the marks stand for is in the table of references below. Both axes"
            + " are logarithmic.",
        results);
  }

  private static Figure histogram(List<Result> results, int consumers) {
    List<Result> shown =
        Figures.by(
                results.stream()
                    .filter(r -> r.connect() != null && r.consumers() == consumers)
                    .toList(),
                Result::driver)
            .values()
            .stream()
            .map(ofDriver -> ofDriver.get(0))
            .toList();
    double longest =
        shown.stream().mapToDouble(r -> r.connect().maxMicros()).max().orElse(1)
            / MICROS_PER_SECOND;
    double width = roundUp(longest / BINS);
    int bins = (int) Math.ceil(longest / width);
    int decimals = Math.max(0, BigDecimal.valueOf(width).stripTrailingZeros().scale());
    List<String> labels =
        IntStream.range(0, bins).mapToObj(i -> Text.decimal(i * width, decimals)).toList();
    CategoryChart chart =
        Charts.bars(
            "How long each of " + Text.count(consumers) + " consumers took to connect",
            "Time to connect (s), in steps of " + Text.decimal(width, decimals) + " s",
            "Consumers");
    chart.getStyler().setXAxisLabelRotation(bins > 12 ? 45 : 0);
    for (Result result : shown) {
      chart.addSeries(result.driver(), labels, binned(result.connect(), bins, width));
    }
    return new Figure(
        "connect-histogram",
        SECTION,
        chart,
        "The distribution behind the time to connect all, as in figure 5 of NTT's post, where 20%"
            + " of 20,000 Shared consumers were connected in 3 s, more than half within a minute,"
            + " and some took more than 200 s. Local runs count from each consumer's own subscribe;"
            + " the OpenMessaging Benchmark driver from the start of the first.",
        shown);
  }

  private static List<Long> binned(LatencyReport connect, int bins, double width) {
    long[] counts = new long[bins];
    for (LatencyReport.Bucket bucket : connect.buckets()) {
      int bin = (int) (bucket.micros() / MICROS_PER_SECOND / width);
      counts[Math.min(bins - 1, bin)] += bucket.count();
    }
    return Arrays.stream(counts).boxed().toList();
  }

  /** The next of 1, 2, 2.5 or 5 times a power of ten. */
  static double roundUp(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(1e-6, value))));
    for (double step : new double[] {1, 2, 2.5, 5}) {
      if (step * power >= value * (1 - 1e-9)) {
        return step * power;
      }
    }
    return 10 * power;
  }
}
