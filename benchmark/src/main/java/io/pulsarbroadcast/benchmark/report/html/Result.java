/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report.html;

import io.pulsarbroadcast.benchmark.engine.CatchUpRound;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.LatencyReport;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One run, as its result files tell it. Immutable; any thread may call it.
 *
 * @param files the raw data
 * @param workload name
 * @param driver name, with the label of a variant
 * @param messageBytes size of a message
 * @param partitions of the topic
 * @param publishPerSecond mean over the run
 * @param deliveriesPerSecond mean over the run
 * @param publishMillis latency at percentile keys 50, 75, 95, 99, 99.9, 99.99 and 100
 * @param endToEndMillis the same
 * @param endToEndCurve the whole distribution
 * @param maxBacklog the largest of the intervals
 * @param stages milliseconds by stage, from timers of the broker; empty without
 * @param own what OpenMessaging Benchmark's file does not tell
 * @param environment machine and versions, or null when not known
 */
public record Result(
    List<Path> files,
    String workload,
    String driver,
    int messageBytes,
    int partitions,
    double publishPerSecond,
    double deliveriesPerSecond,
    Map<Double, Double> publishMillis,
    Map<Double, Double> endToEndMillis,
    List<Quantile> endToEndCurve,
    long maxBacklog,
    Map<String, Double> stages,
    Own own,
    String environment) {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MICROS_PER_MILLI = 1e3;

  /** The stages that NTT splits the latency into, in the order of time, and what they cover. */
  static final Map<String, String> STAGES = new LinkedHashMap<>();

  static {
    STAGES.put("produce", "producer and its network (by subtraction)");
    STAGES.put("broker", "broker, before storing");
    STAGES.put("persist", "stored by BookKeeper");
    STAGES.put("notify", "reader notified");
    STAGES.put("prepare", "prepared and handed to connections");
    STAGES.put("broadcast", "written for every consumer");
    STAGES.put("receive", "from there to the last receiver (by subtraction)");
  }

  /** A point of a distribution. */
  record Quantile(double percentile, double millis) {
    /** 1 for 90 percent, 2 for 99, 3 for 99.9 and so on. */
    double nines() {
      return percentile >= 100 ? Double.POSITIVE_INFINITY : -Math.log10(1 - percentile / 100);
    }
  }

  /**
   * What a local run's file has under {@code pulsarBroadcast}, or our driver's files beside one of
   * OpenMessaging Benchmark.
   *
   * @param consumers each of which is to get every message; -1 when not known
   * @param lastReceiver one value per message: when its last consumer had it; or null
   * @param connect one value per consumer; or null
   * @param connectWallMicros until all were subscribed; negative when not known
   * @param delivery deliveries, or entries times consumers; negative when not known
   * @param catchUp one per round of laggards; empty without
   */
  record Own(
      int consumers,
      LatencyReport lastReceiver,
      LatencyReport connect,
      long connectWallMicros,
      DeliveryCounts delivery,
      List<CatchUpRound> catchUp) {
    /** Nothing. */
    static final Own UNKNOWN =
        new Own(
            -1, null, null, -1, new DeliveryCounts(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1), null);

    Own {
      catchUp = Objects.requireNonNullElse(catchUp, List.of());
    }
  }

  int consumers() {
    return own.consumers;
  }

  LatencyReport lastReceiver() {
    return own.lastReceiver;
  }

  /** Empty when not known. */
  List<Quantile> lastReceiverCurve() {
    return own.lastReceiver == null
        ? List.of()
        : own.lastReceiver.percentiles().stream()
            .map(point -> new Quantile(point.percentile(), point.micros() / MICROS_PER_MILLI))
            .toList();
  }

  LatencyReport connect() {
    return own.connect;
  }

  double connectWallSeconds() {
    return own.connectWallMicros / MICROS_PER_SECOND;
  }

  List<CatchUpRound> catchUp() {
    return own.catchUp;
  }

  double publishMegabytesPerSecond() {
    return publishPerSecond * messageBytes / 1e6;
  }

  /** For legends: the driver and what tells its series from others of the same driver. */
  String series() {
    return driver
        + (consumers() > 0 ? ", " + Text.count(consumers()) + " consumers" : "")
        + (partitions > 1 ? ", " + partitions + " partitions" : "");
  }
}
