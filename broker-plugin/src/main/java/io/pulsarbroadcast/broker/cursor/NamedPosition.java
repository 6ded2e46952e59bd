/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

/**
 * The durable positions under one name, and what the store has of them: of the connected consumers,
 * or of the last that left. Others that were left behind under the name are {@link LeftPosition}s.
 * Guarded by its {@link CursorRegistry}.
 */
class NamedPosition {

  final String name;

  /** What stands for the name in the store. */
  final int number;

  /** The longest that any of its consumers asked for. */
  private long ttlSeconds;

  /** How many connected consumers have the name. */
  private int connected;

  /** What waits for its consumer's return, or null. */
  private VirtualCursor leftBehind;

  /** When it was left behind. */
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
    return connected + leftBehindCount();
  }

  int leftBehindCount() {
    return leftBehind == null ? 0 : 1;
  }

  /** Whether it is one consumer's. */
  boolean isAlone() {
    return count() == 1;
  }

  boolean isConnected() {
    return connected > 0;
  }

  /** What was left behind, or null. */
  VirtualCursor leftBehind() {
    return leftBehind;
  }

  /**
   * A cursor is connected.
   *
   * @param returned whether it was left behind before
   */
  void connect(boolean returned) {
    lastSeenWritten &= connected > 0;
    connected++;
    if (!returned) {
      isNew = true;
      isAwaited = true;
    }
  }

  long ttlSeconds() {
    return ttlSeconds;
  }

  void ttlSeconds(long seconds) {
    if (seconds != ttlSeconds) {
      ttlSeconds = seconds;
      forgetStored();
    }
  }

  /** A connected cursor is no more, or is left behind. */
  void disconnect() {
    connected--;
    lastSeenWritten = false;
  }

  /** Keeps a cursor for its consumer's return; nobody is connected. */
  void leaveBehind(VirtualCursor cursor, long nowMillis) {
    cursor.named = this;
    leftBehind = cursor;
    leftAtMillis = nowMillis;
    lastSeenWritten = false;
  }

  /** When the last was left behind. */
  long leftAtMillis() {
    return leftAtMillis;
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
   * @param together whether it belongs into one record with what was written before
   * @return whether there was something
   */
  boolean collect(PositionsRecords records, boolean together) {
    long next = lowest.next();
    int aheadVersion = lowest.aheadVersion();
    // Two consumers of one name do not share their holes: only a position that stands alone keeps
    // them.
    boolean alone = isAlone();
    boolean changed =
        stored != lowest
            || storedNext != next
            || storedAheadVersion != aheadVersion
            || storedAlone != alone;
    if (nameWritten && !changed && lastSeenWritten && writtenCount == count() && !isNew) {
      return false;
    }
    if (!together) {
      records.begin();
    }
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
   * lowest that it does not know; into one record with what was written before.
   */
  void collectNew(PositionsRecords records) {
    if (writtenCount == 0) {
      collect(records, true);
      return;
    }
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
    if (nameWritten ? writtenCount != count() : count() != 1) {
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
