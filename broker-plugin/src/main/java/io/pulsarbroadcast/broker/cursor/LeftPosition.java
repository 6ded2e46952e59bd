/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

/**
 * Where consumers of one name left within a short time: the lowest of their positions. Guarded by
 * its {@link CursorRegistry}.
 */
final class LeftPosition {

  private final VirtualCursor cursor;
  private final long firstMillis;
  private long lastMillis;
  private int leaves;

  /** Where it was when it was written last; at the end of all: it never was. */
  private long writtenNext = Long.MAX_VALUE;

  /**
   * @param firstMillis when the first of them left
   * @param lastMillis when the last of them left
   * @param leaves how many left
   */
  LeftPosition(VirtualCursor cursor, long firstMillis, long lastMillis, int leaves) {
    this.cursor = cursor;
    this.firstMillis = firstMillis;
    this.lastMillis = lastMillis;
    this.leaves = leaves;
  }

  /** The same, of consumers that leave at another time. */
  LeftPosition leftAt(long millis) {
    return new LeftPosition(cursor, millis, millis, leaves);
  }

  /** A further consumer left. */
  void add(VirtualCursor another, long nowMillis) {
    cursor.lowerTo(another);
    lastMillis = Math.max(lastMillis, nowMillis);
    leaves++;
  }

  VirtualCursor cursor() {
    return cursor;
  }

  long firstMillis() {
    return firstMillis;
  }

  long lastMillis() {
    return lastMillis;
  }

  int leaves() {
    return leaves;
  }

  /** Where the store has it; {@link Long#MAX_VALUE}: nowhere. */
  long writtenNext() {
    return writtenNext;
  }

  /** Whether it has moved since it was written. */
  boolean isToBeWritten() {
    return writtenNext != cursor.next();
  }

  /** Writes it, among those of its name. */
  void collect(PositionsRecords records, int number) {
    writtenNext = cursor.next();
    records.left(number, this, writtenNext);
  }
}
