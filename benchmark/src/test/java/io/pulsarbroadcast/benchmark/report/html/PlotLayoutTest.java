/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.report.SampleResults;
import io.pulsarbroadcast.benchmark.report.html.SvgPlot.Drawn;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What a reader sees of the page, without a browser: where everything in its plots stands. */
class PlotLayoutTest {
  private static final int TITLE_SIZE = 16;
  private static final int AXIS_SIZE = 14;
  private static final int LEGEND_SIZE = 12;
  private static final Pattern WORDS =
      Pattern.compile("Horizontal axis: (.*?)\\. Vertical axis: (.*?)\\. Series: (.*)\\.");

  @TempDir static Path folder;
  private static Document page;
  private static final List<SvgPlot> plots = new ArrayList<>();

  @BeforeAll
  static void draw() throws Exception {
    for (String driver : List.of("shared", "broadcast-topic-executor", "broadcast")) {
      SampleResults.write(folder, "ntt-20k", driver, 1, 600_000);
      SampleResults.write(folder, "ntt-40k", driver, 1, 900_000);
    }
    SampleResults.write(folder, "rates-100b-1p", "broadcast", 1_000, 5_000);
    SampleResults.write(folder, "rates-100b-1p", "broadcast", 5_000, 50_000);
    SampleResults.write(folder, "catch-up", "broadcast", 100, 9_000);
    Path html = HtmlReport.write(folder, problem -> {}).orElseThrow();
    page = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(html.toFile());
    NodeList figures = page.getElementsByTagName("svg");
    for (int i = 0; i < figures.getLength(); i++) {
      plots.add(new SvgPlot((Element) figures.item(i)));
    }
  }

  static Stream<SvgPlot> plots() {
    return plots.stream();
  }

  private static Matcher words(SvgPlot plot) {
    Matcher words = WORDS.matcher(plot.words);
    assertThat(words.matches()).as(plot.words).isTrue();
    return words;
  }

  private static List<String> series(SvgPlot plot) {
    return List.of(words(plot).group(3).split("; "));
  }

  @Test
  void shouldDrawAFigureOfEachKind() {
    assertThat(plots).hasSizeGreaterThanOrEqualTo(12);
    assertThat(plots.stream().map(plot -> plot.title)).doesNotContain("").doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("plots")
  void shouldSayWhatTheAxesAreAndInWhichUnit(SvgPlot plot) {
    Matcher words = words(plot);

    assertThat(words.group(1)).containsPattern("[a-z]");
    assertThat(words.group(2)).containsPattern("\\((ms|s|MB/s)\\)|Consumers|Messages");
    assertThat(plot.texts(plot.title, Font.BOLD, TITLE_SIZE)).as("title, whole").hasSize(1);
    assertThat(plot.texts(words.group(1), Font.PLAIN, AXIS_SIZE)).as("below").hasSize(1);
    assertThat(plot.texts(words.group(2), Font.PLAIN, AXIS_SIZE)).as("at the side").hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("plots")
  void shouldLeaveTheDataRoom(SvgPlot plot) {
    assertThat(plot.viewBox.getWidth()).isGreaterThan(600);
    assertThat(plot.plotArea.getWidth()).isGreaterThan(600);
    assertThat(plot.plotArea.getHeight()).isGreaterThan(300);
    assertThat(plot.viewBox.contains(plot.plotArea)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("plots")
  void shouldDrawNothingBeyondTheEdge(SvgPlot plot) {
    // Half a line of the frame may be.
    Rectangle2D edge =
        new Rectangle2D.Double(-1, -1, plot.viewBox.getWidth() + 2, plot.viewBox.getHeight() + 2);

    assertThat(plot.shapes).hasSizeGreaterThan(20);
    assertThat(plot.shapes)
        .allSatisfy(
            shape -> assertThat(edge.createUnion(shape.bounds())).as("%s", shape).isEqualTo(edge));
  }

  @ParameterizedTest
  @MethodSource("plots")
  void shouldWriteNoTextOverAnother(SvgPlot plot) {
    List<Drawn> texts = plot.texts();

    assertThat(texts).as("titles, ticks and legend").hasSizeGreaterThan(6);
    for (int i = 0; i < texts.size(); i++) {
      for (int j = 0; j < i; j++) {
        assertThat(texts.get(i).bounds().intersects(texts.get(j).bounds()))
            .as("%s over %s", texts.get(i), texts.get(j))
            .isFalse();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("plots")
  void shouldNameEverySeriesInTheLegendAndDrawItsData(SvgPlot plot) {
    for (String series : series(plot)) {
      List<Drawn> names =
          plot.texts(series, Font.PLAIN, LEGEND_SIZE).stream()
              .filter(text -> text.bounds().getY() > plot.plotArea.getMaxY())
              .toList();

      assertThat(names).as("\"%s\" below the plot", series).isNotEmpty();
      assertThat(names)
          .as("what stands for \"%s\" is in the plot, too", series)
          .anyMatch(
              name ->
                  plot.shapes.stream()
                      .filter(Drawn::inPlotArea)
                      .anyMatch(shape -> shape.color().equals(colorBefore(plot, name))));
    }
  }

  /** Of the sample of a line, marker or bar to the left of a name in the legend. */
  private static String colorBefore(SvgPlot plot, Drawn name) {
    double middle = name.bounds().getCenterY();
    return plot.shapes.stream()
        .filter(shape -> !shape.isText() && !shape.inPlotArea())
        .filter(shape -> shape.bounds().getMaxX() < name.bounds().getX())
        .filter(shape -> shape.bounds().getMaxX() > name.bounds().getX() - 40)
        .filter(shape -> Math.abs(shape.bounds().getCenterY() - middle) < 8)
        .min(Comparator.comparing(shape -> Math.abs(shape.bounds().getCenterY() - middle)))
        .map(Drawn::color)
        .orElse("no sample");
  }

  /** So that a narrow window scrolls a table, and scales a plot, instead of the whole page. */
  @Test
  void shouldNotMakeThePageWiderThanTheWindow() {
    String style = page.getElementsByTagName("style").item(0).getTextContent();
    assertThat(style)
        .contains("figure svg { width: 100%; height: auto;")
        .contains(".scroll { overflow-x: auto; }")
        .doesNotContainPattern("[ {]width: [0-9.]+(px|em)");
    NodeList tables = page.getElementsByTagName("table");
    assertThat(tables.getLength()).isGreaterThanOrEqualTo(4);
    for (int i = 0; i < tables.getLength(); i++) {
      assertThat(((Element) tables.item(i).getParentNode()).getAttribute("class"))
          .isEqualTo("scroll");
    }
    NodeList figures = page.getElementsByTagName("svg");
    for (int i = 0; i < figures.getLength(); i++) {
      assertThat(figures.item(i).getParentNode().getNodeName()).isEqualTo("figure");
    }
  }

  /** A reader may open a plot alone. */
  @Test
  void shouldWriteEachPlotOfThePageIntoAFileOfItsOwn() throws Exception {
    for (SvgPlot plot : plots) {
      try (Stream<Path> files = Files.list(folder.resolve("plots"))) {
        assertThat(files.filter(file -> file.toString().endsWith(".svg")))
            .anySatisfy(file -> assertThat(file).content().contains(Text.escape(plot.title)));
      }
    }
  }
}
