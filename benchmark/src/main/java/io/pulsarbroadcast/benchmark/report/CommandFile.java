/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * {@code result.json} of a command. Immutable; any thread may call it.
 *
 * @param kind always {@link #KIND}
 * @param command its name
 * @param startedAt ISO 8601, with the time zone
 * @param commandLine to run it again
 * @param environment the machine and versions
 * @param options by name
 * @param tables the rows of the CSV files, by name
 * @param figures single numbers, by name
 * @param checks what had to hold, and whether it did
 */
public record CommandFile(
    String kind,
    String command,
    String startedAt,
    String commandLine,
    Map<String, String> environment,
    Map<String, String> options,
    Map<String, List<Map<String, Object>>> tables,
    Map<String, Object> figures,
    List<?> checks) {
  /** Tells it from result files of runs in the same folder. */
  public static final String KIND = "pulsar-broadcast-command";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  public void write(Path file) throws IOException {
    JSON.writeValue(file.toFile(), this);
  }
}
