/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.pulsarbroadcast.benchmark.report.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The folder that one run of a scenario writes its raw data and tables into. One thread. */
final class ResultsFolder {
  private static final DateTimeFormatter NAME_TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

  private final Path folder;
  private final String scenario;
  private final ZonedDateTime startedAt = ZonedDateTime.now(ZoneId.systemDefault());

  ResultsFolder(Path parent, String scenario) throws IOException {
    this.scenario = scenario;
    this.folder = parent.resolve(scenario + "-" + startedAt.format(NAME_TIME));
    Files.createDirectories(folder);
  }

  Path path() {
    return folder;
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  /** Writes result.json and result.txt. */
  void write(
      Environment environment,
      Map<String, Object> options,
      Map<String, Object> figures,
      List<Promise> promises,
      String text)
      throws IOException {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("scenario", scenario);
    result.put("startedAt", startedAt.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
    result.put("environment", environment);
    result.put("options", options);
    result.put("figures", figures);
    result.put("promises", promises);
    JSON.writeValue(file("result.json").toFile(), result);
    Files.writeString(file("result.txt"), text);
  }
}
