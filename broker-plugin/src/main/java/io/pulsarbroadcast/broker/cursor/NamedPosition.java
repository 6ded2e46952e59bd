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

  long ttlSeconds;

  /** How many connected consumers have the name. */
  int connected;

  /** The position that waits for its consumer's return, or null. */
  VirtualCursor leftBehind;

  long leftAtNanos;

  /** The lowest of its cursors; valid only while positions are being collected. */
  VirtualCursor lowest;

  /** Whether no write has had the name yet. */
  boolean isNew = true;

  /** Whether the name is on storage. */
  boolean nameStored;

  /** Whether the name is on storage or on its way there. */
  private boolean nameWritten;

  private VirtualCursor stored;
  private long storedNext;
  private int storedAheadVersion;
  private boolean storedAlone;

  NamedPosition(String name, int number, long ttlSeconds) {
    this.name = name;
    this.number = number;
    this.ttlSeconds = ttlSeconds;
  }

  /** Takes the time to live of the consumer that connects. */
  void timeToLive(long seconds) {
    if (seconds != ttlSeconds) {
      ttlSeconds = seconds;
      forgetStored();
    }
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

  /** Writes what the store does not have. */
  void collect(PositionsRecords records) {
    isNew = false;
    long next = lowest.next();
    int aheadVersion = lowest.aheadVersion();
    // Two consumers of one name do not share their holes: only a position that stands alone keeps
    // them.
    boolean alone = connected + (leftBehind == null ? 0 : 1) == 1;
    boolean changed =
        stored != lowest
            || storedNext != next
            || storedAheadVersion != aheadVersion
            || storedAlone != alone;
    if (nameWritten && !changed) {
      return;
    }
    records.begin();
    if (!nameWritten) {
      records.name(number, name, ttlSeconds);
      nameWritten = true;
    }
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
  }
}
