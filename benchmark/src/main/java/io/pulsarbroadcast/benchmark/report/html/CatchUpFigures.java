/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;

/** How fast a backlog is read, and what that costs the others. Any thread may call it. */
final class CatchUpFigures {
  private static final String SECTION = "Catch-up reads";
  private static final double MICROS_PER_MILLI = 1e3;

  private CatchUpFigures() {}

  static List<Figure> of(List<Result> results) {
    List<Figure> figures = new ArrayList<>();
    int number = 1;
    for (Result result : results) {
      if (!result.catchUp().isEmpty()) {
        figures.add(throughput(result, number));
        figures.add(behind(result, number));
        figures.add(tail(result, number));
        number++;
      }
    }
    return figures;
  }

  private static Figure throughput(Result result, int number) {
    XYChart chart =
        Charts.lines(
            "Throughput of catching up, " + result.driver(),
            "Time since the laggards came back (s)",
            "Read by all laggards together (MB/s)");
    chart.getStyler().setYAxisMin(0.0).setXAxisMin(0.0);
    int color = 0;
    for (Result.CatchUp round : result.catchUp()) {
      if (!round.curve().isEmpty()) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (Result.CurvePoint point : round.curve()) {
          x.add(point.seconds());
          y.add(point.megabytesPerSecond());
        }
        Charts.line(chart.addSeries(name(round), x, y), color++, false, false);
      }
    }
    return new Figure(
        "catch-up-throughput-" + number,
        SECTION,
        chart,
        "Payload that consumers which were away receive, while the writer goes on at "
            + Text.number(result.publishPerSecond())
            + " msg/s on average. A line ends when its laggards have caught up, or were given up.",
        List.of(result));
  }

  private static Figure behind(Result result, int number) {
    XYChart chart =
        Charts.lines(
            "What is left to read, " + result.driver(),
            "Time since the laggards came back (s)",
            "Messages behind, mean of a laggard");
    chart.getStyler().setYAxisMin(0.0).setXAxisMin(0.0);
    int color = 0;
    for (Result.CatchUp round : result.catchUp()) {
      if (!round.curve().isEmpty()) {
        Charts.line(
            chart.addSeries(
                name(round),
                round.curve().stream().map(Result.CurvePoint::seconds).toList(),
                round.curve().stream().map(Result.CurvePoint::behindMessages).toList()),
            color++,
            false,
            false);
      }
    }
    return new Figure(
        "catch-up-behind-" + number,
        SECTION,
        chart,
        "The distance to the writer. A line that does not fall is a backlog that grows without end.",
        List.of(result));
  }

  private static Figure tail(Result result, int number) {
    CategoryChart chart =
        Charts.bars(
            "Latency of the consumers at the end meanwhile, " + result.driver(),
            "Consumers reading the backlog",
            "End-to-end latency of the others (ms)");
    List<String> rounds = result.catchUp().stream().map(CatchUpFigures::name).toList();
    chart.addSeries(
        "P50",
        rounds,
        result.catchUp().stream()
            .map(r -> r.tailEndToEnd().p50Micros() / MICROS_PER_MILLI)
            .toList());
    chart.addSeries(
        "P99",
        rounds,
        result.catchUp().stream()
            .map(r -> r.tailEndToEnd().p99Micros() / MICROS_PER_MILLI)
            .toList());
    return new Figure(
        "catch-up-tail-" + number,
        SECTION,
        chart,
        "What reading a backlog costs the "
            + Text.count(result.consumers())
            + " consumers that are not behind; the first bars are before anybody was.",
        List.of(result));
  }

  private static String name(Result.CatchUp round) {
    return round.laggards() == 0
        ? "nobody behind"
        : Text.count(round.laggards()) + (round.laggards() == 1 ? " laggard" : " laggards");
  }
}
