/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  @TempDir Path folder;

  private static RunResult result(String name, long slowestMicros) {
    Histogram histogram = new Histogram(3_600_000_000L, 3);
    for (long i = 1; i <= 1_000; i++) {
      histogram.recordValue(slowestMicros * i / 1_000);
    }
    DeliveryCounts delivery = new DeliveryCounts(10, 1_000, 1_000, 0, 2, 1, 1, 0, 0, 0);
    return new RunResult(
        name,
        delivery,
        histogram,
        histogram,
        List.of(1L, 2L, 3L),
        histogram,
        1_500_000,
        10,
        250,
        120,
        0,
        "Pulsar 3.3.6",
        null);
  }

  @Test
  void shouldReadBackTheJsonItWrote() throws IOException {
    Path file = folder.resolve("result.json");
    RunReport report =
        new RunReport(
            "2026-01-02T03:04:05Z",
            Environment.current("Pulsar 3.3.6"),
            Map.of("consumers", "100"),
            List.of(SeriesReport.of(result("Broadcast", 20_000))));

    report.write(file);

    assertThat(RunReport.read(file)).isEqualTo(report);
  }

  @Test
  void shouldKeepTheWholeHistogram() {
    Histogram original = result("Broadcast", 20_000).endToEndMicros();

    LatencyReport report = LatencyReport.of(original);

    assertThat(report.decode()).isEqualTo(original);
    assertThat(report.buckets().stream().mapToLong(LatencyReport.Bucket::count).sum())
        .isEqualTo(1_000);
    assertThat(report.p50Micros()).isBetween(9_990L, 10_010L);
    assertThat(report.percentiles()).last().extracting("percentile").isEqualTo(100.0);
  }

  @Test
  void shouldReportARunInWhichNothingArrived() {
    LatencyReport report = LatencyReport.of(new Histogram(3_600_000_000L, 3));

    assertThat(report.count()).isZero();
    assertThat(report.maxMicros()).isZero();
  }

  @Test
  void shouldDrawAPictureThatIsNotEmpty() throws IOException {
    List<Path> plots =
        PlotReport.write(
            folder,
            "plot",
            "A title",
            List.of(result("Broadcast", 20_000), result("Exclusive each", 90_000)));

    assertThat(plots).containsExactly(folder.resolve("plot.png"), folder.resolve("plot.svg"));
    var image = ImageIO.read(plots.get(0).toFile());
    assertThat(image.getWidth()).isGreaterThan(500);
    assertThat(image.getRGB(0, 0)).isEqualTo(0xFFFFFFFF);
    int[] pixels =
        image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    assertThat(pixels).contains(0xFF0B6E99, 0xFFC8553D);
    assertThat(Files.readString(plots.get(1))).contains("<svg");
  }

  @Test
  void shouldPutTwoRunsSideBySideWithTheirRatio() {
    String table =
        TableReport.of(List.of(result("Broadcast", 20_000), result("Exclusive each", 90_000)));

    assertThat(table.lines().findFirst().orElseThrow())
        .contains("Broadcast", "Exclusive each", "ratio");
    assertThat(table.lines().filter(line -> line.startsWith("end to end P99")).toList())
        .singleElement()
        .asString()
        .contains("19.81", "89.15", "4.5x");
    assertThat(table).contains("duplicates", "missing", "1,000", "broker CPU per message");
  }

  @Test
  void shouldNotShowARatioOfOneRun() {
    assertThat(TableReport.of(List.of(result("Broadcast", 20_000))))
        .doesNotContain("ratio", "1.0x");
  }
}
