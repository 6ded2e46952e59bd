/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredName;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.roaringbitmap.RoaringBitmap;

/**
 * What the positions log of a subscription adds up to: read record by record when the subscription
 * is loaded. Not thread-safe.
 */
public final class StoredPositions {

  private Map<Integer, Stored> current = new HashMap<>();

  /**
   * A snapshot whose last record has not come yet; one that lacks a record, because a crash cut it
   * short or storage refused one of them, counts for nothing.
   */
  private Map<Integer, Stored> snapshot;

  private int snapshotRecords;
  private long snapshotId;

  private static final class Stored {
    private final StoredName name;
    private EntryId position;
    private Map<Long, RoaringBitmap> holes = Map.of();
    private Map<EntryId, long[]> parts = Map.of();

    Stored(StoredName name) {
      this.name = name;
    }
  }

  /**
   * Takes the next record.
   *
   * @throws IOException when it cannot be read; what was read before stays
   */
  public void apply(byte[] bytes) throws IOException {
    PositionsRecord record = PositionsRecord.decode(bytes);
    if (record.firstOfSnapshot) {
      snapshot = new HashMap<>();
      snapshotRecords = 0;
      snapshotId = record.snapshotId;
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

  private static void apply(PositionsRecord record, Map<Integer, Stored> to) {
    record.removed.forEach((int number) -> to.remove(number));
    record.names.forEach((number, name) -> to.put(number, new Stored(name)));
    record.positions.forEach(
        (position, numbers) ->
            numbers.forEach(
                (int number) -> {
                  Stored stored = to.get(number);
                  if (stored != null) {
                    stored.position = position;
                    stored.holes = record.holes.getOrDefault(number, Map.of());
                    stored.parts = record.parts.getOrDefault(number, Map.of());
                  }
                }));
  }

  public int size() {
    return current.size();
  }

  /**
   * Gives the registry every position, as left behind by a consumer that may return.
   *
   * @param deliveredEnd the end of what may have been sent before
   */
  public void restore(CursorRegistry registry, LedgerIndex index, long deliveredEnd) {
    for (Stored stored : current.values()) {
      if (stored.position != null) {
        long next = index.ordinalAfter(stored.position.ledgerId(), stored.position.entryId());
        VirtualCursor cursor =
            registry.restore(stored.name.name(), stored.name.ttlSeconds(), next, deliveredEnd);
        restoreAhead(stored, cursor, index);
      }
    }
  }

  private static void restoreAhead(Stored stored, VirtualCursor cursor, LedgerIndex index) {
    stored.holes.forEach(
        (ledger, entries) ->
            entries.forEach((int entry) -> acknowledge(cursor, index.ordinalOf(ledger, entry))));
    stored.parts.forEach(
        (batch, remaining) -> {
          long ordinal = index.ordinalOf(batch.ledgerId(), batch.entryId());
          if (ordinal >= cursor.next()) {
            cursor.ackPart(ordinal, remaining);
          }
        });
  }

  private static void acknowledge(VirtualCursor cursor, long ordinal) {
    if (ordinal >= cursor.next()) {
      cursor.ackIndividual(ordinal);
    }
  }
}
