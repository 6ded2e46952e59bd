/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.terminal;

import java.time.Duration;
import java.util.Locale;
import java.util.stream.IntStream;

/** Numbers and names as people read them. */
public final class Format {

  /** Control characters, line ends, and what turns the direction of writing. */
  private static final String UNPRINTABLE = "[\\p{Cc}\\u2028\\u2029\\u202A-\\u202E\\u2066-\\u2069]";

  private static final String[] BINARY_UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Format() {}

  /** A name that cannot control a terminal, each such character as a question mark. */
  public static String printable(String text) {
    return text.replaceAll(UNPRINTABLE, "?");
  }

  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A count and its noun, as in {@code 1 position} and {@code 2 positions}. */
  public static String count(long number, String singular, String plural) {
    return count(number) + " " + (number == 1 ? singular : plural);
  }

  /** As in {@code 12 B} and {@code 1.5 MiB}. */
  public static String bytes(long bytes) {
    int unit = Math.max(0, (63 - Long.numberOfLeadingZeros(Math.max(bytes, 1))) / 10);
    return unit == 0
        ? bytes + " B"
        : String.format(
            Locale.ROOT, "%.1f %s", (double) bytes / (1L << (10 * unit)), BINARY_UNITS[unit]);
  }

  /** The two largest units, as in {@code 7d 3h} and {@code 12s}; {@code -} of null. */
  public static String duration(Long seconds) {
    if (seconds == null) {
      return "-";
    }
    Duration duration = Duration.ofSeconds(seconds);
    long[] parts = {
      duration.toDaysPart(),
      duration.toHoursPart(),
      duration.toMinutesPart(),
      duration.toSecondsPart()
    };
    int first = IntStream.range(0, 3).filter(i -> parts[i] > 0).findFirst().orElse(3);
    String text = parts[first] + "dhms".substring(first, first + 1);
    int next = first + 1;
    return next < 4 && parts[next] > 0
        ? text + " " + parts[next] + "dhms".substring(next, next + 1)
        : text;
  }
}
