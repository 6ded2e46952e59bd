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

  boolean nameStored;

  private VirtualCursor stored;
  private long storedNext;
  private int storedAheadVersion;

  NamedPosition(String name, int number, long ttlSeconds) {
    this.name = name;
    this.number = number;
    this.ttlSeconds = ttlSeconds;
  }

  /** The store is to be told everything again. */
  void forgetStored() {
    nameStored = false;
    stored = null;
  }

  /** Writes what the store does not have. */
  void collect(PositionsRecords records) {
    long next = lowest.next();
    int aheadVersion = lowest.aheadVersion();
    boolean changed = stored != lowest || storedNext != next || storedAheadVersion != aheadVersion;
    if (nameStored && !changed) {
      return;
    }
    records.begin();
    if (!nameStored) {
      records.name(number, name, ttlSeconds);
      nameStored = true;
    }
    if (changed) {
      records.position(number, next);
      // Two consumers of one name do not share their holes: only a position that stands alone keeps
      // them.
      if (connected + (leftBehind == null ? 0 : 1) == 1) {
        records.ahead(number, next, lowest);
      }
      stored = lowest;
      storedNext = next;
      storedAheadVersion = aheadVersion;
    }
  }
}
