/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.report.html.Figure;
import io.pulsarbroadcast.benchmark.report.html.Figure.Line;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** When the last consumer had a message, over the time of a run. */
final class LastReceivers {
  private LastReceivers() {}

  /**
   * Writes and draws the slowest per second.
   *
   * @param micros of each message that was published, at so many per second
   */
  static void plot(
      Session session, List<Long> micros, double rate, String title, String description)
      throws IOException {
    List<Double> seconds = new ArrayList<>();
    List<Double> millis = new ArrayList<>();
    ResultTable table = new ResultTable("second", "slowest last receiver, ms");
    int perSecond = Math.max(1, (int) Math.round(rate));
    for (int from = 0; from < micros.size(); from += perSecond) {
      long most = Collections.max(micros.subList(from, Math.min(micros.size(), from + perSecond)));
      seconds.add(from / rate);
      millis.add(most / 1e3);
      table.row(from / rate, most / 1e3);
    }
    session.write("latency", table);
    session.plot(
        Figure.lines(
            "latency",
            title,
            "Time (s)",
            "Latency (ms)",
            description,
            List.of(new Line("last receiver", seconds, millis))));
  }
}
