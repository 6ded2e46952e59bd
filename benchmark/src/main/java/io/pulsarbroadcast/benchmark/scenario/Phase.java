/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import static io.pulsarbroadcast.benchmark.scenario.AbstractScenario.CATCH_UP_TIMEOUT;
import static io.pulsarbroadcast.benchmark.scenario.AbstractScenario.awaitReached;

import io.pulsarbroadcast.benchmark.engine.Histograms;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A part of a run under load, and what the consumers noticed in it.
 *
 * @param from the first message published in it
 * @param to the first published after it
 * @param micros latencies of what they received of these messages
 */
record Phase(String name, int from, int to, Histogram micros) {
  /**
   * Lets the load go on for some minutes, from when everybody has what was published before until
   * everybody has what was published in it: however late a message comes, it belongs here.
   */
  static Phase of(String name, double minutes, Load running, ConsumerLog log)
      throws IOException, InterruptedException {
    awaitReached(log, running.publisher().nextSequence() - 1, CATCH_UP_TIMEOUT);
    Histogram before = running.endToEndMicros();
    int from = running.publisher().nextSequence();
    TimeUnit.MILLISECONDS.sleep((long) (minutes * TimeUnit.MINUTES.toMillis(1)));
    int to = running.publisher().nextSequence();
    awaitReached(log, to - 1, CATCH_UP_TIMEOUT);
    return new Phase(name, from, to, running.endToEndMicrosSince(before));
  }

  /** How long one of some minutes takes at most, in seconds. */
  static double maxSeconds(double minutes) {
    return minutes * TimeUnit.MINUTES.toSeconds(1) + 2 * CATCH_UP_TIMEOUT.toSeconds();
  }

  /** The P99 of one histogram by that of another; not a number when one of them is empty. */
  static double p99Ratio(Histogram of, Histogram to) {
    return of.getTotalCount() == 0 || to.getTotalCount() == 0
        ? Double.NaN
        : Histograms.millis(of, 99) / Histograms.millis(to, 99);
  }

  /** Of each of its messages the longest latency, from those of all messages. */
  Histogram lastReceivers(List<Long> lastReceiverMicros) {
    Histogram last = new Histogram(micros);
    lastReceiverMicros.subList(from, to).forEach(last::recordValue);
    return last;
  }

  /** For {@link #addTo}. */
  static ResultTable table(String first) {
    return new ResultTable(
        first,
        "deliveries",
        "P50, ms",
        "P99, ms",
        "P99.9, ms",
        "last receiver P50, ms",
        "last receiver P99, ms");
  }

  void addTo(ResultTable table, List<Long> lastReceiverMicros) {
    addTo(table, name, micros, lastReceivers(lastReceiverMicros));
  }

  static void addTo(ResultTable table, String name, Histogram all, Histogram last) {
    table.row(
        name,
        all.getTotalCount(),
        Histograms.millis(all, 50),
        Histograms.millis(all, 99),
        Histograms.millis(all, 99.9),
        Histograms.millis(last, 50),
        Histograms.millis(last, 99));
  }
}
