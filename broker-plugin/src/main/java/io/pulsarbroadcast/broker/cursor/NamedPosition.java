/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

/**
 * The durable position, or positions, under one name, and what the store has of it. Guarded by its
 * {@link CursorRegistry}.
 */
final class NamedPosition {

  final String name;

  /** What stands for the name in the store. */
  final int number;

  /** The longest that any of its consumers asked for. */
  private long ttlSeconds;

  /** How many connected consumers have the name. */
  private int connected;

  /** The lowest of the positions that wait for their consumer's return, or null. */
  private VirtualCursor leftBehind;

  private int leftBehindCount;

  /** When the last of them was left behind. */
  private long leftAtMillis;

  /** The lowest of its cursors; valid only while positions are being collected. */
  VirtualCursor lowest;

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
    return connected + leftBehindCount;
  }

  int leftBehindCount() {
    return leftBehindCount;
  }

  /** The lowest of those left behind, or null. */
  VirtualCursor leftBehind() {
    return leftBehind;
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

  /** Keeps a cursor for its consumer's return; of several the lowest, and how many they are. */
  void leaveBehind(VirtualCursor cursor, long nowMillis) {
    if (leftBehind == null) {
      leftBehind = cursor;
    } else {
      leftBehind.lowerTo(cursor);
    }
    leftBehindCount++;
    leftAtMillis = nowMillis;
    lastSeenWritten = false;
  }

  /** Takes what was stored of the name; see {@link CursorRegistry#restore}. */
  void restore(VirtualCursor cursor, int count, long lastSeenMillis) {
    int before = leftBehindCount;
    leaveBehind(cursor, Math.max(leftAtMillis, lastSeenMillis));
    // A name can be there twice, when a write arrived in part: the lower position holds.
    leftBehindCount = Math.max(before, count);
    writtenCount = leftBehindCount;
    storedNext = leftBehind.next();
  }

  /** A cursor for a consumer that returns: one of those left behind. */
  VirtualCursor takeLeftBehind() {
    VirtualCursor cursor = leftBehind;
    if (--leftBehindCount > 0) {
      // Nobody knows whose the others are; each starts at the lowest.
      return cursor.copy();
    }
    leftBehind = null;
    return cursor;
  }

  /** The end of the second, so that those who leave within one are written together. */
  private long leftAtSecond() {
    return (leftAtMillis + 999) / 1_000 * 1_000;
  }

  boolean isExpired(long nowMillis) {
    return leftBehind != null && nowMillis - leftAtMillis >= ttlSeconds * 1_000;
  }

  void dropLeftBehind() {
    leftBehind = null;
    leftBehindCount = 0;
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

  /** Takes a cursor for the lowest if it is. */
  void lowestOf(VirtualCursor cursor) {
    if (lowest == null || cursor.next() < lowest.next()) {
      lowest = cursor;
    }
  }

  /**
   * Writes what the store does not have.
   *
   * @return whether there was something
   */
  boolean collect(PositionsRecords records) {
    long next = lowest.next();
    int aheadVersion = lowest.aheadVersion();
    // Two consumers of one name do not share their holes: only a position that stands alone keeps
    // them.
    boolean alone = count() == 1;
    boolean changed =
        stored != lowest
            || storedNext != next
            || storedAheadVersion != aheadVersion
            || storedAlone != alone;
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
      stored = lowest;
      storedNext = next;
      storedAheadVersion = aheadVersion;
      storedAlone = alone;
    }
    return true;
  }

  /**
   * Writes that there are more positions than the store knows, of which {@link #lowest} is the
   * lowest that it does not know.
   */
  void collectNew(PositionsRecords records) {
    if (writtenCount == 0) {
      collect(records);
      return;
    }
    records.begin();
    collectName(records);
    // Those that it knows are where it has them, or further on: the next change says where.
    storedNext = Math.min(storedNext, lowest.next());
    records.position(number, storedNext);
    stored = null;
  }

  private void collectName(PositionsRecords records) {
    if (!nameWritten) {
      records.name(number, name, ttlSeconds);
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
