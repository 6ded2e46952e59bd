/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The whole JSON file. Immutable; any thread may call it.
 *
 * @param startedAt ISO 8601, with the time zone
 * @param environment the machine and versions
 * @param config options by name
 * @param series one per run
 */
public record RunReport(
    String startedAt,
    Environment environment,
    Map<String, String> config,
    List<SeriesReport> series) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  public void write(Path file) throws IOException {
    JSON.writeValue(file.toFile(), this);
  }

  public static RunReport read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), RunReport.class);
  }
}
