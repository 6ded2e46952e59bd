/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

/** Hears how far a run is. Called by the thread that executes the run. */
public interface RunListener {
  /** Hears nothing. */
  RunListener SILENT = new RunListener() {};

  /** A phase begins; it is complete at {@code total}. */
  default void phaseStarted(String name, long total) {}

  /** Called several times a second. */
  default void progress(long done) {}

  default void phaseEnded() {}

  /** From here on the messages are timed: warm-up is over. */
  default void measuringStarted() {}

  /** All timed messages have arrived, or nothing arrives any more. */
  default void measuringEnded() {}
}
