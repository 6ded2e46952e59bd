/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.image.BufferedImage;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** How all plots of the page look. Any thread may call it. */
final class Charts {
  private static final int WIDTH_PIXELS = 920;
  private static final int HEIGHT_PIXELS = 480;
  private static final int LEGEND_LINE_PIXELS = 24;
  private static final Color GRID = new Color(0xE3E3E3);
  private static final Color INK = new Color(0x2B2B2B);
  private static final float LINE_WIDTH = 2.2f;
  private static final float[] DASHES = {7f, 5f};
  private static final String FONT = Font.SANS_SERIF;

  /** Told apart by most kinds of colour blindness too. */
  private static final List<Color> COLORS =
      List.of(
          new Color(0x0B6E99),
          new Color(0xC8553D),
          new Color(0x4C8C4A),
          new Color(0x8A5FA8),
          new Color(0xD9A21B),
          new Color(0x5C6670),
          new Color(0xB9C2C9));

  private static final List<Marker> MARKERS =
      List.of(
          SeriesMarkers.CIRCLE,
          SeriesMarkers.SQUARE,
          SeriesMarkers.TRIANGLE_UP,
          SeriesMarkers.DIAMOND,
          SeriesMarkers.TRIANGLE_DOWN,
          SeriesMarkers.PLUS);

  private Charts() {}

  static XYChart lines(String title, String xTitle, String yTitle) {
    return titled(new XYChart(WIDTH_PIXELS, HEIGHT_PIXELS), title, xTitle, yTitle);
  }

  static CategoryChart bars(String title, String xTitle, String yTitle) {
    CategoryChart chart =
        titled(new CategoryChart(WIDTH_PIXELS, HEIGHT_PIXELS), title, xTitle, yTitle);
    chart.getStyler().setAvailableSpaceFill(0.7).setOverlapped(false);
    chart.getStyler().setSeriesColors(COLORS.toArray(new Color[0]));
    chart.getStyler().setYAxisMin(0.0);
    return chart;
  }

  private static <C extends Chart<? extends AxesChartStyler, ?>> C titled(
      C chart, String title, String xTitle, String yTitle) {
    chart.setTitle(title);
    chart.setXAxisTitle(xTitle);
    chart.setYAxisTitle(yTitle);
    style(chart.getStyler());
    return chart;
  }

  private static void style(AxesChartStyler styler) {
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setPlotBackgroundColor(Color.WHITE);
    styler.setPlotBorderVisible(false);
    styler.setPlotGridLinesColor(GRID);
    styler.setPlotGridLinesStroke(new BasicStroke(1f));
    styler.setChartFontColor(INK);
    styler.setAxisTickLabelsColor(INK);
    styler.setChartTitleFont(new Font(FONT, Font.BOLD, 16));
    styler.setAxisTitleFont(new Font(FONT, Font.PLAIN, 14));
    styler.setAxisTickLabelsFont(new Font(FONT, Font.PLAIN, 12));
    styler.setLegendFont(new Font(FONT, Font.PLAIN, 12));
    styler.setLegendPosition(LegendPosition.OutsideS);
    styler.setLegendLayout(LegendLayout.Vertical);
    styler.setLegendPadding(6);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setLegendSeriesLineLength(28);
    styler.setMarkerSize(9);
    styler.setLocale(Locale.ROOT);
    styler.setDecimalPattern("#,##0.###");
  }

  /** A line, or points of it, through what is made of these. */
  static <T> XYSeries add(
      XYChart chart, String name, List<T> of, ToDoubleFunction<T> x, ToDoubleFunction<T> y) {
    return chart.addSeries(
        name, of.stream().mapToDouble(x).toArray(), of.stream().mapToDouble(y).toArray());
  }

  /** A bar for each of these. */
  static <T> void add(
      CategoryChart chart, String name, List<String> labels, List<T> of, Function<T, Double> y) {
    chart.addSeries(name, labels, of.stream().map(y).toList());
  }

  /** From one power of ten to another, because only those have labels on a logarithmic axis. */
  static void logarithmic(XYChart chart, boolean x, boolean y) {
    if (x) {
      double[] range = decades(chart.getSeriesMap().values().stream().map(XYSeries::getXData));
      chart.getStyler().setXAxisLogarithmic(true).setXAxisMin(range[0]).setXAxisMax(range[1]);
    }
    if (y) {
      double[] range = decades(chart.getSeriesMap().values().stream().map(XYSeries::getYData));
      chart.getStyler().setYAxisLogarithmic(true).setYAxisMin(range[0]).setYAxisMax(range[1]);
    }
  }

  private static double[] decades(Stream<double[]> values) {
    DoubleSummaryStatistics all = values.flatMapToDouble(Arrays::stream).summaryStatistics();
    double lowest = Math.floor(Math.log10(all.getMin()));
    double highest = Math.max(lowest + 1, Math.ceil(Math.log10(all.getMax())));
    return new double[] {Math.pow(10, lowest), Math.pow(10, highest)};
  }

  /** Makes room for the legend below the plot. */
  static void fitLegend(Chart<?, ?> chart) {
    int height = HEIGHT_PIXELS + LEGEND_LINE_PIXELS * chart.getSeriesMap().size();
    BufferedImage unused = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB);
    // The only public way to change the size of a chart.
    chart.paint(unused.createGraphics(), WIDTH_PIXELS, height);
  }

  /** A line with markers, dashed or not, in the colour of its index. */
  static void line(XYSeries series, int colorIndex, boolean dashed, boolean markers) {
    Color color = COLORS.get(colorIndex % COLORS.size());
    series.setLineColor(color);
    series.setMarkerColor(color);
    series.setMarker(markers ? MARKERS.get(colorIndex % MARKERS.size()) : SeriesMarkers.NONE);
    series.setLineStyle(
        new BasicStroke(
            LINE_WIDTH,
            BasicStroke.CAP_BUTT,
            BasicStroke.JOIN_ROUND,
            1f,
            dashed ? DASHES : null,
            0f));
  }

  /** Markers only, grey: somebody else's figures. */
  static void reference(XYSeries series, int index) {
    series.setMarker(MARKERS.get((index + 2) % MARKERS.size()));
    series.setMarkerColor(new Color(0x8C8C8C - 0x202020 * (index % 3)));
    series.setLineStyle(SeriesLines.NONE);
  }
}
