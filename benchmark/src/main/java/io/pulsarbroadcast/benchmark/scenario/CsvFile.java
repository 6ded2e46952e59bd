/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Comma-separated numbers and names under one header line. One thread at a time may call it. */
final class CsvFile implements AutoCloseable {
  private final BufferedWriter writer;

  CsvFile(Path file, String... header) throws IOException {
    writer = Files.newBufferedWriter(file);
    row((Object[]) header);
  }

  /** Written at once, so that a run that ends early leaves what it had. */
  void row(Object... cells) throws IOException {
    writer.write(Arrays.stream(cells).map(String::valueOf).collect(Collectors.joining(",")));
    writer.newLine();
    writer.flush();
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
