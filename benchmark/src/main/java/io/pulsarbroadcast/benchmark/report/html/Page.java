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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
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
  private static final Configuration TEMPLATES = new Configuration(Configuration.VERSION_2_3_34);

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
  private final Map<String, Section> sections = new LinkedHashMap<>();
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

  /** A heading of the page and what stands below it; public for the template. */
  public record Section(String id, String heading, List<Map<String, Object>> blocks) {}

  /** What is added from now on stands in this section. */
  public Page section(String heading) {
    blocks =
        sections.computeIfAbsent(
                heading, name -> new Section(Text.id(name), name, new ArrayList<>()))
            .blocks;
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
    List<Column<List<String>>> columns = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      int column = i;
      boolean words = i == 0;
      columns.add(
          new Column<>(
              table.columns().get(i),
              words,
              row -> words ? Cell.text(row.get(column)) : Cell.of(row.get(column))));
    }
    return table(table.cells(), columns);
  }

  /** A cell of a table; public for the template. */
  public record Cell(String css, String text, List<Path> files) {
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

  /** A column of a table: what it shows of a row, and whether that is words. */
  record Column<T>(String name, boolean words, Function<T, Cell> cell) {}

  @SafeVarargs
  final <T> Page table(List<T> rows, Column<T>... columns) {
    return table(rows, List.of(columns));
  }

  <T> Page table(List<T> rows, List<Column<T>> columns) {
    blocks.add(
        Map.of(
            "kind", "table",
            "head",
                columns.stream().map(c -> c.words ? Cell.text(c.name) : Cell.of(c.name)).toList(),
            "rows",
                rows.stream()
                    .map(row -> columns.stream().map(c -> c.cell.apply(row)).toList())
                    .toList()));
    return this;
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
    List<Result> results = figure.results();
    blocks.add(
        Map.of(
            "kind", "figure",
            "id", figure.id(),
            "svg", inline(svg, figure.id()),
            "caption", figure.caption(),
            "environment",
                results.stream()
                    .map(Result::environment)
                    .filter(Objects::nonNull)
                    .distinct()
                    .collect(Collectors.joining("; ")),
            "raw", results.stream().flatMap(r -> r.files().stream()).distinct().toList(),
            "files", List.of(svgFile, pngFile)));
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
              Map.of(
                  "title", title,
                  "folder", folder,
                  "lead", lead,
                  "sections", List.copyOf(sections.values())),
              out);
    } catch (TemplateException e) {
      throw new IOException(file + " was not written: " + e.getMessage(), e);
    }
    return file;
  }
}
