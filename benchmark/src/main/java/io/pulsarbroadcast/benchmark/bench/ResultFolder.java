/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.benchmark.report.Environment;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.report.SeriesReport;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The folder of one benchmark's results: {@code result.txt}, {@code result.csv}, {@code
 * result.json} and what a command adds. One thread may call it.
 */
final class ResultFolder {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /**
   * The JSON file.
   *
   * @param benchmark name of the command
   * @param startedAt ISO 8601, with the time zone
   * @param command to run it again
   * @param environment the machine and versions
   * @param options by name
   * @param table the rows of the CSV file
   * @param series the distributions behind them
   */
  record Report(
      String benchmark,
      String startedAt,
      String command,
      Map<String, String> environment,
      Map<String, String> options,
      List<Map<String, Object>> table,
      List<SeriesReport> series) {}

  private final Path folder;
  private final String name;
  private final String command;
  private final Map<String, String> options;
  private final String plugin;
  private final ZonedDateTime startedAt;

  private ResultFolder(
      Path folder,
      String name,
      String command,
      Map<String, String> options,
      String plugin,
      ZonedDateTime startedAt) {
    this.folder = folder;
    this.name = name;
    this.command = command;
    this.options = options;
    this.plugin = plugin;
    this.startedAt = startedAt;
  }

  /** Makes the folder {@code <time>-<name>}. */
  static ResultFolder create(
      Path parent,
      String name,
      String command,
      Map<String, String> loadOptions,
      ServerOptions servers)
      throws IOException {
    ZonedDateTime now = ZonedDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);
    Files.createDirectories(parent);
    Path folder = null;
    for (int attempt = 0; folder == null; attempt++) {
      String again = attempt == 0 ? "" : "-" + attempt;
      try {
        folder = Files.createDirectory(parent.resolve(now.format(TIME) + "-" + name + again));
      } catch (FileAlreadyExistsException e) {
        // Another one began in the same second.
      }
    }
    Map<String, String> options = new LinkedHashMap<>(loadOptions);
    options.putAll(servers.asMap());
    String plugin =
        servers.broker.nar() == null ? "none" : servers.broker.nar().getFileName().toString();
    return new ResultFolder(folder, name, command, options, plugin, now);
  }

  Path folder() {
    return folder;
  }

  /** When it began, as it stands in names. */
  String time() {
    return startedAt.format(TIME);
  }

  /**
   * Writes the three files.
   *
   * @param text what is shown, without the head
   * @param series the runs behind the table
   * @return the whole text, with the head
   */
  String write(String text, ResultTable table, String pulsarVersion, List<RunResult> series)
      throws IOException {
    Environment environment = Environment.current(pulsarVersion);
    Map<String, String> details = environment.details(Map.of("plugin", plugin));
    String whole =
        String.join(
            System.lineSeparator(),
            command,
            environment.line() + ", " + plugin,
            details.get("processor")
                + ", "
                + startedAt.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME),
            "",
            text);
    Files.writeString(folder.resolve("result.txt"), whole);
    Files.writeString(folder.resolve("result.csv"), table.csv());
    JSON.writeValue(
        folder.resolve("result.json").toFile(),
        new Report(
            name,
            startedAt.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME),
            command,
            details,
            options,
            table.maps(),
            series.stream().map(SeriesReport::of).toList()));
    return whole;
  }

  /** Writes one more text file. */
  void write(String file, String text) throws IOException {
    Files.writeString(folder.resolve(file), text);
  }
}
