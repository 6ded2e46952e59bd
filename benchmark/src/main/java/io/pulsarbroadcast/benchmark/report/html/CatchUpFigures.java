/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import io.pulsarbroadcast.benchmark.engine.CatchUpRound;
import io.pulsarbroadcast.benchmark.engine.CatchUpRound.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.chartpart.Chart;

/** How fast a backlog is read, and what that costs the others. Any thread may call it. */
final class CatchUpFigures {
  private static final double MICROS_PER_MILLI = 1e3;

  private CatchUpFigures() {}

  /** Three of each result that has rounds of laggards. */
  static List<Figure> of(List<Result> results) {
    List<Figure> figures = new ArrayList<>();
    List<Result> catchUps = results.stream().filter(r -> !r.catchUp().isEmpty()).toList();
    for (int i = 0; i < catchUps.size(); i++) {
      Result result = catchUps.get(i);
      figures.add(
          figure(
              result,
              "catch-up-throughput-" + (i + 1),
              overRounds(
                  "Throughput of catching up",
                  "Read by all laggards together (MB/s)",
                  result,
                  Point::megabytesPerSecond),
              "Payload that consumers which were away receive, while the writer goes on at "
                  + Text.number(result.publishPerSecond())
                  + " msg/s on average. A line ends when its laggards have caught up, or were given"
                  + " up."));
      figures.add(
          figure(
              result,
              "catch-up-behind-" + (i + 1),
              overRounds(
                  "What is left to read",
                  "Messages behind, mean of a laggard",
                  result,
                  Point::behindMessages),
              "The distance to the writer. A line that does not fall is a backlog that grows without"
                  + " end."));
      figures.add(
          figure(
              result,
              "catch-up-tail-" + (i + 1),
              tailMeanwhile(result),
              "What reading a backlog costs the "
                  + Text.count(result.consumers())
                  + " consumers that are not behind; the first bars are before anybody was."));
    }
    return figures;
  }

  private static Figure figure(Result result, String id, Chart<?, ?> chart, String caption) {
    return new Figure(id, "Catch-up reads", chart, caption, List.of(result));
  }

  private static XYChart overRounds(
      String what, String yTitle, Result result, ToDoubleFunction<Point> value) {
    XYChart chart =
        Charts.lines(
            what + ", " + result.driver(), "Time since the laggards came back (s)", yTitle);
    chart.getStyler().setYAxisMin(0.0).setXAxisMin(0.0);
    int color = 0;
    for (CatchUpRound round : result.catchUp()) {
      if (!round.curve().isEmpty()) {
        Charts.line(
            Charts.add(chart, name(round), round.curve(), Point::seconds, value),
            color++,
            false,
            false);
      }
    }
    return chart;
  }

  private static CategoryChart tailMeanwhile(Result result) {
    CategoryChart chart =
        Charts.bars(
            "Latency of the consumers at the end meanwhile, " + result.driver(),
            "Consumers reading the backlog",
            "End-to-end latency of the others (ms)");
    List<CatchUpRound> rounds = result.catchUp();
    List<String> names = rounds.stream().map(CatchUpFigures::name).toList();
    Charts.add(chart, "P50", names, rounds, r -> r.tailEndToEnd().p50Micros() / MICROS_PER_MILLI);
    Charts.add(chart, "P99", names, rounds, r -> r.tailEndToEnd().p99Micros() / MICROS_PER_MILLI);
    return chart;
  }

  private static String name(CatchUpRound round) {
    return round.laggards() == 0
        ? "nobody behind"
        : Text.count(round.laggards()) + (round.laggards() == 1 ? " laggard" : " laggards");
  }
}
