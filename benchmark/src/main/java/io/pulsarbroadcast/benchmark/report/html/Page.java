/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import freemarker.template.Configuration;
import freemarker.template.TemplateException;
import freemarker.template.TemplateExceptionHandler;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.stream.IntStream;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.internal.chartpart.Chart;

/**
 * Puts tables and plots together to {@code report.html}, which is well-formed XML and loads
 * nothing; each plot is written as SVG and PNG into {@code plots}, too. One thread may call it.
 */
public final class Page {
  private static final String FILE = "report.html";
  private static final Configuration TEMPLATES = new Configuration(Configuration.VERSION_2_3_32);

  static {
    TEMPLATES.setClassForTemplateLoading(Page.class, "");
    TEMPLATES.setDefaultEncoding(StandardCharsets.UTF_8.name());
    TEMPLATES.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
    TEMPLATES.setLogTemplateExceptions(false);
  }

  private final Path folder;
  private final String title;
  private final List<String> lead;
  private final Consumer<String> warn;
  private final Map<String, Map<String, Object>> sections = new LinkedHashMap<>();
  private List<Map<String, Object>> blocks;

  /**
   * Makes an empty page.
   *
   * @param folder where it will be, to which its links are relative
   * @param lead lines below the title
   * @param warn hears of plots that cannot be drawn
   */
  public Page(Path folder, String title, List<String> lead, Consumer<String> warn) {
    this.folder = folder;
    this.title = title;
    this.lead = List.copyOf(lead);
    this.warn = warn;
  }

  /** What is added from now on stands in this section. */
  @SuppressWarnings("unchecked")
  public Page section(String heading) {
    blocks =
        (List<Map<String, Object>>)
            sections
                .computeIfAbsent(
                    heading,
                    name ->
                        Map.of("id", Text.id(name), "heading", name, "blocks", new ArrayList<>()))
                .get("blocks");
    return this;
  }

  /** A paragraph. */
  public Page text(String text) {
    blocks.add(Map.of("kind", "text", "text", text));
    return this;
  }

  Page heading(String id, String text) {
    blocks.add(Map.of("kind", "heading", "id", id, "text", text));
    return this;
  }

  /** A whole table; its first column is words. */
  public Page table(ResultTable table) {
    List<Cell> head = new ArrayList<>();
    table.columns().forEach(name -> head.add(head.isEmpty() ? Cell.text(name) : Cell.of(name)));
    List<List<Cell>> rows = new ArrayList<>();
    for (List<String> row : table.cells()) {
      rows.add(
          IntStream.range(0, row.size())
              .mapToObj(i -> i == 0 ? Cell.text(row.get(i)) : Cell.of(row.get(i)))
              .toList());
    }
    return table(head, rows);
  }

  /** A cell of a table. */
  record Cell(String css, String text, List<Path> links) {
    static Cell of(String text) {
      return new Cell("", text, List.of());
    }

    /** Words, and not a number. */
    static Cell text(String text) {
      return new Cell("text", text, List.of());
    }

    static Cell bad(String text) {
      return new Cell("bad", text, List.of());
    }

    static Cell files(List<Path> files) {
      return new Cell("text", "", files);
    }
  }

  Page table(List<Cell> head, List<List<Cell>> rows) {
    blocks.add(
        Map.of(
            "kind", "table", "head", model(head), "rows", rows.stream().map(this::model).toList()));
    return this;
  }

  private List<Map<String, Object>> model(List<Cell> cells) {
    List<Map<String, Object>> model = new ArrayList<>();
    for (Cell cell : cells) {
      model.add(Map.of("css", cell.css, "text", cell.text, "links", links(cell.links)));
    }
    return model;
  }

  private List<Map<String, String>> links(List<Path> files) {
    return files.stream()
        .map(
            file ->
                Map.of(
                    "href", folder.relativize(file).toString().replace('\\', '/'),
                    "text", file.getFileName().toString()))
        .toList();
  }

  /** A plot, in the section that it names. Without fonts there is none, and only a warning. */
  public Page figure(Figure figure) throws IOException {
    section(figure.section());
    System.setProperty("java.awt.headless", "true");
    try {
      draw(figure);
    } catch (RuntimeException | LinkageError e) {
      // The figures are there all the same.
      warn.accept("The plot " + figure.id() + " was not drawn: " + e);
    }
    return this;
  }

  private void draw(Figure figure) throws IOException {
    Path plots = Files.createDirectories(folder.resolve("plots"));
    Charts.fitLegend(figure.chart());
    String svg = svg(figure);
    Path svgFile = Files.writeString(plots.resolve(figure.id() + ".svg"), svg);
    Path pngFile = plots.resolve(figure.id() + ".png");
    BitmapEncoder.saveBitmap(figure.chart(), pngFile.toString(), BitmapFormat.PNG);
    Set<String> environments = new LinkedHashSet<>();
    Set<Path> raw = new LinkedHashSet<>();
    for (Result result : figure.results()) {
      if (result.environment() != null) {
        environments.add(result.environment());
      }
      raw.addAll(result.files());
    }
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("kind", "figure");
    block.put("id", figure.id());
    block.put("svg", inline(svg, figure.id()));
    block.put("caption", figure.caption());
    block.put("environment", String.join("; ", environments));
    block.put("raw", links(List.copyOf(raw)));
    block.put("files", links(List.of(svgFile, pngFile)));
    blocks.add(block);
  }

  private static String svg(Figure figure) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Chart<?, ?> chart = figure.chart();
    VectorGraphicsEncoder.saveVectorGraphic(chart, out, VectorGraphicsFormat.SVG);
    return out.toString(StandardCharsets.UTF_8).replaceFirst("(<svg[^>]*>)", "$1" + words(chart));
  }

  /** The library draws letters as shapes; this is what is read aloud, searched and checked. */
  private static String words(Chart<?, ?> chart) {
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

  /** Writes the page and returns it. */
  public Path write() throws IOException {
    Path file = folder.resolve(FILE);
    try (Writer out = Files.newBufferedWriter(file)) {
      TEMPLATES
          .getTemplate("page.ftlh")
          .process(
              Map.of("title", title, "lead", lead, "sections", List.copyOf(sections.values())),
              out);
    } catch (TemplateException e) {
      throw new IOException(file + " was not written: " + e.getMessage(), e);
    }
    return file;
  }
}
