/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import java.util.Locale;

/** Numbers and names for people. Any thread may call it. */
final class Text {
  private static final int BYTES_PER_KILOBYTE = 1024;

  private Text() {}

  static String count(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  static String decimal(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /** With all digits there are: 99, 99.9. */
  static String plain(double value) {
    return value == Math.rint(value) ? count(value) : Double.toString(value);
  }

  /** With as many digits as help: 0.123, 1.23, 12.3, 1,234. */
  static String number(double value) {
    double size = Math.abs(value);
    String format = size >= 100 || value == 0 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, size < 1 && value != 0 ? "%.3f" : format, value);
  }

  static String bytes(int bytes) {
    return bytes >= BYTES_PER_KILOBYTE && bytes % BYTES_PER_KILOBYTE == 0
        ? bytes / BYTES_PER_KILOBYTE + " KiB"
        : count(bytes) + " B";
  }

  /** Text in HTML. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** A name as a file name and an HTML id. */
  static String id(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
  }
}
