/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.concurrent.locks.LockSupport;

/**
 * When each message is to be sent: at a fixed rate from a fixed start. Immutable; any thread may
 * call it.
 *
 * <p>Latency counts from these times and not from the moment of sending, so that a sender that
 * falls behind does not hide the wait (no coordinated omission).
 *
 * @param startNanos System.nanoTime() at which message 0 is due
 * @param messagesPerSecond more than 0
 */
public record Schedule(long startNanos, double messagesPerSecond) {
  private static final double NANOS_PER_SECOND = 1e9;

  public Schedule {
    if (!(messagesPerSecond > 0) || Double.isInfinite(messagesPerSecond)) {
      throw new IllegalArgumentException(
          "messagesPerSecond is " + messagesPerSecond + "; allowed: more than 0");
    }
  }

  /** The schedule on which this message is due at this time. */
  public static Schedule dueAt(long nanos, long sequence, double messagesPerSecond) {
    long sinceStartNanos = new Schedule(0, messagesPerSecond).intendedNanos(sequence);
    return new Schedule(nanos - sinceStartNanos, messagesPerSecond);
  }

  /** The time of System.nanoTime() at which this message is due. */
  public long intendedNanos(long sequence) {
    return startNanos + Math.round(sequence * (NANOS_PER_SECOND / messagesPerSecond));
  }

  /** Waits until this time of System.nanoTime(). */
  public static void awaitTime(long nanos) throws InterruptedException {
    while (true) {
      long remaining = nanos - System.nanoTime();
      if (remaining <= 0) {
        return;
      }
      LockSupport.parkNanos(remaining);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }
}
