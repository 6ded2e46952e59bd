/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The objects on a heap by class. Immutable; any thread may call it.
 *
 * @param rows by class, the largest first
 * @param totalInstances all objects
 * @param totalBytes all their bytes
 */
public record ClassHistogram(List<Row> rows, long totalInstances, long totalBytes) {
  private static final Pattern ROW = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");
  private static final Pattern TOTAL = Pattern.compile("Total\\s+(\\d+)\\s+(\\d+)\\s*");

  /** One class. */
  public record Row(String className, long instances, long bytes) {}

  public ClassHistogram {
    rows = List.copyOf(rows);
  }

  /** Reads what {@code jcmd GC.class_histogram} prints. */
  public static ClassHistogram parse(String output) {
    List<Row> rows = new ArrayList<>();
    long instances = -1;
    long bytes = -1;
    for (String line : output.lines().toList()) {
      Matcher row = ROW.matcher(line);
      Matcher total = TOTAL.matcher(line);
      if (row.matches()) {
        rows.add(new Row(row.group(3), Long.parseLong(row.group(1)), Long.parseLong(row.group(2))));
      } else if (total.matches()) {
        instances = Long.parseLong(total.group(1));
        bytes = Long.parseLong(total.group(2));
      }
    }
    if (bytes < 0) {
      throw new IllegalArgumentException("Not a class histogram: " + output.lines().findFirst());
    }
    return new ClassHistogram(rows, instances, bytes);
  }

  /** What grew most since then, the largest first. */
  public List<Row> growthSince(ClassHistogram before) {
    Map<String, Row> earlier = before.byClass();
    return byClass().values().stream()
        .map(row -> growth(row, earlier.get(row.className)))
        .sorted(Comparator.comparingLong(Row::bytes).reversed())
        .toList();
  }

  private Map<String, Row> byClass() {
    return rows.stream().collect(Collectors.toMap(Row::className, r -> r, ClassHistogram::sum));
  }

  private static Row sum(Row one, Row other) {
    return new Row(one.className, one.instances + other.instances, one.bytes + other.bytes);
  }

  private static Row growth(Row now, Row before) {
    return before == null
        ? now
        : new Row(now.className, now.instances - before.instances, now.bytes - before.bytes);
  }
}
