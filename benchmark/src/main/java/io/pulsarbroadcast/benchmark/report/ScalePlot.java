/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** A figure over another one, both on logarithmic axes, a line per series. Not thread-safe. */
public final class ScalePlot {
  private static final int WIDTH_PIXELS = 1000;
  private static final int HEIGHT_PIXELS = 600;

  private final String title;
  private final String across;
  private final String up;
  private final Map<String, List<double[]>> points = new LinkedHashMap<>();

  /**
   * Makes an empty plot.
   *
   * @param across what the horizontal axis says
   * @param up what the vertical axis says
   */
  public ScalePlot(String title, String across, String up) {
    this.title = title;
    this.across = across;
    this.up = up;
  }

  /** Adds a point; one that a logarithmic axis cannot show is left out. */
  public void add(String series, double x, double y) {
    if (x > 0 && y > 0 && Double.isFinite(x) && Double.isFinite(y)) {
      points.computeIfAbsent(series, name -> new ArrayList<>()).add(new double[] {x, y});
    }
  }

  /** Writes {@code name.svg} and {@code name.png}; nothing when there is no point. */
  public List<Path> write(Path folder, String name) throws IOException {
    if (points.isEmpty()) {
      return List.of();
    }
    System.setProperty("java.awt.headless", "true");
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH_PIXELS)
            .height(HEIGHT_PIXELS)
            .title(title)
            .xAxisTitle(across)
            .yAxisTitle(up)
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.InsideNW);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setPlotGridLinesColor(new Color(0xDDDDDD));
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setYAxisLogarithmic(true);
    points.forEach(
        (series, ofSeries) ->
            chart.addSeries(
                series,
                ofSeries.stream().mapToDouble(point -> point[0]).toArray(),
                ofSeries.stream().mapToDouble(point -> point[1]).toArray()));
    String file = folder.resolve(name).toString();
    BitmapEncoder.saveBitmap(chart, file, BitmapFormat.PNG);
    VectorGraphicsEncoder.saveVectorGraphic(chart, file, VectorGraphicsFormat.SVG);
    return List.of(folder.resolve(name + ".svg"), folder.resolve(name + ".png"));
  }
}
