/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Histograms of microseconds, up to an hour. Any thread may call it. */
public final class Histograms {
  static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);
  static final int DIGITS = 3;
  private static final double MICROS_PER_MILLI = 1e3;

  private Histograms() {}

  /** A percentile in milliseconds. */
  public static double millis(Histogram micros, double percentile) {
    return micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
  }

  /** Records how long ago something was due, on the clock of {@link System#nanoTime}. */
  static void recordSince(Histogram micros, long dueNanos) {
    long since = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - dueNanos);
    micros.recordValue(Math.min(Math.max(0, since), MAX_MICROS));
  }

  /** All together, as a new one. */
  public static Histogram sum(Stream<Histogram> histograms) {
    Histogram sum = new Histogram(MAX_MICROS, DIGITS);
    histograms.forEach(sum::add);
    return sum;
  }

  static Histogram sum(Histogram one, Histogram other) {
    return sum(Stream.of(one, other));
  }

  /** What came to a histogram since it was as another one, as a new one. */
  static Histogram since(Histogram before, Histogram now) {
    Histogram since = now.copy();
    since.subtract(before);
    return since;
  }
}
