/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/**
 * The positions under one name that wait for their consumers' return; at least one. Guarded by its
 * {@link CursorRegistry}.
 *
 * <p>A consumer that returns does not say which of them is its own. So it starts at the lowest, and
 * none is taken away by that: each goes when the time to live is over since it was left, whoever
 * came and went meanwhile, and all of them go when nobody is away any more. Who returns in time
 * therefore finds its own position or a lower one, and who stays away for good holds nothing for
 * longer than its time to live.
 *
 * <p>How many are away is known: each that leaves is one more, each that returns one less. Nor are
 * there more of them than have left since the oldest position that is kept.
 *
 * <p>What is left within an eighth of the time to live is one position, so that there are no more
 * than about nine, however often consumers of the name come and go.
 */
final class LeftPositions {

  private static final int SPANS_PER_TIME_TO_LIVE = 8;

  /** From the oldest to the newest. */
  private final List<LeftPosition> positions = new ArrayList<>(1);

  /** How many consumers are away. */
  private int waiting;

  /** A consumer left. */
  void add(VirtualCursor cursor, long nowMillis, long ttlSeconds) {
    waiting++;
    long span = TimeUnit.SECONDS.toMillis(ttlSeconds) / SPANS_PER_TIME_TO_LIVE;
    if (!positions.isEmpty() && nowMillis - newest().firstMillis() <= span) {
      newest().add(cursor, nowMillis);
    } else {
      positions.add(new LeftPosition(cursor, nowMillis, nowMillis, 1));
    }
  }

  /**
   * Adds what is stored. A name can be there twice, when a write arrived in part: then nobody knows
   * which of the two is true, and the lowest position and the larger number hold.
   */
  void restore(List<LeftPosition> stored, int storedWaiting) {
    positions.addAll(stored);
    positions.sort(Comparator.comparingLong(LeftPosition::lastMillis));
    waiting = Math.max(waiting, storedWaiting);
  }

  /** Adds those that others of the name left. */
  void addAll(LeftPositions others) {
    positions.addAll(others.positions);
    positions.sort(Comparator.comparingLong(LeftPosition::lastMillis));
    waiting += others.waiting;
  }

  /** How many consumers may return. */
  int waiting() {
    return waiting;
  }

  /** Whether it is the position of one consumer and of nobody else. */
  boolean isOnesOwn() {
    return positions.size() == 1 && positions.get(0).leaves() == 1;
  }

  /** Gives a position to a consumer that returns. */
  VirtualCursor take() {
    waiting--;
    if (waiting == 0 && isOnesOwn()) {
      return lowest();
    }
    // What is acknowledged after the position may be another's.
    VirtualCursor taken = lowest().copy();
    positions.forEach(position -> taken.delivered(position.cursor().deliveredEnd()));
    return taken;
  }

  VirtualCursor lowest() {
    VirtualCursor lowest = positions.get(0).cursor();
    for (LeftPosition position : positions) {
      lowest = position.cursor().next() < lowest.next() ? position.cursor() : lowest;
    }
    return lowest;
  }

  /** When the last consumer left. */
  long lastMillis() {
    return newest().lastMillis();
  }

  private LeftPosition newest() {
    return positions.get(positions.size() - 1);
  }

  boolean contains(VirtualCursor cursor) {
    for (LeftPosition position : positions) {
      if (position.cursor() == cursor) {
        return true;
      }
    }
    return false;
  }

  /** Shows each position and how many of those who are away it stands for, the oldest first. */
  void forEach(ObjIntConsumer<VirtualCursor> action) {
    forEachLeft((position, count) -> action.accept(position.cursor(), count));
  }

  void forEachLeft(ObjIntConsumer<LeftPosition> action) {
    int rest = waiting;
    for (LeftPosition position : positions) {
      int here = Math.min(rest, position.leaves());
      rest -= here;
      action.accept(position, here);
    }
  }

  /** Shows each position, when it was left, and how many consumers it stands for. */
  void list(long ttlSeconds, Consumer<ListedCursor> action) {
    forEachLeft(
        (position, count) ->
            action.accept(
                new ListedCursor(
                    position.cursor(), count, false, position.lastMillis(), ttlSeconds)));
  }

  /**
   * All of them.
   *
   * @param arrivals see {@link NamedPosition#arrivals}
   * @param end the ordinal after the topic's last entry
   */
  Waiting waitingUnder(String name, int arrivals, long end) {
    long[] entries = {0};
    forEach((cursor, count) -> entries[0] += count * cursor.unacknowledgedBefore(end));
    return new Waiting(
        name, arrivals, lastMillis(), lowest().next(), new Skipped(waiting, entries[0]));
  }

  /** Whether the time of a position is over. */
  boolean isExpired(long nowMillis, long ttlSeconds) {
    return !positions.isEmpty()
        && nowMillis - positions.get(0).lastMillis() >= TimeUnit.SECONDS.toMillis(ttlSeconds);
  }

  /**
   * Drops the oldest position.
   *
   * @param end the ordinal after the topic's last entry
   * @return what those miss for whom it stood: those who have left since find a newer one
   */
  Skipped dropOldest(long end) {
    LeftPosition gone = positions.remove(0);
    int here = Math.min(waiting, gone.leaves());
    long leftSince = positions.stream().mapToLong(LeftPosition::leaves).sum();
    int lost = (int) Math.max(0, waiting - leftSince);
    waiting -= lost;
    long entries = lost * gone.cursor().unacknowledgedBefore(end);
    if (here > lost) {
      entries += (here - lost) * gone.cursor().unacknowledgedBefore(lowest().next());
    }
    return new Skipped(here, entries);
  }

  /** The lowest place where the store has one of them. */
  long lowestWritten() {
    long lowest = Long.MAX_VALUE;
    for (LeftPosition position : positions) {
      lowest = Math.min(lowest, position.writtenNext());
    }
    return lowest;
  }

  /** Whether one of them has moved since they were written. */
  boolean isToBeWritten() {
    for (LeftPosition position : positions) {
      if (position.isToBeWritten()) {
        return true;
      }
    }
    return false;
  }

  void collect(PositionsRecords records, int number) {
    records.waiting(number, waiting);
    positions.forEach(position -> position.collect(records, number));
  }
}
