/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import io.pulsarbroadcast.benchmark.engine.Interval;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The figures of runs as rows, and their ratios. Not thread-safe. */
public final class RunTable {
  /** In the column that says which round, the rounds added up. */
  public static final String ALL_ROUNDS = "all";

  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MICROS_PER_MILLI = 1e3;
  private static final int MOST_COLUMNS = 5;

  private static final List<String> NAMES = List.of("series", "consumers", "messages/s", "round");
  private static final List<String> FIGURES =
      List.of(
          "connect all, s",
          "connect P50, ms",
          "connect P99, ms",
          "connect max, ms",
          "first message, last receiver, ms",
          "end to end P50, ms",
          "end to end P99, ms",
          "end to end max, ms",
          "last receiver P50, ms",
          "last receiver P99, ms",
          "last receiver max, ms",
          "publish P99, ms",
          "server CPU per delivery, us",
          "generator CPU per delivery, us",
          "deliveries/s");
  private static final List<String> COUNTS =
      List.of(
          "connected",
          "expected",
          "received",
          "missing",
          "duplicates",
          "out of order",
          "damaged",
          "outcome");

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
    columns.addAll(FIGURES);
    columns.addAll(COUNTS);
    return columns;
  }

  /** The figures of one round, or of all together. */
  public void add(String round, RunResult result) {
    List<Object> cells = names(result.plan(), result.plan().driver(), round);
    cells.addAll(figures(result));
    DeliveryCounts delivery = result.delivery();
    cells.addAll(
        List.of(
            result.subscribed(),
            delivery.expected(),
            delivery.received(),
            delivery.missing(),
            delivery.duplicates(),
            delivery.outOfOrder(),
            delivery.corrupt() + delivery.unexpected() + delivery.unacknowledged(),
            outcome(result)));
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
    LatencySummary connect = LatencySummary.of(result.connectMicros());
    LatencySummary endToEnd = result.endToEnd();
    LatencySummary last = result.lastReceiver();
    List<Long> perMessage = result.lastReceiverPerMessageMicros();
    return List.of(
        orNone(result.connectWallMicros() / MICROS_PER_SECOND),
        orNone(connect.p50Millis()),
        orNone(connect.p99Millis()),
        orNone(connect.maxMillis()),
        perMessage.isEmpty() ? Double.NaN : orNone(perMessage.get(0) / MICROS_PER_MILLI),
        orNone(endToEnd.p50Millis()),
        orNone(endToEnd.p99Millis()),
        orNone(endToEnd.maxMillis()),
        orNone(last.p50Millis()),
        orNone(last.p99Millis()),
        orNone(last.maxMillis()),
        orNone(LatencySummary.of(result.sum(Interval::publishMicros)).p99Millis()),
        result.brokerCpuMicrosPerDelivery(),
        result.generatorCpuMicrosPerDelivery(),
        orNone(result.deliveriesPerSecond()));
  }

  /** A run that did not get so far has no such figure. */
  private static double orNone(double value) {
    return value > 0 ? value : Double.NaN;
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
