/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.chartpart.Chart;

/**
 * A plot with what belongs beside it. Immutable by convention; any thread may read it.
 *
 * @param id file name and anchor
 * @param section heading it stands under
 * @param chart the plot
 * @param caption what it shows, and how to read it
 * @param results whose raw data and environment are named
 */
public record Figure(
    String id, String section, Chart<?, ?> chart, String caption, List<Result> results) {

  /** Lines over time. */
  public static Figure lines(
      String id, String title, String xTitle, String yTitle, String caption, List<Line> lines) {
    XYChart chart = Charts.lines(title, xTitle, yTitle);
    chart.getStyler().setYAxisMin(0.0);
    int color = 0;
    for (Line line : lines) {
      if (!line.x.isEmpty()) {
        Charts.line(chart.addSeries(line.name, line.x, line.y), color++, false, false);
      }
    }
    return new Figure(id, "Plots", chart, caption, List.of());
  }

  /** One line of such a plot. */
  public record Line(String name, List<Double> x, List<Double> y) {}
}
