/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

import org.HdrHistogram.Histogram;

/**
 * The figures of a latency distribution that go into a table. Immutable; any thread may call it.
 *
 * @param count how many values
 * @param p50Millis median
 * @param p99Millis 99th percentile
 * @param maxMillis largest value
 */
public record LatencySummary(long count, double p50Millis, double p99Millis, double maxMillis) {
  private static final double MICROS_PER_MILLI = 1_000.0;

  public static LatencySummary of(Histogram micros) {
    return new LatencySummary(
        micros.getTotalCount(),
        micros.getValueAtPercentile(50) / MICROS_PER_MILLI,
        micros.getValueAtPercentile(99) / MICROS_PER_MILLI,
        micros.getMaxValue() / MICROS_PER_MILLI);
  }
}
