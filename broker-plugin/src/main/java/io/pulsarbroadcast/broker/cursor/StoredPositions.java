/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeft;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeftPosition;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.roaringbitmap.RoaringBitmap;

/**
 * What the positions log of a subscription adds up to: read record by record when the subscription
 * is loaded. Not thread-safe.
 */
public final class StoredPositions {

  private Map<Integer, StoredPosition> current = new HashMap<>();

  /**
   * A snapshot whose last record has not come yet; one that lacks a record, because a crash cut it
   * short or storage refused one of them, counts for nothing.
   */
  private Map<Integer, StoredPosition> snapshot;

  private boolean retired;
  private boolean anyRecord;
  private int snapshotRecords;
  private long snapshotId;

  /**
   * Takes the next record.
   *
   * @throws IOException when it cannot be read; what was read before stays
   */
  public void apply(byte[] bytes) throws IOException {
    PositionsRecord record = PositionsRecord.decode(bytes);
    anyRecord = true;
    if (record.retired) {
      retired = true;
      current = new HashMap<>();
      snapshot = null;
      return;
    }
    if (record.firstOfSnapshot) {
      snapshot = new HashMap<>();
      snapshotRecords = 0;
      snapshotId = record.snapshotId;
    }
    if (isThereAgain(record)) {
      return;
    }
    if (snapshot != null && record.placeInSnapshot >= 0) {
      snapshotRecords++;
      boolean follows =
          record.placeInSnapshot == snapshotRecords && record.snapshotId == snapshotId;
      snapshot = follows ? snapshot : null;
    }
    if (snapshot == null && record.placeInSnapshot > 0) {
      return;
    }
    apply(record, snapshot != null ? snapshot : current);
    if (record.lastOfSnapshot && snapshot != null) {
      current = snapshot;
      snapshot = null;
    }
  }

  /** A write that was answered late may be there twice. The first one begins anew. */
  private boolean isThereAgain(PositionsRecord record) {
    return snapshot != null
        && record.placeInSnapshot > 0
        && record.placeInSnapshot <= snapshotRecords
        && record.snapshotId == snapshotId;
  }

  private static void apply(PositionsRecord record, Map<Integer, StoredPosition> to) {
    record.removed.forEach((int number) -> to.remove(number));
    record.names.forEach((number, name) -> to.put(number, new StoredPosition(name)));
    record.positions.forEach(
        (position, numbers) ->
            numbers.forEach(
                (int number) -> {
                  StoredPosition stored = to.get(number);
                  if (stored != null) {
                    stored.position = position;
                    stored.holes = record.holes.getOrDefault(number, Map.of());
                    stored.parts = record.parts.getOrDefault(number, Map.of());
                    stored.left = record.left.getOrDefault(number, StoredLeft.NOTHING);
                  }
                }));
    record.counts.forEach((count, numbers) -> forEach(numbers, to, stored -> stored.count = count));
    record.arrivals.forEach(
        (times, numbers) -> forEach(numbers, to, stored -> stored.arrivals = times));
    record.lastSeenMillis.forEach(
        (time, numbers) -> forEach(numbers, to, stored -> stored.lastSeenMillis = time));
  }

  private static void forEach(
      RoaringBitmap numbers, Map<Integer, StoredPosition> to, Consumer<StoredPosition> action) {
    numbers.forEach(
        (int number) -> {
          StoredPosition stored = to.get(number);
          if (stored != null) {
            action.accept(stored);
          }
        });
  }

  /**
   * Checks what was read, after the last record.
   *
   * @throws IOException when it makes no sense: a name that has no place, a place, or a number of
   *     positions that cannot be
   */
  public void check() throws IOException {
    long positions = 0;
    for (StoredPosition stored : current.values()) {
      if (stored.position == null) {
        continue;
      }
      if (stored.places().findAny().isEmpty()) {
        throw new IOException(
            "damaged positions: none of %d of %s is anywhere"
                .formatted(stored.count, stored.name()));
      }
      checkPlaces(stored);
      positions += stored.count;
      if (!stored.canBe() || positions > Integer.MAX_VALUE) {
        throw new IOException(
            "damaged positions: %d of %s, of which %d are away, of %d in all"
                .formatted(stored.count, stored.name(), stored.left.waiting(), positions));
      }
    }
  }

  /** Entry -1 is the place before the first of a ledger. */
  private static void checkPlaces(StoredPosition stored) throws IOException {
    for (EntryId place : stored.places().toList()) {
      if (place.entryId() < -1) {
        throw new IOException(
            "damaged positions: one of %s is at %d:%d"
                .formatted(stored.name(), place.ledgerId(), place.entryId()));
      }
    }
  }

  public int size() {
    return current.size();
  }

  /** Whether there was not even an empty snapshot, which every log begins with. */
  public boolean isNothing() {
    return !anyRecord;
  }

  /**
   * Whether the log was given up for another one; what it says was written afterwards, by a former
   * version of the plugin.
   */
  public boolean isRetired() {
    return retired;
  }

  /**
   * The last record of a log that is given up for another one; former versions refuse to read it.
   */
  public static byte[] retirement() {
    PositionsRecord record = new PositionsRecord();
    record.retired = true;
    return record.encode();
  }

  /** What there is by name. Not to be used any more when the next record has been taken. */
  public Map<String, StoredPosition> byName() {
    Map<String, StoredPosition> byName = new HashMap<>();
    for (StoredPosition stored : current.values()) {
      if (stored.position != null) {
        byName.merge(stored.name(), stored, (one, other) -> one.holdsBefore(other) ? one : other);
      }
    }
    return byName;
  }

  /** The ledgers that positions are in. */
  public Set<Long> ledgerIds() {
    return current.values().stream()
        .filter(stored -> stored.position != null)
        .flatMap(StoredPosition::places)
        .map(EntryId::ledgerId)
        .collect(Collectors.toSet());
  }

  /** Takes the positions of names that {@code later} has in place of its own. */
  public void update(StoredPositions later) {
    Map<String, StoredPosition> byName = new LinkedHashMap<>();
    current.values().forEach(stored -> byName.put(stored.name(), stored));
    later.current.values().forEach(stored -> byName.put(stored.name(), stored));
    current = new HashMap<>();
    byName.values().forEach(stored -> current.put(current.size(), stored));
  }

  /** All of it, as the records that another log begins with. */
  public List<byte[]> snapshot() {
    PositionsRecords records =
        new PositionsRecords(next -> null, 0, PositionsRecords.MAX_RECORD_BYTES);
    current.forEach(
        (number, stored) -> {
          if (stored.position != null) {
            records.begin();
            records.name(number, stored.name(), stored.name.ttlSeconds());
            records.count(number, stored.count);
            if (stored.arrivals > 0) {
              records.arrivals(number, stored.arrivals);
            }
            records.lastSeen(number, stored.lastSeenMillis);
            records.stored(number, stored.position, stored.holes, stored.parts, stored.left);
          }
        });
    return records.snapshot().stream().map(PositionsRecord::encode).toList();
  }

  /**
   * Gives the registry every position, as left behind by a consumer that may return.
   *
   * @param deliveredEnd the end of what may have been sent before
   * @return what is before the subscription's own position and not acknowledged: nobody gets it;
   *     after a crash of the broker it was acknowledged all the same
   */
  public Skipped restore(CursorRegistry registry, LedgerIndex index, long deliveredEnd) {
    for (StoredPosition stored : current.values()) {
      if (stored.position != null) {
        registry.restore(
            stored.name(),
            stored.name.ttlSeconds(),
            stored.left(registry, index, deliveredEnd, Long.MAX_VALUE),
            stored.count,
            stored.arrivals);
      }
    }
    return registry.raiseToFloor();
  }

  /** How many positions are in ledgers that are not stored any more. */
  public int countTrimmed(LedgerIndex index) {
    int trimmed = 0;
    for (StoredPosition stored : current.values()) {
      if (stored.position != null && index.isTrimmed(stored.position.ledgerId())) {
        trimmed += stored.here();
      }
      int rest = stored.left.waiting();
      for (StoredLeftPosition left : stored.left.positions()) {
        int there = Math.min(rest, left.leaves());
        rest -= there;
        trimmed += index.isTrimmed(left.acknowledged().ledgerId()) ? there : 0;
      }
    }
    return trimmed;
  }
}
