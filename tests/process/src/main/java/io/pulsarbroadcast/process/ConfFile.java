/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.function.Consumer;

/** Reads and changes a {@code key=value} file such as {@code standalone.conf}. Any thread. */
final class ConfFile {
  private ConfFile() {}

  /** As Pulsar reads it. */
  static Properties read(Path file) throws IOException {
    Properties settings = new Properties();
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      settings.load(lines);
    }
    return settings;
  }

  /** Comments and the order of lines are lost; the file is a broker's own. */
  static void edit(Path file, Consumer<Properties> change) throws IOException {
    Properties settings = read(file);
    change.accept(settings);
    // Not by Properties.store: BookKeeper reads the file, too, and knows fewer escapes.
    Files.write(
        file,
        settings.stringPropertyNames().stream()
            .sorted()
            .map(key -> line(key, settings.getProperty(key)))
            .toList());
  }

  private static String line(String key, String value) {
    if (key.isBlank() || key.matches("(?s).*[=\\s].*")) {
      throw new IllegalArgumentException("Not a configuration key: '" + key + "'");
    }
    if (value.contains("\n")) {
      throw new IllegalArgumentException("The value of " + key + " has more than one line");
    }
    return key + "=" + value.replace("\\", "\\\\");
  }
}
