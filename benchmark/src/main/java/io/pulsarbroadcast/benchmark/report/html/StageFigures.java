/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.knowm.xchart.CategoryChart;

/** Where the time of a message goes, stage by stage. Any thread may call it. */
final class StageFigures {
  private static final String SECTION = "Stages of the end-to-end latency";

  private StageFigures() {}

  /** A plot for each workload with its drivers side by side, and one for each line of rates. */
  static List<Figure> of(List<Result> results) {
    Set<Result> ofLines = ThroughputFigures.points(results);
    List<Figure> figures = new ArrayList<>();
    DistributionFigures.groups(results.stream().filter(r -> !ofLines.contains(r)).toList())
        .forEach((name, group) -> add(figures, name, "Driver", group, Result::driver));
    ThroughputFigures.lines(results)
        .forEach(
            (name, points) ->
                add(
                    figures,
                    name,
                    "Published (messages/s)",
                    points,
                    r -> Text.number(r.publishPerSecond())));
    return figures;
  }

  private static void add(
      List<Figure> figures,
      String name,
      String xTitle,
      List<Result> results,
      Function<Result, String> label) {
    Map<String, Result> bars = new LinkedHashMap<>();
    results.stream().filter(r -> !r.stages().isEmpty()).forEach(r -> bars.put(label.apply(r), r));
    if (!bars.isEmpty()) {
      figures.add(figure(name, xTitle, bars));
    }
  }

  private static Figure figure(String name, String xTitle, Map<String, Result> bars) {
    CategoryChart chart = Charts.bars("Where the time goes: " + name, xTitle, "Mean latency (ms)");
    chart.getStyler().setStacked(true);
    List<Result> shown = List.copyOf(bars.values());
    Stages.NAMES.forEach(
        (stage, what) -> {
          if (shown.stream().anyMatch(r -> r.stages().containsKey(stage))) {
            chart.addSeries(
                stage + ": " + what,
                List.copyOf(bars.keySet()),
                shown.stream().map(r -> r.stages().getOrDefault(stage, 0.0)).toList());
          }
        });
    return new Figure(
        "stages-" + Text.id(name),
        SECTION,
        chart,
        "Means per message. broker to broadcast are timers of the plugin in the broker. produce is"
            + " the publish latency without what the broker spent on it, so the way of its answer"
            + " is in it; receive is what is left until the last consumer has the message, where"
            + " that is known. Stock subscriptions have no such timers. In figure 6 of NTT's post,"
            + " with 40,000 Shared consumers and for the P99, persist took 27% and broadcast 33%.",
        shown);
  }
}
