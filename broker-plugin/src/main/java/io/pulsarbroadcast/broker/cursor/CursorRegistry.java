/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The virtual cursors of one Broadcast subscription: those of connected consumers, and those left
 * behind under a name by consumers that went away and may return.
 *
 * <p>May be called from any thread. Adding and removing are O(1) under one lock; {@link #lowest}
 * scans under the same lock, once per interval and not per acknowledgement (0.1 ms for 100,000), so
 * that no cursor can be registered below a lowest position that is being published (I3).
 *
 * <p>Names: a name identifies a durable consumer, but generated names collide (5 hex digits in the
 * Java client). Connected consumers of one name each have a cursor of their own; of several left
 * behind under one name the lowest position is kept; who comes back under the name takes it.
 */
public final class CursorRegistry {

  private final SkippedEntries skipped;
  private VirtualCursor[] connected = new VirtualCursor[16];
  private int connectedCount;
  private final Map<String, VirtualCursor> leftBehind = new HashMap<>();

  /**
   * The lowest position ever published; no cursor starts before it except by {@link
   * VirtualCursor#reset}.
   */
  private long floor;

  /**
   * @param skipped the entries that nobody is given
   * @param floor the subscription's position: its first unacknowledged entry
   */
  public CursorRegistry(SkippedEntries skipped, long floor) {
    this.skipped = skipped;
    this.floor = floor;
  }

  /**
   * Registers a connected consumer: at the position left behind under its name, else at {@code
   * start}.
   *
   * @param start where a consumer without a position starts, asked while the lock is held; raised
   *     to the subscription's own position when below
   * @param deliveredEnd see {@link VirtualCursor#deliveredEnd()}
   */
  public synchronized VirtualCursor connect(
      String name, boolean durable, LongSupplier start, long deliveredEnd) {
    VirtualCursor cursor = durable ? leftBehind.remove(name) : null;
    if (cursor == null) {
      long next = Math.max(floor, start.getAsLong());
      cursor = new VirtualCursor(name, durable, skipped, next, deliveredEnd);
    }
    if (connectedCount == connected.length) {
      connected = Arrays.copyOf(connected, connectedCount * 2);
    }
    cursor.slot = connectedCount;
    connected[connectedCount++] = cursor;
    return cursor;
  }

  /**
   * Takes a consumer off; a durable one leaves its position behind. Does nothing when it was taken
   * off already.
   */
  public synchronized void disconnect(VirtualCursor cursor) {
    if (remove(cursor) && cursor.isDurable()) {
      VirtualCursor same = leftBehind.putIfAbsent(cursor.name(), cursor);
      if (same != null) {
        same.lowerTo(cursor);
      }
    }
  }

  /**
   * Takes a consumer off and forgets its position (unsubscribe).
   *
   * @return whether no position is left, connected or not
   */
  public synchronized boolean forget(VirtualCursor cursor) {
    remove(cursor);
    return isEmpty();
  }

  /** Moves every position to {@code ordinal}: reset, skip and clear of the whole subscription. */
  public synchronized void resetAll(long ordinal) {
    for (int i = 0; i < connectedCount; i++) {
      connected[i].reset(ordinal);
    }
    leftBehind.values().forEach(cursor -> cursor.reset(ordinal));
    floor = ordinal;
  }

  /**
   * Moves every position that is before {@code ordinal} up to it: expiry and skip of the whole
   * subscription.
   */
  public synchronized void advanceAll(long ordinal) {
    for (int i = 0; i < connectedCount; i++) {
      advance(connected[i], ordinal);
    }
    leftBehind.values().forEach(cursor -> advance(cursor, ordinal));
    floor = Math.max(floor, ordinal);
  }

  private static void advance(VirtualCursor cursor, long ordinal) {
    cursor.delivered(ordinal);
    cursor.ackCumulative(ordinal - 1);
  }

  /**
   * Publishes the subscription's position: the lowest of all cursors, or the last one published
   * when there are none. Never decreases but by {@link #resetAll}.
   */
  public synchronized long lowest() {
    if (isEmpty()) {
      return floor;
    }
    long lowest = Long.MAX_VALUE;
    for (int i = 0; i < connectedCount; i++) {
      lowest = Math.min(lowest, connected[i].next());
    }
    for (VirtualCursor cursor : leftBehind.values()) {
      lowest = Math.min(lowest, cursor.next());
    }
    floor = Math.max(floor, skipped.firstNotSkipped(lowest));
    skipped.forgetBefore(floor);
    return floor;
  }

  /**
   * Lets positions start at {@code ordinal}, which storage may not keep yet.
   *
   * @return whether that is before everything so far
   */
  public synchronized boolean lowerFloor(long ordinal) {
    boolean lower = ordinal < floor;
    floor = Math.min(floor, ordinal);
    return lower;
  }

  /** Whether there is no position, neither of a connected consumer nor left behind. */
  public synchronized boolean isEmpty() {
    return connectedCount == 0 && leftBehind.isEmpty();
  }

  /** The subscription's position as last published. */
  public synchronized long floor() {
    return floor;
  }

  /** How many consumers are connected. */
  public synchronized int connectedCount() {
    return connectedCount;
  }

  /** How many positions wait for their consumer's return. */
  public synchronized int leftBehindCount() {
    return leftBehind.size();
  }

  private boolean remove(VirtualCursor cursor) {
    int slot = cursor.slot;
    if (slot < 0) {
      return false;
    }
    VirtualCursor last = connected[--connectedCount];
    connected[connectedCount] = null;
    if (last != cursor) {
      connected[slot] = last;
      last.slot = slot;
    }
    cursor.slot = -1;
    return true;
  }
}
