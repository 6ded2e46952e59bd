/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.internal.chartpart.Chart;

/** Turns a folder of result files into {@code report.html} and plots. Any thread may call it. */
public final class HtmlReport {
  private HtmlReport() {}

  /**
   * Writes the page into the folder, and each plot as SVG and PNG into its {@code plots}. Empty
   * when the folder has no results.
   *
   * @param warn hears of files that cannot be used
   */
  public static Optional<Path> write(Path folder, Consumer<String> warn) throws IOException {
    System.setProperty("java.awt.headless", "true");
    List<Result> results = Files.isDirectory(folder) ? ResultFolder.read(folder, warn) : List.of();
    if (results.isEmpty()) {
      return Optional.empty();
    }
    List<Figure> figures = new ArrayList<>();
    figures.addAll(ScaleFigures.of(results));
    figures.addAll(ThroughputFigures.of(results));
    figures.addAll(DistributionFigures.of(results));
    figures.addAll(StageFigures.of(results));
    figures.addAll(CatchUpFigures.of(results));
    Path plots = Files.createDirectories(folder.resolve("plots"));
    Map<String, String> svgs = new LinkedHashMap<>();
    Map<String, List<Path>> files = new LinkedHashMap<>();
    for (Figure figure : figures) {
      ChartStyle.fitLegend(figure.chart());
      String svg = svg(figure);
      svgs.put(figure.id(), inline(svg, figure.id()));
      List<Path> written = new ArrayList<>();
      written.add(Files.writeString(plots.resolve(figure.id() + ".svg"), svg));
      Path png = plots.resolve(figure.id() + ".png");
      BitmapEncoder.saveBitmap(figure.chart(), png.toString(), BitmapFormat.PNG);
      written.add(png);
      files.put(figure.id(), written);
    }
    Path page = folder.resolve("report.html");
    Files.writeString(page, new HtmlPage(folder).render(results, figures, svgs, files));
    return Optional.of(page);
  }

  private static String svg(Figure figure) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Chart<?, ?> chart = figure.chart();
    VectorGraphicsEncoder.saveVectorGraphic(chart, out, VectorGraphicsFormat.SVG);
    return out.toString(StandardCharsets.UTF_8).replaceFirst("(<svg[^>]*>)", "$1" + words(figure));
  }

  /** The library draws letters as shapes; this is what is read aloud, searched and checked. */
  private static String words(Figure figure) {
    Chart<?, ?> chart = figure.chart();
    String words =
        "<title>%s</title><desc>Horizontal axis: %s. Vertical axis: %s. Series: %s.</desc>"
            .formatted(
                Text.escape(chart.getTitle()),
                Text.escape(chart.getXAxisTitle()),
                Text.escape(chart.getYAxisTitle()),
                Text.escape(String.join("; ", chart.getSeriesMap().keySet())));
    return Matcher.quoteReplacement(words);
  }

  /** Without the XML prologue, with ids of its own, and scalable. */
  private static String inline(String svg, String id) {
    return svg.substring(svg.indexOf("<svg"))
        .replaceAll(" id=\"", " id=\"" + id + "-")
        .replaceAll("url\\(#", "url(#" + id + "-")
        .replaceAll("href=\"#", "href=\"#" + id + "-")
        .strip();
  }
}
