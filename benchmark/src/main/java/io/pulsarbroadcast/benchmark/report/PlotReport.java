/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import io.pulsarbroadcast.benchmark.metrics.RunResult;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Latency over percentile, with as much room from 99 to 99.9 percent as from 90 to 99. Any thread
 * may call it.
 */
public final class PlotReport {
  private static final int WIDTH_PIXELS = 1000;
  private static final int HEIGHT_PIXELS = 600;
  private static final int TICKS_PER_HALF_DISTANCE = 8;
  private static final double MICROS_PER_MILLI = 1_000.0;
  private static final Color[] COLORS = {
    new Color(0x0B6E99), new Color(0xC8553D), new Color(0x5B8C3A), new Color(0x7B4FA3)
  };
  private static final float LINE_WIDTH = 2.2f;
  private static final float[] DASHES = {7f, 5f};

  private PlotReport() {}

  /** Writes {@code name.png} and {@code name.svg} into the folder and returns both. */
  public static List<Path> write(Path folder, String name, String title, List<RunResult> results)
      throws IOException {
    System.setProperty("java.awt.headless", "true");
    XYChart chart = chart(title, results);
    Path withoutExtension = folder.resolve(name);
    BitmapEncoder.saveBitmap(chart, withoutExtension.toString(), BitmapFormat.PNG);
    VectorGraphicsEncoder.saveVectorGraphic(
        chart, withoutExtension.toString(), VectorGraphicsFormat.SVG);
    return List.of(folder.resolve(name + ".png"), folder.resolve(name + ".svg"));
  }

  private static XYChart chart(String title, List<RunResult> results) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH_PIXELS)
            .height(HEIGHT_PIXELS)
            .title(title)
            .xAxisTitle("Percentile")
            .yAxisTitle("Latency from intended send time (ms)")
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.InsideNW);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setPlotGridLinesColor(new Color(0xDDDDDD));
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setXAxisMin(0.0);
    chart.getStyler().setXAxisMax(mostNines(results));
    chart.getStyler().setXAxisMaxLabelCount((int) mostNines(results) + 2);
    chart.setCustomXAxisTickLabelsFormatter(PlotReport::percentileLabel);
    for (int i = 0; i < results.size(); i++) {
      Color color = COLORS[i % COLORS.length];
      RunResult result = results.get(i);
      addLine(chart, result.name() + ", every delivery", result.endToEndMicros(), color, null);
      addLine(chart, result.name() + ", last receiver", result.lastReceiverMicros(), color, DASHES);
    }
    return chart;
  }

  private static void addLine(
      XYChart chart, String name, Histogram micros, Color color, float[] dashes) {
    List<Double> nines = new ArrayList<>();
    List<Double> millis = new ArrayList<>();
    double most = nines(micros);
    for (HistogramIterationValue value : micros.percentiles(TICKS_PER_HALF_DISTANCE)) {
      double percentile = Math.min(value.getPercentileLevelIteratedTo(), 100.0);
      double x = percentile < 100.0 ? -Math.log10(1 - percentile / 100) : most;
      nines.add(Math.min(x, most));
      millis.add(value.getValueIteratedTo() / MICROS_PER_MILLI);
    }
    if (nines.isEmpty()) {
      return;
    }
    XYSeries series = chart.addSeries(name, nines, millis);
    series.setMarker(SeriesMarkers.NONE);
    series.setLineColor(color);
    series.setLineStyle(
        new BasicStroke(LINE_WIDTH, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f, dashes, 0f));
  }

  private static double mostNines(List<RunResult> results) {
    return Math.ceil(results.stream().mapToDouble(r -> nines(r.endToEndMicros())).max().orElse(1));
  }

  /** How many nines so many values can tell: 3 for 1,000 values. */
  private static double nines(Histogram micros) {
    return Math.max(1, Math.log10(Math.max(1.0, (double) micros.getTotalCount())));
  }

  private static String percentileLabel(double nines) {
    if (Math.abs(nines - Math.rint(nines)) > 1e-6) {
      return "";
    }
    int whole = (int) Math.rint(nines);
    double percent = 100 - 100 * Math.pow(10, -whole);
    return String.format(Locale.ROOT, "%." + Math.max(0, whole - 2) + "f%%", percent);
  }
}
