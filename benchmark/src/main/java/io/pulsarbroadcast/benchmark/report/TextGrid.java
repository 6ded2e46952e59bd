/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import java.util.List;

/** Lines of cells as text, the first column to the left and the others to the right. */
final class TextGrid {
  private static final String COLUMN_GAP = "   ";

  private TextGrid() {}

  /** All rows must have as many cells as the first. */
  static String format(List<List<String>> rows) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder(padRight(row.get(0), widths[0]));
      for (int i = 1; i < columns; i++) {
        line.append(COLUMN_GAP).append(padLeft(row.get(i), widths[i]));
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }

  private static String padRight(String text, int width) {
    return text + " ".repeat(width - text.length());
  }

  private static String padLeft(String text, int width) {
    return " ".repeat(width - text.length()) + text;
  }
}
