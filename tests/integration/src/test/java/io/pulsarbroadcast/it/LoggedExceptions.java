/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The exceptions in a broker's log, each with the first frame of its stack trace that is the
 * plugin's or Pulsar's, and the lines of the level ERROR: how often each occurs. One thread may
 * call it.
 */
final class LoggedExceptions {
  private static final Pattern EXCEPTION =
      Pattern.compile(
          "^(?:Caused by: |\\s*Suppressed: |\\d{4}-.* Got exception )?"
              + "((?:[\\w$]+\\.)+[\\w$]+(?:Exception|Error|Throwable))\\b(.*)");
  private static final Pattern LINE = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT.*");
  private static final Pattern ERROR = Pattern.compile("^\\d{4}-.* ERROR +(\\S+ - .*)");
  private static final Pattern FRAME = Pattern.compile("^\\s+at (?:\\S+/)?([\\w.$<>]+)\\(.*");

  /** Whose a frame is of whom one wants to know it: the plugin's, Pulsar's or BookKeeper's. */
  private static final Pattern OWN = Pattern.compile("^(io\\.pulsarbroadcast|org\\.apache)\\..*");

  private static final int MAX_CHARS = 160;

  private final Map<String, Integer> counts = new TreeMap<>();

  /** Whose stack trace is being read, and its first line; null for none. */
  private String thrown;

  private String firstFrame;

  private LoggedExceptions() {}

  static LoggedExceptions of(Path log) throws IOException {
    LoggedExceptions found = new LoggedExceptions();
    // Every byte is a character, also what a client sent.
    try (BufferedReader lines = Files.newBufferedReader(log, StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        found.read(line);
      }
    }
    found.endTrace();
    return found;
  }

  private void read(String line) {
    Matcher frame = FRAME.matcher(line);
    if (frame.matches()) {
      firstFrame = firstFrame == null ? frame.group(1) : firstFrame;
      if (OWN.matcher(frame.group(1)).matches()) {
        firstFrame = frame.group(1);
        endTrace();
      }
      return;
    }
    Matcher exception = EXCEPTION.matcher(line);
    if (exception.matches()) {
      endTrace();
      thrown = brief(exception.group(1) + exception.group(2));
      firstFrame = null;
    } else if (LINE.matcher(line).matches()) {
      endTrace();
      Matcher error = ERROR.matcher(line);
      if (error.matches()) {
        count(brief("ERROR " + error.group(1)));
      }
    }
  }

  /** Counts the exception under the first frame of interest, or else under its first. */
  private void endTrace() {
    if (thrown != null) {
      count(firstFrame == null ? thrown : thrown + " at " + firstFrame);
    }
    thrown = null;
  }

  /** Without what differs from one time to the next. */
  private static String brief(String text) {
    String same =
        text.replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "UUID")
            .replaceAll("Duplicate key .*", "Duplicate key")
            .replaceAll("0x[0-9a-f]+", "N")
            .replaceAll("-?\\d+", "N")
            .replaceAll("[^ -~]", "?");
    return same.length() <= MAX_CHARS ? same : same.substring(0, MAX_CHARS) + "...";
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** How often each occurs. */
  Map<String, Integer> counts() {
    return counts;
  }

  /** Those that none of these describes. */
  List<String> otherThan(List<Pattern> expected) {
    return counts.keySet().stream()
        .filter(what -> expected.stream().noneMatch(pattern -> pattern.matcher(what).find()))
        .map(what -> counts.get(what) + " times: " + what)
        .toList();
  }
}
