/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Lines over time as an SVG file. One thread may call it. */
final class TimePlot {
  private static final int WIDTH_PIXELS = 1000;
  private static final int HEIGHT_PIXELS = 500;
  private static final float LINE_WIDTH = 1.8f;
  private static final Color[] COLORS = {
    new Color(0x0B6E99), new Color(0xC8553D), new Color(0x588157), new Color(0x6D597A)
  };

  private final XYChart chart;

  TimePlot(String title, String xAxis, String yAxis) {
    chart =
        new XYChartBuilder()
            .width(WIDTH_PIXELS)
            .height(HEIGHT_PIXELS)
            .title(title)
            .xAxisTitle(xAxis)
            .yAxisTitle(yAxis)
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.OutsideS);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setPlotGridLinesColor(new Color(0xDDDDDD));
    chart.getStyler().setYAxisMin(0.0);
  }

  void line(String name, List<? extends Number> x, List<? extends Number> y) {
    if (x.isEmpty()) {
      return;
    }
    XYSeries series = chart.addSeries(name, x, y);
    series.setMarker(SeriesMarkers.NONE);
    series.setLineStyle(new BasicStroke(LINE_WIDTH));
    series.setLineColor(COLORS[(chart.getSeriesMap().size() - 1) % COLORS.length]);
  }

  /** Writes the file; a JRE without fonts cannot draw, which costs only the plot. */
  void write(Path svg, PrintStream err) throws IOException {
    if (chart.getSeriesMap().isEmpty()) {
      return;
    }
    try {
      String name = svg.toString();
      VectorGraphicsEncoder.saveVectorGraphic(
          chart, name.substring(0, name.length() - ".svg".length()), VectorGraphicsFormat.SVG);
    } catch (RuntimeException | LinkageError e) {
      err.println("The plot " + svg + " was not written: " + e);
    }
  }
}
