/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * What one run measured, or several rounds of it together. Immutable by convention; any thread may
 * read it.
 *
 * @param plan what was run
 * @param rounds how often
 * @param intervals of the timed part
 * @param endToEndMicros one value per timed delivery, from when its message was due
 * @param lastReceiverMicros one value per timed message: when its last consumer had it
 * @param lastReceiverPerMessageMicros the same in the order of messages, warm-up included; empty
 *     when there are very many
 * @param connectMicros one value per consumer and partition
 * @param connectWallMicros until all were subscribed; 0 when they were not
 * @param subscribed consumers at the end
 * @param delivery what arrived, of the warm-up too
 * @param brokerCpuMillis CPU time of the server's process in the timed part, or -1 if not known
 * @param generatorCpuMillis CPU time of this process meanwhile
 * @param connectionsLost how often a connection ended that should not have
 * @param brokerVersion as the broker says itself
 * @param firstError the first of all errors, or null
 * @param brokerTimers the plugin's timers of the timed part; empty without
 * @param catchUp one per round of laggards; empty without
 * @param stoppedBy why it did not come to its end, or null when it did
 */
public record RunResult(
    Plan plan,
    int rounds,
    List<Interval> intervals,
    Histogram endToEndMicros,
    Histogram lastReceiverMicros,
    List<Long> lastReceiverPerMessageMicros,
    Histogram connectMicros,
    long connectWallMicros,
    int subscribed,
    DeliveryCounts delivery,
    long brokerCpuMillis,
    long generatorCpuMillis,
    long connectionsLost,
    String brokerVersion,
    String firstError,
    StageTimers brokerTimers,
    List<CatchUpRound> catchUp,
    String stoppedBy) {
  private static final double MICROS_PER_MILLI = 1_000.0;
  private static final double REACHED = 0.95;

  /** True when it came to its end, and nothing is missing. */
  public boolean isComplete() {
    return stoppedBy == null && delivery.missing() == 0 && delivery.published() > 0;
  }

  /** Whether anything was timed: a delivery, or a message where there are no consumers. */
  public boolean isTimed() {
    return endToEndMicros.getTotalCount() > 0
        || (plan.consumers() == 0 && sum(Interval::publishMicros).getTotalCount() > 0);
  }

  /** True when the rate was published, and everything was received nearly as fast. */
  public boolean isSustained() {
    long published = intervals.stream().mapToLong(Interval::published).sum();
    return delivery.missing() == 0
        && published >= rounds * plan.timedMessages() * REACHED
        && seconds() <= rounds * (plan.seconds() / REACHED + 1);
  }

  /** Of the timed part. */
  public double seconds() {
    return intervals.stream().mapToDouble(Interval::seconds).sum();
  }

  public double publishedPerSecond() {
    return perSecond(Interval::published);
  }

  public double deliveriesPerSecond() {
    return perSecond(Interval::received);
  }

  private double perSecond(ToLongFunction<Interval> count) {
    return intervals.isEmpty() ? 0 : intervals.stream().mapToLong(count).sum() / seconds();
  }

  /** Of all intervals together. */
  public Histogram sum(Function<Interval, Histogram> ofInterval) {
    return Histograms.sum(intervals.stream().map(ofInterval));
  }

  public LatencySummary endToEnd() {
    return LatencySummary.of(endToEndMicros);
  }

  public LatencySummary lastReceiver() {
    return LatencySummary.of(lastReceiverMicros);
  }

  /** Mean microseconds by stage; empty without the broker's timers. */
  public Map<String, Double> stages() {
    return StageBreakdown.of(
        brokerTimers.meanMicros(),
        sum(Interval::publishMicros).getMean(),
        sum(Interval::publishDelayMicros).getMean(),
        lastReceiverMicros.getMean());
  }

  /** CPU time of the server's process per timed delivery, in microseconds; NaN if not known. */
  public double brokerCpuMicrosPerDelivery() {
    return perDelivery(brokerCpuMillis);
  }

  /** CPU time of the server's process per timed message, in microseconds; NaN if not known. */
  public double brokerCpuMicrosPerMessage() {
    return per(sum(Interval::publishMicros).getTotalCount(), brokerCpuMillis);
  }

  /** CPU time of this process per timed delivery, in microseconds; NaN if not known. */
  public double generatorCpuMicrosPerDelivery() {
    return perDelivery(generatorCpuMillis);
  }

  private double perDelivery(long millis) {
    return per(endToEndMicros.getTotalCount(), millis);
  }

  private static double per(long count, long millis) {
    return count == 0 || millis < 0 ? Double.NaN : millis * MICROS_PER_MILLI / count;
  }

  /**
   * Several runs of one plan as one: distributions and counts added up, the longest of the connect
   * times.
   */
  public static RunResult merge(List<RunResult> rounds) {
    return rounds.stream().reduce(RunResult::plus).orElseThrow();
  }

  private RunResult plus(RunResult other) {
    return new RunResult(
        plan,
        rounds + other.rounds,
        concat(intervals, other.intervals),
        Histograms.sum(endToEndMicros, other.endToEndMicros),
        Histograms.sum(lastReceiverMicros, other.lastReceiverMicros),
        concat(lastReceiverPerMessageMicros, other.lastReceiverPerMessageMicros),
        Histograms.sum(connectMicros, other.connectMicros),
        Math.max(connectWallMicros, other.connectWallMicros),
        Math.min(subscribed, other.subscribed),
        delivery.plus(other.delivery),
        brokerCpuMillis < 0 || other.brokerCpuMillis < 0
            ? CpuClock.UNKNOWN
            : brokerCpuMillis + other.brokerCpuMillis,
        generatorCpuMillis + other.generatorCpuMillis,
        connectionsLost + other.connectionsLost,
        brokerVersion,
        firstError == null ? other.firstError : firstError,
        brokerTimers.plus(other.brokerTimers),
        concat(catchUp, other.catchUp),
        stoppedBy == null ? other.stoppedBy : stoppedBy);
  }

  private static <T> List<T> concat(List<T> one, List<T> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }
}
