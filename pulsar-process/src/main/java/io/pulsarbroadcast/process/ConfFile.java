/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A {@code key=value} file such as {@code standalone.conf}, edited line by line so that comments
 * and order stay. Not thread-safe; nothing reaches the disk before {@link #save()}.
 */
public final class ConfFile {
  private final Path file;
  private final List<String> lines;

  private ConfFile(Path file, List<String> lines) {
    this.file = file;
    this.lines = lines;
  }

  /** Reads the whole file. */
  public static ConfFile load(Path file) throws IOException {
    return new ConfFile(file, new ArrayList<>(Files.readAllLines(file)));
  }

  /** The value as Pulsar reads it: of several lines with one key the last one counts. */
  public Optional<String> get(String key) {
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (key.equals(keyOf(lines.get(i)))) {
        String line = lines.get(i);
        String value = line.substring(separatorIn(line) + 1).strip();
        return Optional.of(value.replace("\\\\", "\\"));
      }
    }
    return Optional.empty();
  }

  /** Replaces the first line with that key and drops further ones, or appends a line. */
  public ConfFile set(String key, String value) {
    if (key.isBlank() || key.chars().anyMatch(c -> c == '=' || Character.isWhitespace(c))) {
      throw new IllegalArgumentException("Not a configuration key: '" + key + "'");
    }
    if (value.contains("\n")) {
      throw new IllegalArgumentException("The value of " + key + " has more than one line");
    }
    String line = key + "=" + value.replace("\\", "\\\\");
    int at = indexOf(key);
    if (at < 0) {
      lines.add(line);
      return this;
    }
    lines.set(at, line);
    for (int i = lines.size() - 1; i > at; i--) {
      if (key.equals(keyOf(lines.get(i)))) {
        lines.remove(i);
      }
    }
    return this;
  }

  /** Drops every line with that key; commented-out lines stay. */
  public ConfFile remove(String key) {
    lines.removeIf(line -> key.equals(keyOf(line)));
    return this;
  }

  /** Writes the file back. */
  public void save() throws IOException {
    Files.write(file, lines);
  }

  private int indexOf(String key) {
    for (int i = 0; i < lines.size(); i++) {
      if (key.equals(keyOf(lines.get(i)))) {
        return i;
      }
    }
    return -1;
  }

  private static String keyOf(String line) {
    String stripped = line.strip();
    int separator = separatorIn(line);
    if (separator < 0 || stripped.startsWith("#") || stripped.startsWith("!")) {
      return null;
    }
    return line.substring(0, separator).strip();
  }

  private static int separatorIn(String line) {
    return line.indexOf('=');
  }
}
