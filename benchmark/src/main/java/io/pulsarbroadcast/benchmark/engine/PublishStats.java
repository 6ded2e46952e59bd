/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.load.PublishListener;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Latencies of publishing. Any thread may call it. */
final class PublishStats implements PublishListener {
  private final Recorder latencyMicros = newRecorder();
  private final Recorder delayMicros = newRecorder();
  private final LongAdder acknowledged = new LongAdder();
  private final LongAdder errors = new LongAdder();

  @Override
  public void answered(long intendedNanos, long sentNanos, long answeredNanos, boolean isStored) {
    if (isStored) {
      acknowledged.increment();
      latencyMicros.recordValue(micros(answeredNanos - sentNanos));
      delayMicros.recordValue(micros(sentNanos - intendedNanos));
    } else {
      errors.increment();
    }
  }

  private static Recorder newRecorder() {
    return new Recorder(Histograms.MAX_MICROS, Histograms.DIGITS);
  }

  private static long micros(long nanos) {
    return Math.min(Histograms.MAX_MICROS, Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos)));
  }

  /** Values since the last call. */
  Histogram takeLatencyMicros() {
    return latencyMicros.getIntervalHistogram();
  }

  /** Values since the last call. */
  Histogram takeDelayMicros() {
    return delayMicros.getIntervalHistogram();
  }

  long acknowledged() {
    return acknowledged.sum();
  }

  long errors() {
    return errors.sum();
  }
}
