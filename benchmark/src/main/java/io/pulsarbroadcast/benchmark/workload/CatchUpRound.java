/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.report.LatencyReport;
import java.util.List;

/**
 * Some consumers reading a backlog while others stay at the end. Immutable; any thread may call it.
 *
 * @param laggards how many read the backlog; 0 for the time before there was one
 * @param backlogBytes payload that each of them had not received at the start
 * @param seconds until all of them had caught up with the writer, or the round was given up
 * @param caughtUp whether they had
 * @param curve payload that all of them together received, over time
 * @param tailEndToEnd latency of the consumers at the end meanwhile
 */
record CatchUpRound(
    int laggards,
    long backlogBytes,
    double seconds,
    boolean caughtUp,
    List<Point> curve,
    LatencyReport tailEndToEnd) {

  /**
   * A point of the throughput curve.
   *
   * @param seconds since the start of the round
   * @param megabytesPerSecond in units of 10^6 bytes, of all laggards together
   * @param behindMessages what each laggard lacked on average
   */
  record Point(double seconds, double megabytesPerSecond, double behindMessages) {}

  double meanMegabytesPerSecond() {
    return curve.stream().mapToDouble(Point::megabytesPerSecond).average().orElse(0);
  }
}
