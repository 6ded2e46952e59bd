/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.report.StageBreakdown;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * What a run of a workload measured. Immutable by convention; any thread may read it.
 *
 * @param plan what was run
 * @param intervals of the timed part
 * @param endToEndMicros one value per delivery of the timed part, from when its message was due
 * @param lastReceiverMicros one value per message: when its last consumer had it
 * @param connectMicros one value per consumer and partition
 * @param connectWallMicros until all were subscribed
 * @param delivery what arrived, of the warm-up too
 * @param brokerCpuMillis CPU time of the broker's process in the timed part, or -1 if not known
 * @param generatorCpuMillis CPU time of this process meanwhile
 * @param connectionsLost how often a connection ended that should not have
 * @param brokerVersion as the broker says itself
 * @param firstError the first of all errors, or null
 * @param brokerTimers the plugin's timers of the timed part; empty without
 * @param catchUp one per round of laggards; empty without
 */
record WorkloadResult(
    WorkloadPlan plan,
    List<Interval> intervals,
    Histogram endToEndMicros,
    Histogram lastReceiverMicros,
    Histogram connectMicros,
    long connectWallMicros,
    DeliveryCounts delivery,
    long brokerCpuMillis,
    long generatorCpuMillis,
    long connectionsLost,
    String brokerVersion,
    String firstError,
    StageTimers brokerTimers,
    List<CatchUpRound> catchUp) {
  private static final double REACHED = 0.95;

  double seconds() {
    return intervals.stream().mapToDouble(Interval::seconds).sum();
  }

  double publishedPerSecond() {
    return intervals.stream().mapToLong(Interval::published).sum() / seconds();
  }

  /** Of all intervals together. */
  Histogram sum(Function<Interval, Histogram> ofInterval) {
    Histogram sum = new Histogram(PublishStats.MAX_MICROS, PublishStats.DIGITS);
    intervals.forEach(interval -> sum.add(ofInterval.apply(interval)));
    return sum;
  }

  /** Mean microseconds by stage; empty without the broker's timers. */
  Map<String, Double> stages() {
    return StageBreakdown.of(
        brokerTimers.meanMicros(),
        sum(Interval::publishMicros).getMean(),
        sum(Interval::publishDelayMicros).getMean(),
        lastReceiverMicros.getMean());
  }

  /** True when the rate was published, and everything was received nearly as fast. */
  boolean isSustained() {
    long published = intervals.stream().mapToLong(Interval::published).sum();
    return delivery.missing() == 0
        && published >= plan.timedMessages() * REACHED
        && seconds() <= plan.seconds() / REACHED + 1;
  }
}
