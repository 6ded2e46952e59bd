/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import io.pulsarbroadcast.benchmark.report.html.Page.Cell;
import io.pulsarbroadcast.benchmark.report.html.Page.Column;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Turns a folder of result files into a page. Any thread may call it. */
public final class HtmlReport {
  private static final String NONE = "–";

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
    latencyTable(
        page,
        "End-to-end latency, every percentile (ms)",
        "end-to-end",
        results,
        Result::endToEndMillis);
    latencyTable(
        page, "Publish latency, every percentile (ms)", "publish", results, Result::publishMillis);
    for (Figure figure : Figures.of(results)) {
      page.figure(figure);
    }
    referenceTable(page);
  }

  private static void runsTable(Page page, List<Result> results) {
    page.table(
        results,
        words("Workload", Result::workload),
        words("Driver", Result::driver),
        count("Consumers", Result::consumers),
        text("Size", r -> Text.bytes(r.messageBytes())),
        count("Partitions", Result::partitions),
        number("Published/s", Result::publishPerSecond),
        count("Deliveries/s", Result::deliveriesPerSecond),
        number("Connect all (s)", Result::connectWallSeconds),
        number(
            "Last receiver P99 (ms)",
            r -> r.lastReceiver() == null ? -1 : r.lastReceiver().p99Micros() / 1e3),
        count("Expected", r -> r.own().delivery().expected()),
        count("Received", r -> r.own().delivery().received()),
        bad("Lacking", r -> r.own().delivery().missing()),
        bad("Twice", r -> r.own().delivery().duplicates()),
        count("Largest backlog", Result::maxBacklog));
  }

  private static void latencyTable(
      Page page,
      String title,
      String name,
      List<Result> results,
      Function<Result, Map<Double, Double>> millis) {
    List<Column<Result>> columns = new ArrayList<>();
    columns.add(words("Workload", Result::workload));
    columns.add(words("Driver", Result::driver));
    columns.add(count("Consumers", Result::consumers));
    columns.add(number("Published/s", Result::publishPerSecond));
    ResultFolder.SUFFIXES
        .keySet()
        .forEach(
            percentile ->
                columns.add(
                    number(
                        percentile == 100 ? "max" : "P" + Text.plain(percentile),
                        r -> millis.apply(r).get(percentile))));
    columns.add(new Column<>("Raw data", true, r -> Cell.files(r.files())));
    page.heading("percentiles-" + name, title).table(results, columns);
  }

  private static void referenceTable(Page page) {
    page.section("References")
        .text(
            "What NTT's post (January 2023; i3.4xlarge, Pulsar 2.10, 10 KB at 1 msg/s, Java clients"
                + " through OpenMessaging Benchmark) says in words; its tables are pictures.")
        .table(
            Reference.NTT,
            words("Series", Reference::series),
            count("Consumers", Reference::consumers),
            number("P99 (ms)", Reference::p99Millis),
            number("Connect all (s)", Reference::connectSeconds),
            words("In words", Reference::words));
  }

  private static <T> Column<T> words(String name, Function<T, String> value) {
    return new Column<>(name, true, row -> Cell.text(value.apply(row)));
  }

  private static <T> Column<T> text(String name, Function<T, String> value) {
    return new Column<>(name, false, row -> Cell.of(value.apply(row)));
  }

  private static <T> Column<T> number(String name, ToDoubleFunction<T> value) {
    return text(name, row -> known(value.applyAsDouble(row), Text::number));
  }

  private static <T> Column<T> count(String name, ToDoubleFunction<T> value) {
    return text(name, row -> known(value.applyAsDouble(row), Text::count));
  }

  /** A count that should be 0. */
  private static <T> Column<T> bad(String name, ToLongFunction<T> value) {
    return new Column<>(
        name,
        false,
        row -> {
          long count = value.applyAsLong(row);
          String text = known(count, Text::count);
          return count > 0 ? Cell.bad(text) : Cell.of(text);
        });
  }

  private static String known(double value, DoubleFunction<String> text) {
    return value < 0 ? NONE : text.apply(value);
  }
}
