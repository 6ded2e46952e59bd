/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeft;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeftPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongFunction;
import org.roaringbitmap.RoaringBitmap;

/**
 * Positions on their way to the store, in records that are each small enough for one entry of the
 * log. Not thread-safe.
 */
final class PositionsRecords {

  /** BookKeeper takes entries of up to 5 MiB by default. */
  static final int MAX_RECORD_BYTES = 1 << 20;

  /** So much more may what one consumer has acknowledged ahead of its position take. */
  private static final int MAX_AHEAD_BYTES = 3 << 20;

  private final LongFunction<EntryId> entryBefore;
  private final int maxHoles;
  private final int maxRecordBytes;
  private final List<PositionsRecord> records = new ArrayList<>();
  private PositionsRecord current = new PositionsRecord();
  private long holesLeftOut;

  /** The last ordinal translated: nearly everybody stands at the same few. */
  private long lastNext = -1;

  private EntryId lastEntry;

  /**
   * @param entryBefore translates an ordinal to the entry before it
   * @param maxHoles how many entries, and how many batches, acknowledged ahead of its position are
   *     kept of one consumer
   * @param maxRecordBytes a record of more takes no further name
   */
  PositionsRecords(LongFunction<EntryId> entryBefore, int maxHoles, int maxRecordBytes) {
    this.entryBefore = entryBefore;
    this.maxHoles = maxHoles;
    this.maxRecordBytes = maxRecordBytes;
    records.add(current);
  }

  /** A name's data follows, in one record. */
  void begin() {
    if (current.approximateBytes() > maxRecordBytes) {
      current = new PositionsRecord();
      records.add(current);
    }
  }

  void removed(Iterable<Integer> numbers) {
    numbers.forEach(current.removed::add);
  }

  void name(int number, String name, long ttlSeconds) {
    current.putName(number, name, ttlSeconds);
  }

  /** How many positions there are under the name; 1 by itself. */
  void count(int number, int positions) {
    current.putCount(number, positions);
  }

  /** See {@link NamedPosition#arrivals}; 0 by itself. */
  void arrivals(int number, int times) {
    current.putArrivals(number, times);
  }

  /** When the last consumer of the name left; see {@link PositionsRecord#CONNECTED}. */
  void lastSeen(int number, long millis) {
    current.putLastSeen(number, millis);
  }

  void position(int number, long next) {
    if (next != lastNext) {
      lastNext = next;
      lastEntry = entryBefore.apply(next);
    }
    current.put(number, lastEntry);
  }

  /** How many of the name are away; after its position. */
  void waiting(int number, int consumers) {
    current.putLeft(number, consumers);
  }

  /** What some of them left behind. */
  void left(int number, LeftPosition left, long next) {
    current.putLeft(
        number,
        new StoredLeftPosition(
            entryBefore.apply(next), left.firstMillis(), left.lastMillis(), left.leaves()));
  }

  /** A position as it was read, with what is acknowledged after it and left beside it. */
  void stored(
      int number,
      EntryId position,
      Map<Long, RoaringBitmap> holes,
      Map<EntryId, long[]> parts,
      StoredLeft left) {
    current.put(number, position);
    holes.forEach(
        (ledger, entries) ->
            entries.forEach((int entry) -> current.putHole(number, new EntryId(ledger, entry))));
    parts.forEach((batch, remaining) -> current.putPart(number, batch, remaining));
    if (!left.equals(StoredLeft.NOTHING)) {
      current.putLeft(number, left.waiting());
      left.positions().forEach(each -> current.putLeft(number, each));
    }
  }

  /** What a cursor has acknowledged from {@code next} on; after its position. */
  void ahead(int number, long next, VirtualCursor cursor) {
    long more =
        cursor.visitAhead(
            maxHoles,
            new IndividualAcks.Visitor() {
              @Override
              public void entry(long ordinal) {
                if (ordinal >= next && hasRoom()) {
                  current.putHole(number, entryBefore.apply(ordinal + 1));
                }
              }

              @Override
              public void part(long ordinal, long[] remaining) {
                if (ordinal >= next && hasRoom()) {
                  current.putPart(number, entryBefore.apply(ordinal + 1), remaining);
                }
              }
            });
    holesLeftOut += more;
  }

  private boolean hasRoom() {
    boolean room = current.approximateBytes() < maxRecordBytes + MAX_AHEAD_BYTES;
    holesLeftOut += room ? 0 : 1;
    return room;
  }

  /**
   * How many acknowledgements ahead of positions there were too many of to keep: their messages
   * come again if the broker stops.
   */
  long holesLeftOut() {
    return holesLeftOut;
  }

  /** What changed: perhaps nothing. */
  List<PositionsRecord> changes() {
    return current.isEmpty() && records.size() == 1 ? List.of() : records;
  }

  /** Everything there is, which replaces all records before. */
  List<PositionsRecord> snapshot() {
    long snapshotId = ThreadLocalRandom.current().nextLong();
    int place = 0;
    for (PositionsRecord record : records) {
      record.placeInSnapshot = ++place;
      record.snapshotId = snapshotId;
    }
    records.get(0).firstOfSnapshot = true;
    current.lastOfSnapshot = true;
    return records;
  }
}
