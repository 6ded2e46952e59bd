/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.Arrays;

/**
 * How far consumers are behind the end of the topic. Immutable.
 *
 * @param consumers how many there are
 * @param slowestEntries entries that the slowest has not acknowledged; 0 when there is none
 * @param medianEntries the same of the one in the middle
 */
public record Lag(int consumers, long slowestEntries, long medianEntries) {

  /** Of nobody. */
  public static final Lag NONE = new Lag(0, 0, 0);

  /**
   * Summarizes positions.
   *
   * @param positions the first unacknowledged ordinal of each consumer; is sorted
   * @param end the ordinal after the topic's last entry
   */
  public static Lag of(long[] positions, long end) {
    if (positions.length == 0) {
      return NONE;
    }
    Arrays.sort(positions);
    return new Lag(
        positions.length,
        Math.max(0, end - positions[0]),
        Math.max(0, end - positions[positions.length / 2]));
  }
}
