/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One run, as its result files tell it. Immutable; any thread may call it. What a file does not
 * tell is null, empty or negative.
 *
 * @param files the raw data
 * @param workload name
 * @param driver name, with the label of a variant
 * @param messageBytes size of a message
 * @param partitions of the topic
 * @param consumers each of which is to get every message; -1 when not known
 * @param publishPerSecond mean over the run
 * @param deliveriesPerSecond mean over the run
 * @param publishMillis latency at percentile keys 50, 75, 95, 99, 99.9, 99.99 and 100
 * @param endToEndMillis the same
 * @param endToEndCurve the whole distribution
 * @param lastReceiver one value per message: when its last consumer had it; or null
 * @param connect one value per consumer; or null
 * @param connectWallSeconds until all were subscribed; -1 when not known
 * @param expected deliveries, or entries times consumers; -1 when not known
 * @param received of those
 * @param gaps lacking between others; -1 when not known
 * @param duplicates delivered again; -1 when not known
 * @param maxBacklog the largest of the intervals
 * @param stages milliseconds by stage, from timers of the broker; empty without
 * @param catchUp one per round of laggards; empty without
 * @param environment machine and versions, or null
 */
public record Result(
    List<Path> files,
    String workload,
    String driver,
    int messageBytes,
    int partitions,
    int consumers,
    double publishPerSecond,
    double deliveriesPerSecond,
    Map<Double, Double> publishMillis,
    Map<Double, Double> endToEndMillis,
    List<Quantile> endToEndCurve,
    LatencyReport lastReceiver,
    LatencyReport connect,
    double connectWallSeconds,
    long expected,
    long received,
    long gaps,
    long duplicates,
    long maxBacklog,
    Map<String, Double> stages,
    List<CatchUp> catchUp,
    String environment) {

  /** A point of a distribution. */
  record Quantile(double percentile, double millis) {}

  /** Consumers reading a backlog. */
  record CatchUp(
      int laggards,
      long backlogBytes,
      double seconds,
      boolean caughtUp,
      List<CurvePoint> curve,
      LatencyReport tailEndToEnd) {}

  /** A point of a throughput curve. */
  record CurvePoint(double seconds, double megabytesPerSecond, double behindMessages) {}

  double publishMegabytesPerSecond() {
    return publishPerSecond * messageBytes / 1e6;
  }

  /** For legends: the driver and what tells its series from others of the same driver. */
  String series() {
    return driver
        + (consumers > 0 ? ", " + Text.count(consumers) + " consumers" : "")
        + (partitions > 1 ? ", " + partitions + " partitions" : "");
  }
}
