/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

/**
 * Where consumers of one name left within a short time, when their name had further positions; see
 * {@link LeftPositions}. Guarded by its {@link CursorRegistry}.
 */
final class LeftPosition extends NamedPosition {

  /** When the first of them left. */
  private final long sinceMillis;

  /** How many of those who wait are counted here. */
  private int waiting;

  /** How many more may be those who wait: as many have returned, of whom nobody knows whose. */
  private int mayWait;

  LeftPosition(
      String name,
      int number,
      long ttlSeconds,
      VirtualCursor cursor,
      long leftAtMillis,
      int waiting,
      int mayWait) {
    super(name, number, ttlSeconds);
    this.sinceMillis = leftAtMillis;
    this.waiting = waiting;
    this.mayWait = mayWait;
    leaveBehind(cursor, leftAtMillis);
  }

  long sinceMillis() {
    return sinceMillis;
  }

  /** A further consumer left. */
  void add(VirtualCursor cursor, long leftAtMillis, int waits, int mayDo) {
    leftBehind().lowerTo(cursor);
    leaveBehind(leftBehind(), Math.max(leftAtMillis(), leftAtMillis));
    waiting += waits;
    mayWait += mayDo;
  }

  /** One of those who wait has returned. */
  void returned() {
    waiting--;
    mayWait++;
  }

  /** Takes up to {@code count} of those who wait and have no older position any more. */
  int take(int count) {
    int taken = Math.min(count, mayWait);
    waiting += taken;
    mayWait -= taken;
    return taken;
  }

  /** Nobody knows how many have returned since it was left behind, at most so many. */
  void mayWait(int atMost) {
    mayWait = atMost;
  }

  /** Whether it is one consumer's, and nobody else's. */
  @Override
  boolean isAlone() {
    return waiting == 1 && mayWait == 0;
  }

  @Override
  int leftBehindCount() {
    return waiting;
  }
}
