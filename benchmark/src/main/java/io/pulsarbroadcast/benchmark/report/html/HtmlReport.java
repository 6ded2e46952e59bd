/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import io.pulsarbroadcast.benchmark.report.html.Page.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Turns a folder of result files into a page. Any thread may call it. */
public final class HtmlReport {
  private static final String NONE = "–";
  private static final Set<String> WORDS =
      Set.of("Workload", "Driver", "Series", "In words", "Raw data");

  private HtmlReport() {}

  /**
   * Writes the page into the folder. Empty when the folder has no results.
   *
   * @param warn hears of files that cannot be used
   */
  public static Optional<Path> write(Path folder, Consumer<String> warn) throws IOException {
    List<Result> results = Files.isDirectory(folder) ? ResultFolder.read(folder, warn) : List.of();
    if (results.isEmpty()) {
      return Optional.empty();
    }
    String drawn =
        "%d %s, drawn %s."
            .formatted(
                results.size(),
                results.size() == 1 ? "run" : "runs",
                Instant.now().truncatedTo(ChronoUnit.SECONDS));
    Page page = new Page(folder, "One topic, very many consumers", List.of(drawn), warn);
    addTo(page, results);
    return Optional.of(page.write());
  }

  /**
   * Adds what a folder's result files say to a page.
   *
   * @param warn hears of files that cannot be used
   */
  public static void addTo(Page page, Path folder, Consumer<String> warn) throws IOException {
    List<Result> results = ResultFolder.read(folder, warn);
    if (!results.isEmpty()) {
      addTo(page, results);
    }
  }

  private static void addTo(Page page, List<Result> results) throws IOException {
    page.section("Runs");
    page.text(
        "Latency counts from the time a message was due in local runs, and from its publish time,"
            + " in whole milliseconds, in runs of OpenMessaging Benchmark.");
    runsTable(page, results);
    latencyTable(page, "End-to-end latency, every percentile (ms)", "end-to-end", results, true);
    latencyTable(page, "Publish latency, every percentile (ms)", "publish", results, false);
    List<Figure> figures = new ArrayList<>();
    figures.addAll(ScaleFigures.of(results));
    figures.addAll(ThroughputFigures.of(results));
    figures.addAll(DistributionFigures.of(results));
    figures.addAll(StageFigures.of(results));
    figures.addAll(CatchUpFigures.of(results));
    for (Figure figure : figures) {
      page.figure(figure);
    }
    referenceTable(page);
  }

  private static void runsTable(Page page, List<Result> results) {
    List<List<Cell>> rows = new ArrayList<>();
    for (Result r : results) {
      rows.add(
          List.of(
              Cell.text(r.workload()),
              Cell.text(r.driver()),
              count(r.consumers()),
              Cell.of(Text.bytes(r.messageBytes())),
              count(r.partitions()),
              number(r.publishPerSecond()),
              Cell.of(Text.count(r.deliveriesPerSecond())),
              number(r.connectWallSeconds()),
              number(r.lastReceiver() == null ? -1 : r.lastReceiver().p99Micros() / 1e3),
              count(r.expected()),
              count(r.received()),
              bad(r.expected() < 0 ? -1 : r.expected() - r.received()),
              bad(r.duplicates()),
              count(r.maxBacklog())));
    }
    page.table(
        head(
            "Workload",
            "Driver",
            "Consumers",
            "Size",
            "Partitions",
            "Published/s",
            "Deliveries/s",
            "Connect all (s)",
            "Last receiver P99 (ms)",
            "Expected",
            "Received",
            "Lacking",
            "Twice",
            "Largest backlog"),
        rows);
  }

  private static void latencyTable(
      Page page, String title, String name, List<Result> results, boolean endToEnd) {
    List<List<Cell>> rows = new ArrayList<>();
    for (Result r : results) {
      List<Cell> row = new ArrayList<>();
      row.add(Cell.text(r.workload()));
      row.add(Cell.text(r.driver()));
      row.add(count(r.consumers()));
      row.add(Cell.of(Text.number(r.publishPerSecond())));
      (endToEnd ? r.endToEndMillis() : r.publishMillis())
          .values()
          .forEach(millis -> row.add(Cell.of(Text.number(millis))));
      row.add(Cell.files(r.files()));
      rows.add(row);
    }
    page.heading("percentiles-" + name, title)
        .table(
            head(
                "Workload",
                "Driver",
                "Consumers",
                "Published/s",
                "P50",
                "P75",
                "P95",
                "P99",
                "P99.9",
                "P99.99",
                "max",
                "Raw data"),
            rows);
  }

  private static void referenceTable(Page page) {
    List<List<Cell>> rows = new ArrayList<>();
    for (Reference r : Reference.NTT) {
      rows.add(
          List.of(
              Cell.text(r.series()),
              count(r.consumers()),
              number(r.p99Millis()),
              number(r.connectSeconds()),
              Cell.text(r.words())));
    }
    page.section("References")
        .text(
            "What NTT's post (January 2023; i3.4xlarge, Pulsar 2.10, 10 KB at 1 msg/s, Java clients"
                + " through OpenMessaging Benchmark) says in words; its tables are pictures.")
        .table(head("Series", "Consumers", "P99 (ms)", "Connect all (s)", "In words"), rows);
  }

  private static List<Cell> head(String... names) {
    List<Cell> head = new ArrayList<>();
    for (String name : names) {
      head.add(WORDS.contains(name) ? Cell.text(name) : Cell.of(name));
    }
    return head;
  }

  private static Cell number(double value) {
    return Cell.of(value < 0 ? NONE : Text.number(value));
  }

  private static Cell count(long value) {
    return Cell.of(value < 0 ? NONE : Text.count(value));
  }

  private static Cell bad(long value) {
    return value > 0 ? Cell.bad(Text.count(value)) : count(value);
  }
}
