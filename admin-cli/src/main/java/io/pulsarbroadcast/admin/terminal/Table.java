/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.terminal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jline.utils.WCWidth;

/** A table of text; columns whose heading begins with {@code >} are aligned to the right. */
public final class Table {
  private static final String RIGHT = ">";

  private final List<Boolean> right;
  private final List<List<String>> rows = new ArrayList<>();

  public Table(String... headings) {
    right = List.of(headings).stream().map(heading -> heading.startsWith(RIGHT)).toList();
    rows.add(List.of(headings).stream().map(heading -> heading.replace(RIGHT, "")).toList());
  }

  public void row(String... cells) {
    rows.add(List.of(cells).stream().map(Format::printable).toList());
  }

  public void print(PrintStream out) {
    List<Integer> widths =
        IntStream.range(0, right.size())
            .mapToObj(i -> rows.stream().mapToInt(row -> width(row.get(i))).max().orElse(0))
            .toList();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        String space = " ".repeat(widths.get(i) - width(row.get(i)));
        line.append(i == 0 ? "" : "  ");
        line.append(right.get(i) ? space + row.get(i) : row.get(i) + space);
      }
      out.println(line.toString().stripTrailing());
    }
  }

  /** In cells of a terminal: East Asian characters take two. */
  private static int width(String text) {
    return text.codePoints().map(c -> Math.max(0, WCWidth.wcwidth(c))).sum();
  }
}
