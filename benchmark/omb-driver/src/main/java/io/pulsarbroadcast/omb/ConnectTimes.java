/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** How long consumers take to subscribe. Any thread may call it. */
final class ConnectTimes {
  private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(24);

  private final Histogram ownMicros = new Histogram(MAX_MICROS, 3);
  private final Histogram sinceStartMicros = new Histogram(MAX_MICROS, 3);
  private long startNanos;
  private long wallMicros;

  synchronized void started() {
    if (startNanos == 0) {
      startNanos = System.nanoTime();
    }
  }

  synchronized void connected(long firstAttemptNanos, long nowNanos) {
    ownMicros.recordValue(micros(nowNanos - firstAttemptNanos));
    sinceStartMicros.recordValue(micros(nowNanos - startNanos));
  }

  synchronized void ended() {
    wallMicros = micros(System.nanoTime() - startNanos);
  }

  private static long micros(long nanos) {
    return Math.min(MAX_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos));
  }

  /** From the first start to the end of the last consumer. */
  synchronized long wallMicros() {
    return wallMicros;
  }

  /** One value per consumer, from its first attempt. */
  synchronized Histogram ownMicros() {
    return ownMicros.copy();
  }

  /** One value per consumer, from the start of the first of all. */
  synchronized Histogram sinceStartMicros() {
    return sinceStartMicros.copy();
  }
}
