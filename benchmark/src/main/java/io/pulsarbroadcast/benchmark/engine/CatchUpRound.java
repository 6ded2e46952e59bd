/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import java.util.List;
import java.util.Locale;

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
public record CatchUpRound(
    int laggards,
    long backlogBytes,
    double seconds,
    boolean caughtUp,
    List<Point> curve,
    LatencyReport tailEndToEnd) {
  private static final double BYTES_PER_MEGABYTE = 1e6;
  private static final double MICROS_PER_MILLI = 1e3;

  /**
   * A point of the throughput curve.
   *
   * @param seconds since the start of the round
   * @param megabytesPerSecond in units of 10^6 bytes, of all laggards together
   * @param behindMessages what each laggard lacked on average
   */
  public record Point(double seconds, double megabytesPerSecond, double behindMessages) {}

  /** One line for people. */
  public String line() {
    double p99Millis = tailEndToEnd.p99Micros() / MICROS_PER_MILLI;
    return laggards == 0
        ? String.format(Locale.ROOT, "nobody behind: tail P99 %.2f ms", p99Millis)
        : String.format(
            Locale.ROOT,
            "%,d behind by %,.1f MB each: %s after %.1f s, %,.0f MB/s together; tail P99 %.2f ms",
            laggards,
            backlogBytes / BYTES_PER_MEGABYTE,
            caughtUp ? "caught up" : "given up",
            seconds,
            meanMegabytesPerSecond(),
            p99Millis);
  }

  double meanMegabytesPerSecond() {
    double megabytes = 0;
    double before = 0;
    for (Point point : curve) {
      megabytes += point.megabytesPerSecond * (point.seconds - before);
      before = point.seconds;
    }
    return before == 0 ? 0 : megabytes / before;
  }
}
