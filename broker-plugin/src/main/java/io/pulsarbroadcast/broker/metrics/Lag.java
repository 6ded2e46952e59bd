/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

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
   * @param lag how many entries a position is behind
   */
  public static Lag of(long[] positions, LongUnaryOperator lag) {
    if (positions.length == 0) {
      return NONE;
    }
    Arrays.sort(positions);
    return new Lag(
        positions.length,
        lag.applyAsLong(positions[0]),
        lag.applyAsLong(positions[positions.length / 2]));
  }
}
