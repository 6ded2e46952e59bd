/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import io.pulsarbroadcast.benchmark.engine.Interval;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The figures of runs as rows, and their ratios. Not thread-safe. */
public final class RunTable {
  /** In the column that says which round, the rounds added up. */
  public static final String ALL_ROUNDS = "all";

  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MICROS_PER_MILLI = 1e3;
  private static final int MOST_COLUMNS = 5;

  private static final List<String> NAMES = List.of("series", "consumers", "messages/s", "round");

  /** What has a ratio; 0 stands for what there is not, because the run did not get so far. */
  private static final Map<String, ToDoubleFunction<RunResult>> FIGURES = new LinkedHashMap<>();

  private static final Map<String, Function<RunResult, Object>> COUNTS = new LinkedHashMap<>();

  static {
    FIGURES.put("connect all, s", r -> r.connectWallMicros() / MICROS_PER_SECOND);
    FIGURES.put("connect P50, ms", r -> LatencySummary.of(r.connectMicros()).p50Millis());
    FIGURES.put("connect P99, ms", r -> LatencySummary.of(r.connectMicros()).p99Millis());
    FIGURES.put("connect max, ms", r -> LatencySummary.of(r.connectMicros()).maxMillis());
    FIGURES.put(
        "first message, last receiver, ms",
        r -> r.lastReceiverPerMessageMicros().stream().findFirst().orElse(0L) / MICROS_PER_MILLI);
    FIGURES.put("end to end P50, ms", r -> r.endToEnd().p50Millis());
    FIGURES.put("end to end P99, ms", r -> r.endToEnd().p99Millis());
    FIGURES.put("end to end max, ms", r -> r.endToEnd().maxMillis());
    FIGURES.put("last receiver P50, ms", r -> r.lastReceiver().p50Millis());
    FIGURES.put("last receiver P99, ms", r -> r.lastReceiver().p99Millis());
    FIGURES.put("last receiver max, ms", r -> r.lastReceiver().maxMillis());
    FIGURES.put(
        "publish P50, ms", r -> LatencySummary.of(r.sum(Interval::publishMicros)).p50Millis());
    FIGURES.put(
        "publish P99, ms", r -> LatencySummary.of(r.sum(Interval::publishMicros)).p99Millis());
    FIGURES.put("server CPU per message, us", RunResult::brokerCpuMicrosPerMessage);
    FIGURES.put("server CPU per delivery, us", RunResult::brokerCpuMicrosPerDelivery);
    FIGURES.put("generator CPU per delivery, us", RunResult::generatorCpuMicrosPerDelivery);
    FIGURES.put("deliveries/s", RunResult::deliveriesPerSecond);
    COUNTS.put("connected", RunResult::subscribed);
    COUNTS.put("expected", r -> r.delivery().expected());
    COUNTS.put("received", r -> r.delivery().received());
    COUNTS.put("missing", r -> r.delivery().missing());
    COUNTS.put("duplicates", r -> r.delivery().duplicates());
    COUNTS.put("out of order", r -> r.delivery().outOfOrder());
    COUNTS.put(
        "damaged",
        r -> r.delivery().corrupt() + r.delivery().unexpected() + r.delivery().unacknowledged());
    COUNTS.put("outcome", RunTable::outcome);
  }

  /** Where there are many rows, those that tell them apart. */
  private static final List<String> SHORT =
      List.of(
          "series",
          "consumers",
          "messages/s",
          "connect all, s",
          "end to end P50, ms",
          "end to end P99, ms",
          "end to end max, ms",
          "last receiver P50, ms",
          "server CPU per delivery, us",
          "deliveries/s",
          "missing",
          "duplicates",
          "outcome");

  private final ResultTable all = new ResultTable(columns());
  private final ResultTable shown = new ResultTable(columns());
  private int shownRows;

  private static List<String> columns() {
    List<String> columns = new ArrayList<>(NAMES);
    columns.addAll(FIGURES.keySet());
    columns.addAll(COUNTS.keySet());
    return columns;
  }

  /** The figures of one round, or of all together. */
  public void add(String round, RunResult result) {
    List<Object> cells = names(result.plan(), result.plan().driver(), round);
    cells.addAll(figures(result));
    COUNTS.values().forEach(count -> cells.add(count.apply(result)));
    add(round, cells);
  }

  private static String outcome(RunResult result) {
    if (result.stoppedBy() != null) {
      return result.stoppedBy();
    }
    if (!result.isComplete()) {
      return "messages are missing";
    }
    return result.plan().catchUp() != null || result.isSustained()
        ? "complete"
        : "rate not reached";
  }

  /** A run that was not tried, and why. */
  public void addSkipped(Plan plan, String why) {
    List<Object> cells = names(plan, plan.driver(), ALL_ROUNDS);
    cells.addAll(Collections.nCopies(FIGURES.size() + COUNTS.size() - 1, null));
    cells.add(why);
    add(ALL_ROUNDS, cells);
  }

  /** How many times the other's each figure is. */
  public void addRatio(String round, RunResult result, RunResult other) {
    List<Object> cells =
        names(result.plan(), result.plan().driver() + " / " + other.plan().driver(), round);
    List<Double> ofResult = figures(result);
    List<Double> ofOther = figures(other);
    for (int i = 0; i < ofResult.size(); i++) {
      cells.add(ofOther.get(i) > 0 ? ofResult.get(i) / ofOther.get(i) : Double.NaN);
    }
    cells.addAll(Collections.nCopies(COUNTS.size(), null));
    add(round, cells);
  }

  private void add(String round, List<Object> cells) {
    all.add(cells);
    if (round.equals(ALL_ROUNDS)) {
      shown.add(cells);
      shownRows++;
    }
  }

  private static List<Object> names(Plan plan, String series, String round) {
    return new ArrayList<>(
        Arrays.asList(series, plan.consumers(), plan.messagesPerSecond(), round));
  }

  private static List<Double> figures(RunResult result) {
    return FIGURES.values().stream()
        .map(figure -> figure.applyAsDouble(result))
        .map(figure -> figure > 0 ? figure : Double.NaN)
        .toList();
  }

  /** Every round. */
  public ResultTable all() {
    return all;
  }

  /** The rounds added up, as they are read best. */
  public ResultTable shown() {
    return shownRows > MOST_COLUMNS ? shown.select(SHORT) : shown;
  }

  /** The same as text. */
  public String text() {
    return shownRows > MOST_COLUMNS ? shown().text() : shown.transposedText();
  }
}
