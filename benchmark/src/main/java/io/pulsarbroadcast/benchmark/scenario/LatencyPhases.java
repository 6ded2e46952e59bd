/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Latencies of a run in phases, told apart by the numbers of the messages. Any thread may record;
 * one thread at a time may begin and end phases.
 */
final class LatencyPhases {
  private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);
  private static final int DIGITS = 3;

  /** One part of the run. */
  static final class Phase {
    private final String name;
    private final int from;
    private volatile int to = Integer.MAX_VALUE;
    private final Histogram micros = new ConcurrentHistogram(MAX_MICROS, DIGITS);

    private Phase(String name, int from) {
      this.name = name;
      this.from = from;
    }

    String name() {
      return name;
    }

    Histogram micros() {
      return micros;
    }

    /** Of each message of the phase the longest latency, from those of all messages. */
    Histogram lastReceivers(List<Long> lastReceiverMicros, int published) {
      Histogram last = new Histogram(MAX_MICROS, DIGITS);
      for (int i = from; i < Math.min(to, published); i++) {
        last.recordValue(Math.min(MAX_MICROS, lastReceiverMicros.get(i)));
      }
      return last;
    }
  }

  private final List<Phase> phases = new CopyOnWriteArrayList<>();

  /** A phase begins with this message, which has not been sent yet; the one before ends. */
  Phase begin(String name, int fromSequence) {
    end(fromSequence);
    Phase phase = new Phase(name, fromSequence);
    phases.add(phase);
    return phase;
  }

  /** The phase under way ends before this message; those up to the next phase are not counted. */
  void end(int beforeSequence) {
    if (!phases.isEmpty()) {
      Phase last = phases.get(phases.size() - 1);
      last.to = Math.min(last.to, beforeSequence);
    }
  }

  void record(int sequence, long latencyNanos) {
    for (int i = phases.size() - 1; i >= 0; i--) {
      Phase phase = phases.get(i);
      if (sequence >= phase.from) {
        if (sequence < phase.to) {
          long micros = TimeUnit.NANOSECONDS.toMicros(latencyNanos);
          phase.micros.recordValue(Math.max(0, Math.min(MAX_MICROS, micros)));
        }
        return;
      }
    }
  }

  /** Milliseconds at a percentile. */
  static double millis(Histogram micros, double percentile) {
    return micros.getValueAtPercentile(percentile) / 1e3;
  }

  /** What was recorded in several phases. */
  static Histogram sum(Phase... phases) {
    Histogram sum = new Histogram(MAX_MICROS, DIGITS);
    for (Phase phase : phases) {
      sum.add(phase.micros);
    }
    return sum;
  }
}
