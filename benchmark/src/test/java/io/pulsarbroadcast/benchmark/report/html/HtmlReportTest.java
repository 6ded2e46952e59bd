/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import io.pulsarbroadcast.benchmark.report.SampleResults;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class HtmlReportTest {
  /** Holds a result of every kind, and is drawn once. */
  @TempDir static Path everything;

  private static final List<String> WARNINGS = new ArrayList<>();
  private static String pageOfEverything;

  @TempDir Path folder;
  private final List<String> warnings = new ArrayList<>();

  @BeforeAll
  static void drawEverything() throws IOException {
    writeEverything();
    pageOfEverything = page(everything, WARNINGS);
  }

  private static String page(Path folder, List<String> warnings) throws IOException {
    return Files.readString(HtmlReport.write(folder, warnings::add).orElseThrow());
  }

  private String page() throws IOException {
    return page(folder, warnings);
  }

  private static Document parsed(String html) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(html)));
  }

  /** The text of each plot, in which words may be broken up by markup. */
  private static List<String> plots(Document document) {
    List<String> texts = new ArrayList<>();
    NodeList found = document.getElementsByTagName("svg");
    for (int i = 0; i < found.getLength(); i++) {
      texts.add(found.item(i).getTextContent());
    }
    return texts;
  }

  private static void writeEverything() throws IOException {
    for (String driver : List.of("broadcast", "shared")) {
      SampleResults.write(everything, "ntt-20k", driver, 1, 600_000);
      SampleResults.write(everything, "ntt-40k", driver, 1, 900_000);
      SampleResults.write(everything, "rates-100b-1p", driver, 1_000, 5_000);
      SampleResults.write(everything, "rates-100b-1p", driver, 5_000, 50_000);
    }
    SampleResults.write(everything, "catch-up", "broadcast", 100, 9_000);
    Files.writeString(
        everything.resolve("broker.stages.json"),
        """
        {"kind": "pulsar-broadcast-stages", "driver": "Shared each",
         "workload": "20,000 consumers, 10 KB, 1 msg/s",
         "stages": {"produce": {"meanMicros": 900}, "broker": {"meanMicros": 300},
           "persist": {"meanMicros": 2100}, "notify": {"meanMicros": 200},
           "prepare": {"meanMicros": 150}, "broadcast": {"meanMicros": 1300}}}
        """);
  }

  @Test
  void shouldBeOneWellFormedPageThatLoadsNothing() throws Exception {
    String html = pageOfEverything;

    assertThat(WARNINGS).isEmpty();
    Document document = parsed(html);
    assertThat(document.getElementsByTagName("script").getLength()).isZero();
    assertThat(document.getElementsByTagName("link").getLength()).isZero();
    NodeList images = document.getElementsByTagName("image");
    for (int i = 0; i < images.getLength(); i++) {
      assertThat(((Element) images.item(i)).getAttribute("xlink:href")).startsWith("data:");
    }
    assertThat(html)
        .doesNotContain("@import", " src=", " srcset=")
        .as("a clip of the page itself")
        .doesNotContainPattern("url\\((?!#)");
    NodeList links = document.getElementsByTagName("a");
    assertThat(links.getLength()).isPositive();
    for (int i = 0; i < links.getLength(); i++) {
      String target = ((Element) links.item(i)).getAttribute("href");
      if (!target.startsWith("#")) {
        assertThat(everything.resolve(target)).isRegularFile();
      }
    }
  }

  @Test
  void shouldGiveEachIdOnce() throws IOException {
    Matcher ids = Pattern.compile(" id=\"([^\"]+)\"").matcher(pageOfEverything);

    Set<String> seen = new HashSet<>();
    while (ids.find()) {
      assertThat(seen.add(ids.group(1))).as(ids.group(1)).isTrue();
    }
    assertThat(seen).contains("runs", "percentiles-end-to-end", "stages-of-the-end-to-end-latency");
  }

  @Test
  void shouldLabelTheAxesOfEveryPlotWithTheirUnits() throws Exception {
    List<String> plots = plots(parsed(pageOfEverything));

    assertThat(plots).hasSizeGreaterThanOrEqualTo(10);
    assertThat(plots)
        .allMatch(
            text ->
                Pattern.compile("\\((ms|s|MB/s)\\)|Consumers|Messages behind")
                    .matcher(text)
                    .find());
    assertThat(plots)
        .anyMatch(
            t -> t.contains("Published (messages/s)") && t.contains("End-to-end latency (ms)"))
        .anyMatch(t -> t.contains("Consumers of the topic") && t.contains("P99 (ms)"))
        .anyMatch(t -> t.contains("Time until all consumers are connected (s)"))
        .anyMatch(t -> t.contains("Time to connect (s)") && t.contains("Consumers"))
        .anyMatch(t -> t.contains("(percentile)") && t.contains("End-to-end latency (ms)"))
        .anyMatch(t -> t.contains("Mean latency (ms)") && t.contains("persist"))
        .anyMatch(t -> t.contains("Variant") && t.contains("Last receiver"))
        .anyMatch(t -> t.contains("(MB/s)") && t.contains("laggards"));
  }

  @Test
  void shouldDrawTheStagesOfEveryRunThatHasThem() throws Exception {
    List<String> plots = plots(parsed(pageOfEverything));

    assertThat(plots)
        .filteredOn(text -> text.contains("Where the time goes"))
        .as("two rows of the table, and the rates of one driver")
        .hasSize(3)
        .allMatch(text -> text.contains("Vertical axis: Mean latency (ms)"))
        .allMatch(text -> text.contains("broadcast: ") && text.contains("receive: "))
        .anyMatch(text -> text.contains("Published (messages/s)"));
    assertThat(ResultFolder.read(everything, warnings::add))
        .filteredOn(result -> result.driver().equals("Shared each") && result.consumers() == 20_000)
        .as("a file beside the result tells them, too")
        .singleElement()
        .satisfies(result -> assertThat(result.stages()).containsEntry("persist", 2.1));
  }

  @Test
  void shouldTakeTheStagesOfOpenMessagingBenchmarksRunsFromTheDriversFiles() throws Exception {
    Files.writeString(
        folder.resolve("worker.driver.json"),
        """
        {"kind": "pulsar-broadcast-omb-driver", "driver": "Broadcast", "topics": ["t"],
         "endedAt": "2026-01-02T03:04:05Z", "consumers": 10,
         "connect": {"sinceStart": %s},
         "brokerTimers": {"accept": {"meanMicros": 10}, "persist": {"meanMicros": 2000},
           "notify": {"meanMicros": 200}, "prepare": {"meanMicros": 50},
           "last_write": {"meanMicros": 900}}}
        """
            .formatted(new ObjectMapper().writeValueAsString(LatencyReport.of(new Histogram(3)))));
    Files.writeString(
        folder.resolve("omb.json"),
        """
        {"workload": "w", "driver": "Broadcast", "aggregatedPublishLatencyAvg": 2.5,
         "aggregatedEndToEndLatency99pct": 123.0}
        """);

    assertThat(ResultFolder.read(folder, warnings::add).get(0).stages())
        .containsExactly(
            entry("produce", 0.5),
            entry("broker", 0.01),
            entry("persist", 1.99),
            entry("notify", 0.2),
            entry("prepare", 0.05),
            entry("broadcast", 0.9));
  }

  @Test
  void shouldMarkWhatNttPublishedAsSuch() throws Exception {
    String html = pageOfEverything;

    assertThat(html).contains("NTT: Shared, Pulsar 2.10 (published)").contains("77.3");
    assertThat(html).contains("another Pulsar: a reference for the shape");
  }

  @Test
  void shouldWriteEveryPlotAsAPictureToo() throws IOException {
    BufferedImage png = ImageIO.read(everything.resolve("plots/latency-consumers.png").toFile());
    assertThat(png.getWidth()).isGreaterThan(500);
    assertThat(png.getRGB(0, 0)).as("background").isEqualTo(0xFFFFFFFF);
    assertThat(png.getRGB(0, 0, png.getWidth(), png.getHeight(), null, 0, png.getWidth()))
        .as("the colors of the first two series")
        .contains(0xFF0B6E99, 0xFFC8553D);
    assertThat(Files.readString(everything.resolve("plots/latency-consumers.svg")))
        .contains("<svg");
  }

  @Test
  void shouldJoinAResultOfOpenMessagingBenchmarkWithWhatTheDriversOfItsWorkersWrote()
      throws Exception {
    Histogram connect = new Histogram(3);
    connect.recordValue(1_000_000);
    connect.recordValue(4_000_000);
    for (int worker = 1; worker <= 2; worker++) {
      Files.writeString(
          folder.resolve("worker-" + worker + ".driver.json"),
          """
          {"kind": "pulsar-broadcast-omb-driver", "driver": "Broadcast", "topics": ["t"],
           "endedAt": "2026-01-02T03:04:05Z", "consumers": 5000, "environment": "8 cores",
           "connect": {"wallMicros": 4000000, "sinceStart": %s},
           "delivery": {"expectedEntries": 600000, "receivedEntries": 599999, "gapEntries": 1,
             "duplicateMessages": 0}}
          """
              .formatted(new ObjectMapper().writeValueAsString(LatencyReport.of(connect))));
    }
    Files.writeString(
        folder.resolve("omb.json"),
        """
        {"workload": "10,000 consumers", "driver": "Broadcast", "messageSize": 10240,
         "partitions": 1, "publishRate": [1.0, 1.0], "consumeRate": [10000.0, 10000.0],
         "backlog": [0, 12], "aggregatedEndToEndLatency99pct": 123.0,
         "aggregatedEndToEndLatencyQuantiles": {"0.0": 1.0, "99.0": 123.0}}
        """);

    String html = page();

    parsed(html);
    assertThat(warnings).isEmpty();
    assertThat(html)
        .contains("<td>10,000</td>")
        .contains("<td>1,200,000</td><td>1,199,998</td><td class=\"bad\">2</td>")
        .contains("worker-2.driver.json")
        .contains("Environment: load generators 8 cores<br/>");
    assertThat(ResultFolder.read(folder, warnings::add).get(0).connect().count()).isEqualTo(4);
  }

  @Test
  void shouldSayWhichFilesAreNoResults() throws IOException {
    SampleResults.write(folder, "smoke-50", "broadcast", 10, 1_000);
    Files.writeString(folder.resolve("other.json"), "{}");
    Files.writeString(folder.resolve("broken.json"), "{");

    page();

    assertThat(warnings).hasSize(2);
    assertThat(warnings).anyMatch(w -> w.endsWith("other.json is no result file"));
    assertThat(warnings).anyMatch(w -> w.contains("broken.json is not JSON"));
  }

  @Test
  void shouldDrawNothingOfAFolderWithoutResults() throws IOException {
    assertThat(HtmlReport.write(folder, warnings::add)).isEmpty();
  }
}
