/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

/** Hears of every answer to a published message. A thread of the client calls it. */
public interface PublishListener {
  /** Hears nothing. */
  PublishListener SILENT = (intendedNanos, sentNanos, answeredNanos, acknowledged) -> {};

  /** Times are of System.nanoTime(); {@code acknowledged} says whether the message is stored. */
  void answered(long intendedNanos, long sentNanos, long answeredNanos, boolean acknowledged);
}
