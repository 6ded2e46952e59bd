/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A table of results, for people and for programs. Not thread-safe.
 *
 * <p>Cells are strings, whole numbers, or decimals; null and NaN are figures that there are not.
 */
public final class ResultTable {
  private static final String COLUMN_GAP = "   ";

  private final List<String> columns;
  private final List<List<Object>> rows = new ArrayList<>();

  public ResultTable(List<String> columns) {
    this.columns = List.copyOf(columns);
  }

  public ResultTable(String... columns) {
    this(List.of(columns));
  }

  /** Adds a row; one cell per column. */
  public void row(Object... cells) {
    add(Arrays.asList(cells));
  }

  /** Adds a row; one cell per column. */
  public void add(List<?> cells) {
    if (cells.size() != columns.size()) {
      throw new IllegalArgumentException(
          "%d cells for %d columns".formatted(cells.size(), columns.size()));
    }
    rows.add(new ArrayList<>(cells));
  }

  public List<String> columns() {
    return columns;
  }

  /** Each cell as {@link #text()} has it. */
  public List<List<String>> cells() {
    return rows.stream().map(row -> row.stream().map(ResultTable::text).toList()).toList();
  }

  /** Some of the columns. */
  public ResultTable select(List<String> some) {
    ResultTable table = new ResultTable(some);
    for (List<Object> row : rows) {
      table.add(some.stream().map(name -> row.get(columns.indexOf(name))).toList());
    }
    return table;
  }

  /** In columns, with thousands separators and two decimals. */
  public String text() {
    return format(grid());
  }

  /** The same with a line per column and a column per row, for few rows of many figures. */
  public String transposedText() {
    List<List<String>> grid = grid();
    return format(
        IntStream.range(0, columns.size())
            .mapToObj(column -> grid.stream().map(row -> row.get(column)).toList())
            .toList());
  }

  private List<List<String>> grid() {
    return Stream.concat(Stream.of(columns), cells().stream()).toList();
  }

  /** The first column to the left and the others to the right. */
  private static String format(List<List<String>> grid) {
    StringBuilder formats = new StringBuilder();
    for (int i = 0; i < grid.get(0).size(); i++) {
      int column = i;
      int width = grid.stream().mapToInt(row -> row.get(column).length()).max().orElseThrow();
      formats.append(i == 0 ? "%-" : COLUMN_GAP + "%").append(Math.max(1, width)).append('s');
    }
    return grid.stream()
        .map(row -> formats.toString().formatted(row.toArray()).stripTrailing())
        .map(line -> line + System.lineSeparator())
        .collect(Collectors.joining());
  }

  /** RFC 4180, with full precision; an empty cell where there is no figure. */
  public String csv() {
    return Stream.concat(Stream.of(columns), rows.stream())
        .map(ResultTable::line)
        .collect(Collectors.joining());
  }

  /** A map per row, from column to cell, as it goes into JSON. */
  public List<Map<String, Object>> maps() {
    List<Map<String, Object>> maps = new ArrayList<>();
    for (List<Object> row : rows) {
      Map<String, Object> map = new LinkedHashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        map.put(columns.get(i), isNone(row.get(i)) ? null : row.get(i));
      }
      maps.add(map);
    }
    return maps;
  }

  private static String line(List<?> cells) {
    return cells.stream()
        .map(cell -> isNone(cell) ? "" : quoted(cell))
        .collect(Collectors.joining(",", "", "\r\n"));
  }

  private static String quoted(Object cell) {
    String text = String.valueOf(cell);
    return text.matches("(?s).*[\",\r\n].*") ? '"' + text.replace("\"", "\"\"") + '"' : text;
  }

  private static String text(Object cell) {
    if (isNone(cell)) {
      return "-";
    }
    if (cell instanceof Double decimal) {
      return String.format(Locale.ROOT, "%,.2f", decimal);
    }
    return cell instanceof Number number
        ? String.format(Locale.ROOT, "%,d", number.longValue())
        : cell.toString();
  }

  private static boolean isNone(Object cell) {
    return cell == null || (cell instanceof Double decimal && !Double.isFinite(decimal));
  }
}
