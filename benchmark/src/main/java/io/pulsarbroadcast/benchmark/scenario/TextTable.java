/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows of text in aligned columns; the first column is left-aligned. Not thread-safe. */
final class TextTable {
  private static final String GAP = "   ";
  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... header) {
    rows.add(List.of(header));
  }

  /** Whole numbers get separators, others two decimals. */
  void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(text(cell));
    }
    while (row.size() < rows.get(0).size()) {
      row.add("");
    }
    rows.add(row);
  }

  private static String text(Object cell) {
    if (cell instanceof Double || cell instanceof Float) {
      return String.format(Locale.ROOT, "%,.2f", ((Number) cell).doubleValue());
    }
    return cell instanceof Number number
        ? String.format(Locale.ROOT, "%,d", number.longValue())
        : String.valueOf(cell);
  }

  @Override
  public String toString() {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String padding = " ".repeat(widths[i] - row.get(i).length());
        line.append(i == 0 ? row.get(i) + padding : GAP + padding + row.get(i));
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }
}
