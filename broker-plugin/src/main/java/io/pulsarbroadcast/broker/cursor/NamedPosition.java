/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ObjIntConsumer;

/**
 * The durable position, or positions, under one name, and what the store has of it. Guarded by its
 * {@link CursorRegistry}.
 */
final class NamedPosition {

  final String name;

  /** What stands for the name in the store. */
  final int number;

  private long ttlSeconds;

  private int arrivals;

  /** How many connected consumers have the name. */
  private int connected;

  /** What waits for consumers to return; null: nobody is away. */
  private LeftPositions left;

  /** The lowest of its connected cursors; valid only while positions are being collected. */
  VirtualCursor lowestConnected;

  /** Whether a position was added that no write has had yet. */
  private boolean isNew;

  /** Whether a position was added that is not on storage yet. */
  private boolean isAwaited;

  /** How many positions the last write said there are; 0: none had the name. */
  private int writtenCount;

  /** Whether the name and its time to live are written as they are. */
  private boolean nameWritten;

  /** Whether it is written since when nobody is connected, or that somebody is. */
  private boolean lastSeenWritten;

  /** Whether it is written who is away, and since when. */
  private boolean leftWritten;

  /** Whether what was written of the position had positions left behind beside it. */
  private boolean writtenWithLeft;

  private VirtualCursor stored;
  private long storedNext;
  private int storedAheadVersion;
  private boolean storedAlone;

  NamedPosition(String name, int number, long ttlSeconds) {
    this.name = name;
    this.number = number;
    this.ttlSeconds = ttlSeconds;
  }

  /** How many positions are under the name, connected or left behind. */
  int count() {
    return connected + leftBehindCount();
  }

  /** The longest that any of its consumers asked for. */
  long ttlSeconds() {
    return ttlSeconds;
  }

  /** How often its consumers have come, to any topic of those that share it; 0: to this one. */
  int arrivals() {
    return arrivals;
  }

  /** Has it count for as much as another one whose consumers have come so often. */
  void countArrivals(int times) {
    arrivals = times;
    forgetStored();
  }

  int leftBehindCount() {
    return left == null ? 0 : left.waiting();
  }

  boolean isLeftBehind(VirtualCursor cursor) {
    return left != null && left.contains(cursor);
  }

  /** Whether a cursor is left behind, and no other. */
  boolean isLeftAlone(VirtualCursor cursor) {
    return isLeftBehind(cursor) && left.isOnesOwn();
  }

  /** Those left behind; empty: nobody is away. */
  List<VirtualCursor> leftBehind() {
    List<VirtualCursor> cursors = new ArrayList<>(1);
    forEachLeftBehind((cursor, count) -> cursors.add(cursor));
    return cursors;
  }

  /** Shows those left behind, and how many consumers each stands for. */
  void forEachLeftBehind(ObjIntConsumer<VirtualCursor> action) {
    if (left != null) {
      left.forEach(action);
    }
  }

  /**
   * A cursor is connected.
   *
   * @param returned whether it was left behind before
   */
  void connect(long ttl, boolean returned) {
    lastSeenWritten &= connected > 0;
    connected++;
    if (!returned) {
      isNew = true;
      isAwaited = true;
    }
    // Namesakes are told apart by nothing: none is to lose its position before its time.
    long longest = count() == 1 ? ttl : Math.max(ttl, ttlSeconds);
    if (longest != ttlSeconds) {
      ttlSeconds = longest;
      forgetStored();
    }
  }

  /** A connected cursor is no more, or is left behind. */
  void disconnect() {
    connected--;
    lastSeenWritten = false;
  }

  /**
   * Keeps a cursor for its consumer's return.
   *
   * @param nowTtlSeconds see {@link NamedPositions#ttlSeconds}
   */
  void leaveBehind(VirtualCursor cursor, long nowMillis, long nowTtlSeconds) {
    if (left == null) {
      left = new LeftPositions();
    }
    left.add(cursor, nowMillis, nowTtlSeconds);
    lastSeenWritten = false;
    leftWritten = false;
  }

  /** Takes what was stored of the name; see {@link CursorRegistry#restore}. */
  void restore(List<LeftPosition> stored, int count, int storedArrivals) {
    // Of a name that is there twice, see LeftPositions, the one that counts for more.
    arrivals = Math.max(arrivals, storedArrivals);
    if (left == null) {
      left = new LeftPositions();
    }
    left.restore(stored, count);
    writtenCount = left.waiting();
    storedNext = left.lowest().next();
  }

  /** A cursor for a consumer that returns; null: nobody is away. */
  VirtualCursor takeLeftBehind() {
    if (left == null) {
      return null;
    }
    VirtualCursor cursor = left.take();
    if (writtenWithLeft && left.lowestWritten() < storedNext) {
      // It was written beside the position, not with it.
      storedNext = left.lowestWritten();
      stored = null;
    }
    leftChanged();
    return cursor;
  }

  /** What waits under the name; empty: nobody is away. */
  Optional<LeftPositions> left() {
    return Optional.ofNullable(left);
  }

  /** Takes away all that waits. */
  LeftPositions takeAllLeft() {
    LeftPositions taken = left;
    left = null;
    lastSeenWritten = false;
    leftWritten = false;
    return taken;
  }

  /** Undoes {@link #takeAllLeft}, for those who have not returned meanwhile. */
  void putBack(LeftPositions taken, long ttl) {
    if (left == null) {
      left = taken;
    } else {
      left.addAll(taken);
    }
    lastSeenWritten = false;
    leftWritten = false;
    // Nobody knows whether storage still has them.
    isNew = true;
    isAwaited = true;
    if (ttl > ttlSeconds) {
      ttlSeconds = ttl;
      forgetStored();
    }
  }

  private void leftChanged() {
    leftWritten = false;
    if (left.waiting() == 0) {
      left = null;
    }
  }

  /** The end of the second, so that those who leave within one are written together. */
  private long leftAtSecond() {
    return (left.lastMillis() + 999) / 1_000 * 1_000;
  }

  /** Whether the time of a position is over, see {@link NamedPositions#ttlSeconds}. */
  boolean isExpired(long nowMillis, long nowTtlSeconds) {
    return left != null && left.isExpired(nowMillis, nowTtlSeconds);
  }

  /** See {@link LeftPositions#dropOldest}. */
  Skipped dropOldest(long end) {
    Skipped missed = left.dropOldest(end);
    leftChanged();
    return missed;
  }

  /** Whether no write has had all of its positions yet. */
  boolean isNew() {
    return isNew;
  }

  /** Whether all of its positions would be there after a crash. */
  boolean isStored() {
    return !isAwaited;
  }

  /** What was collected last is on storage. */
  void stored() {
    isAwaited = isNew;
  }

  /** The store is to be told everything again. */
  void forgetStored() {
    nameWritten = false;
    stored = null;
  }

  /** Takes a connected cursor for the lowest if it is. */
  void lowestOf(VirtualCursor cursor) {
    if (lowestConnected == null || cursor.next() < lowestConnected.next()) {
      lowestConnected = cursor;
    }
  }

  /** The lowest of the connected cursors, else of those left behind; null: there is none. */
  private VirtualCursor lowest() {
    return lowestConnected != null || left == null ? lowestConnected : left.lowest();
  }

  /** Whether there is something to write. */
  boolean isCollectable() {
    return lowest() != null;
  }

  /**
   * Writes what the store does not have.
   *
   * @return whether there was something
   */
  boolean collect(PositionsRecords records) {
    VirtualCursor lowest = lowest();
    long next = lowest.next();
    int aheadVersion = lowest.aheadVersion();
    // Two consumers of one name do not share their holes: only a position that stands alone keeps
    // them.
    boolean alone = count() == 1 && (left == null || left.isOnesOwn());
    boolean changed =
        stored != lowest
            || storedNext != next
            || storedAheadVersion != aheadVersion
            || storedAlone != alone
            || isLeftToBeWritten();
    if (nameWritten && !changed && lastSeenWritten && writtenCount == count() && !isNew) {
      return false;
    }
    records.begin();
    collectName(records);
    if (changed) {
      records.position(number, next);
      if (alone && aheadVersion > 0) {
        records.ahead(number, next, lowest);
      }
      collectLeft(records);
      stored = lowest;
      storedNext = next;
      storedAheadVersion = aheadVersion;
      storedAlone = alone;
    }
    return true;
  }

  /**
   * Writes that there are more positions than the store knows, of which those that were shown to
   * {@link #lowestOf} are the ones that it does not know.
   */
  void collectNew(PositionsRecords records) {
    if (writtenCount == 0) {
      collect(records);
      return;
    }
    records.begin();
    collectName(records);
    // Those that it knows are where it has them, or further on: the next change says where.
    storedNext = Math.min(storedNext, lowest().next());
    records.position(number, storedNext);
    collectLeft(records);
    stored = null;
  }

  /** Whether those left behind are more than the position, the count and the time last seen say. */
  private boolean isLeftBesides() {
    return left != null && (connected > 0 || !left.isOnesOwn());
  }

  private boolean isLeftToBeWritten() {
    boolean besides = isLeftBesides();
    return besides != writtenWithLeft || (besides && (!leftWritten || left.isToBeWritten()));
  }

  private void collectLeft(PositionsRecords records) {
    writtenWithLeft = isLeftBesides();
    leftWritten = true;
    if (writtenWithLeft) {
      left.collect(records, number);
    }
  }

  private void collectName(PositionsRecords records) {
    if (!nameWritten) {
      records.name(number, name, ttlSeconds);
    }
    if (!nameWritten && arrivals > 0) {
      records.arrivals(number, arrivals);
    }
    if (nameWritten ? writtenCount != count() : count() > 1) {
      records.count(number, count());
    }
    if (nameWritten ? !lastSeenWritten : connected == 0) {
      records.lastSeen(number, connected > 0 ? PositionsRecord.CONNECTED : leftAtSecond());
    }
    isNew = false;
    writtenCount = count();
    nameWritten = true;
    lastSeenWritten = true;
  }
}
