/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * What all connections of one event loop have received. Only that event loop may call it, except
 * for {@link #receivedSoFar()}.
 */
final class LoopStats {
  private static final long MAX_LATENCY_MICROS = TimeUnit.HOURS.toMicros(1);
  private static final int SIGNIFICANT_DIGITS = 3;

  final Histogram latencyMicros = newHistogram();

  /** Per message, the longest latency so far. */
  final long[] lastReceiverMicros;

  /** Per message, how many consumers have it. */
  final int[] receivers;

  long corrupt;
  long unexpected;

  private final int warmupMessages;
  private final AtomicLong published = new AtomicLong();
  private long received;

  LoopStats(int messages, int warmupMessages) {
    this.lastReceiverMicros = new long[messages];
    this.receivers = new int[messages];
    this.warmupMessages = warmupMessages;
  }

  static Histogram newHistogram() {
    return new Histogram(MAX_LATENCY_MICROS, SIGNIFICANT_DIGITS);
  }

  /** Books the first reception of a message by one consumer. */
  void record(int sequence, long nanos) {
    long micros = Math.min(Math.max(0, nanos / 1_000), MAX_LATENCY_MICROS);
    received++;
    receivers[sequence]++;
    if (micros > lastReceiverMicros[sequence]) {
      lastReceiverMicros[sequence] = micros;
    }
    if (sequence >= warmupMessages) {
      latencyMicros.recordValue(micros);
    }
  }

  /** Lets other threads see what was received; once per read, not once per message. */
  void publish() {
    published.lazySet(received);
  }

  /** First receptions as of the last {@link #publish()}. Any thread may call it. */
  long receivedSoFar() {
    return published.get();
  }
}
