/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeft;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeftPosition;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.roaringbitmap.RoaringBitmap;

/**
 * What a positions log says of one name. Not thread-safe; {@link StoredPositions} changes it as it
 * reads on, but not a {@link #copy}.
 */
public final class StoredPosition {

  private static final Comparator<EntryId> BY_PLACE =
      Comparator.comparingLong(EntryId::ledgerId).thenComparingLong(EntryId::entryId);

  /** More than anybody can have come. */
  private static final int MAX_ARRIVALS = 1_000_000_000;

  final StoredName name;

  /** Where those are that are not left behind beside it; null: the log has not said so yet. */
  EntryId position;

  int count = 1;
  int arrivals;
  long lastSeenMillis = PositionsRecord.CONNECTED;
  Map<Long, RoaringBitmap> holes = Map.of();
  Map<EntryId, long[]> parts = Map.of();
  StoredLeft left = StoredLeft.NOTHING;

  StoredPosition(StoredName name) {
    this.name = name;
  }

  /** The same, whatever is read later. */
  public StoredPosition copy() {
    StoredPosition copy = new StoredPosition(name);
    copy.position = position;
    copy.count = count;
    copy.arrivals = arrivals;
    copy.lastSeenMillis = lastSeenMillis;
    copy.holes = holes;
    copy.parts = parts;
    copy.left = left;
    return copy;
  }

  public String name() {
    return name.name();
  }

  /** How often its consumers have come, to any topic of those that share it. */
  public int arrivals() {
    return arrivals;
  }

  /** Whether no consumer of the name was connected. */
  public boolean isAway() {
    return lastSeenMillis != PositionsRecord.CONNECTED;
  }

  /** How many positions are where {@link #position} is. */
  int here() {
    return count - left.waiting();
  }

  /** Whether its numbers make sense. */
  boolean canBe() {
    return count > 0
        && arrivals >= 0
        && arrivals <= MAX_ARRIVALS
        && left.waiting() >= 0
        && left.waiting() <= count
        && left.positions().stream().allMatch(each -> each.leaves() > 0);
  }

  /** Whether it counts for more than another one under the same name, or is lower. */
  public boolean holdsBefore(StoredPosition other) {
    return arrivals != other.arrivals
        ? arrivals > other.arrivals
        : BY_PLACE.compare(lowest(), other.lowest()) <= 0;
  }

  /** The furthest of the places. */
  public EntryId furthest() {
    return places().max(BY_PLACE).orElse(position);
  }

  private EntryId lowest() {
    return places().min(BY_PLACE).orElse(position);
  }

  /** All places where positions are. */
  Stream<EntryId> places() {
    return Stream.concat(
        here() > 0 ? Stream.of(position) : Stream.empty(),
        left.positions().stream().map(StoredLeftPosition::acknowledged));
  }

  /**
   * The positions, as left behind by consumers that may return.
   *
   * @param deliveredEnd see {@link VirtualCursor#deliveredEnd()}
   * @param limit none is after this ordinal
   */
  List<LeftPosition> left(
      CursorRegistry registry, LedgerIndex index, long deliveredEnd, long limit) {
    List<LeftPosition> all = new ArrayList<>();
    for (StoredLeftPosition each : left.positions()) {
      all.add(
          registry.left(
              name(),
              Math.min(limit, next(each.acknowledged(), index)),
              deliveredEnd,
              each.firstMillis(),
              each.lastMillis(),
              each.leaves()));
    }
    if (here() > 0) {
      long seen = registry.timeOf(lastSeenMillis);
      LeftPosition here =
          registry.left(
              name(), Math.min(limit, next(position, index)), deliveredEnd, seen, seen, here());
      acknowledgeAhead(here.cursor(), index);
      all.add(here);
    }
    return all;
  }

  private static long next(EntryId acknowledged, LedgerIndex index) {
    return index.ordinalAfter(acknowledged.ledgerId(), acknowledged.entryId());
  }

  private void acknowledgeAhead(VirtualCursor cursor, LedgerIndex index) {
    holes.forEach(
        (ledger, entries) ->
            entries.forEach(
                (int entry) -> {
                  long ordinal = index.ordinalOf(ledger, entry);
                  if (ordinal >= cursor.next()) {
                    cursor.ackIndividual(ordinal);
                  }
                }));
    parts.forEach(
        (batch, remaining) -> {
          long ordinal = index.ordinalOf(batch.ledgerId(), batch.entryId());
          if (ordinal >= cursor.next()) {
            // The cursor changes what it is given.
            cursor.ackPart(ordinal, remaining.clone());
          }
        });
  }
}
