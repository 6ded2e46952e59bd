/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.function.LongBinaryOperator;

/**
 * What the positions hold whose consumers are away. Immutable.
 *
 * @param next the first unacknowledged entry of the furthest behind
 * @param distanceEntries how far that one is behind the end of the topic; 0: none is behind
 * @param ageMillis how long its consumer is away; 0 when none is behind. Of several at one place,
 *     the one that is away the longest
 * @param heldEntries entries that no connected consumer needs: from the furthest behind to the
 *     lowest connected durable one, or to the end of the topic when there is none
 * @param expiring how many have something unacknowledged, and expire within a tenth of their time
 *     to live
 */
public record AbsentPositions(
    long next, long distanceEntries, long ageMillis, long heldEntries, int expiring) {

  public static final AbsentPositions NONE = new AbsentPositions(0, 0, 0, 0, 0);

  /** Of the time to live, what is left when a position counts as expiring. */
  private static final int EXPIRING_PART = 10;

  /** One pass over the positions of a subscription. Confined to one call. */
  static final class Scan {
    private final long nowMillis;
    private final long end;
    private long next = Long.MAX_VALUE;
    private long leftMillis;
    private long held = Long.MAX_VALUE;
    private int expiring;

    /**
     * @param end the ordinal after the topic's last entry
     */
    Scan(long nowMillis, long end) {
      this.nowMillis = nowMillis;
      this.end = end;
    }

    /** A position that keeps what is after it, whoever is away. */
    void keeps(long ordinal) {
      held = Math.min(held, ordinal);
    }

    /** A position whose consumer is away. */
    void absent(LeftPosition position, int consumers, long ttlMillis) {
      long at = position.cursor().next();
      long left = position.lastMillis();
      if (at < next || (at == next && left < leftMillis)) {
        next = at;
        leftMillis = left;
      }
      if (left + ttlMillis - nowMillis <= ttlMillis / EXPIRING_PART
          && position.cursor().unacknowledgedBefore(end) > 0) {
        expiring += consumers;
      }
    }

    /**
     * What was found.
     *
     * @param lag how many entries the first ordinal is behind the second
     */
    AbsentPositions result(LongBinaryOperator lag) {
      long distance = next == Long.MAX_VALUE ? 0 : lag.applyAsLong(next, end);
      return distance == 0
          ? NONE
          : new AbsentPositions(
              next,
              distance,
              Math.max(0, nowMillis - leftMillis),
              lag.applyAsLong(next, Math.min(held, end)),
              expiring);
    }
  }
}
