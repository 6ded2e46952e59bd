/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.roaringbitmap.RoaringBitmap;

/**
 * The durable positions of one subscription by name: which of them wait for their consumer's
 * return, and what the store has of them. Guarded by its {@link CursorRegistry}.
 */
final class NamedPositions {

  private final Map<String, NamedPosition> byName = new HashMap<>();

  /**
   * By the numbers that stand for them in the store; null where no name has the number. Whoever
   * visits all names does so in this order: it is that of memory, by and large, and the one in
   * which a bitmap is cheaply made.
   */
  private final List<NamedPosition> byNumber = new ArrayList<>();

  private int leftBehindCount;

  /** See {@link CursorRegistry#limitTimesToLive}. */
  private long longestTimeToLiveSeconds = Long.MAX_VALUE;

  private BiConsumer<String, Skipped> expiry = (name, entries) -> {};

  /** The cursors that connected under names of which no write has had all positions yet. */
  private final List<VirtualCursor> newcomers = new ArrayList<>();

  /** Names in the write under way of which storage has not all positions yet. */
  private final List<NamedPosition> onTheirWay = new ArrayList<>();

  private final RoaringBitmap freeNumbers = new RoaringBitmap();
  private final RoaringBitmap removedNumbers = new RoaringBitmap();

  /** The positions under a name, or null. */
  NamedPosition get(String name) {
    return byName.get(name);
  }

  NamedPosition add(String name, long ttlSeconds) {
    int number = byNumber.size();
    if (freeNumbers.isEmpty()) {
      byNumber.add(null);
    } else {
      number = freeNumbers.first();
      freeNumbers.remove(number);
    }
    NamedPosition named = new NamedPosition(name, number, ttlSeconds);
    byNumber.set(number, named);
    byName.put(name, named);
    return named;
  }

  /** A cursor is connected under a name; it may have been left behind there before. */
  void connected(NamedPosition named, VirtualCursor cursor, long ttlSeconds, boolean returned) {
    named.connect(ttlSeconds, returned);
    cursor.named = named;
    if (named.isNew()) {
      newcomers.add(cursor);
    }
  }

  /** Forgets the position of a connected cursor. */
  void drop(VirtualCursor cursor) {
    cursor.named.disconnect();
    removeIfUnused(cursor.named);
  }

  /** Forgets a name that no position has any more. */
  private void removeIfUnused(NamedPosition named) {
    if (named.count() == 0) {
      byName.remove(named.name);
      byNumber.set(named.number, null);
      removedNumbers.add(named.number);
    }
  }

  /** Whether there is no position, neither of a connected consumer nor left behind. */
  boolean isEmpty() {
    return byName.isEmpty();
  }

  /** How many positions wait for their consumer's return. */
  int leftBehindCount() {
    return leftBehindCount;
  }

  /** See {@link CursorRegistry#limitTimesToLive}. */
  void limitTimesToLive(long seconds) {
    longestTimeToLiveSeconds = seconds;
  }

  /** How long the positions of a name outlive their connections now. */
  long ttlSeconds(NamedPosition named) {
    return Math.min(named.ttlSeconds(), longestTimeToLiveSeconds);
  }

  /** Keeps the position of a connected cursor for its consumer's return. */
  void leaveBehind(VirtualCursor cursor, long nowMillis) {
    cursor.named.disconnect();
    cursor.named.leaveBehind(cursor, nowMillis, ttlSeconds(cursor.named));
    leftBehindCount++;
  }

  /** See {@link CursorRegistry#restore}. */
  void restore(NamedPosition named, List<LeftPosition> stored, int count, int arrivals) {
    stored.forEach(position -> position.cursor().named = named);
    leftBehindCount -= named.leftBehindCount();
    named.restore(stored, count, arrivals);
    leftBehindCount += named.leftBehindCount();
  }

  /** Gives a position that waits to a consumer that returns; null: nobody is away. */
  VirtualCursor takeLeftBehind(NamedPosition named) {
    VirtualCursor cursor = named.takeLeftBehind();
    leftBehindCount -= cursor == null ? 0 : 1;
    return cursor;
  }

  /**
   * What waits under those names that {@code which} accepts.
   *
   * @param name the only name to look at; null: all
   */
  List<Waiting> waiting(String name, Predicate<Waiting> which, long end) {
    return (name == null ? byNumber.stream() : Stream.ofNullable(byName.get(name)))
        .filter(Objects::nonNull)
        .flatMap(
            named ->
                named
                    .left()
                    .map(left -> left.waitingUnder(named.name, named.arrivals(), end))
                    .stream())
        .filter(which)
        .toList();
  }

  /** Takes away what waits under a name. */
  LeftPositions takeAllLeft(NamedPosition named) {
    LeftPositions taken = named.takeAllLeft();
    leftBehindCount -= taken.waiting();
    removeIfUnused(named);
    return taken;
  }

  /**
   * Has positions wait under a name that are not certain to be stored: undoes {@link #takeAllLeft},
   * for those who have not returned meanwhile, or takes what waits in another topic.
   */
  void putBack(NamedPosition named, LeftPositions taken, long ttlSeconds) {
    taken.forEach((cursor, count) -> cursor.named = named);
    leftBehindCount += taken.waiting();
    named.putBack(taken, ttlSeconds);
  }

  /** Shows those that wait, and when they were left. */
  void list(Consumer<ListedCursor> action) {
    for (NamedPosition named : byNumber) {
      if (named != null) {
        named.left().ifPresent(left -> left.list(ttlSeconds(named), action));
      }
    }
  }

  /** See {@link CursorRegistry#whenExpired}. */
  void whenExpired(BiConsumer<String, Skipped> told) {
    expiry = told;
  }

  /** See {@link CursorRegistry#expire}. */
  Skipped expire(long nowMillis, long end) {
    int expired = 0;
    long entries = 0;
    for (NamedPosition named : byNumber) {
      if (leftBehindCount == 0) {
        break;
      }
      while (named != null && named.isExpired(nowMillis, ttlSeconds(named))) {
        int before = named.leftBehindCount();
        Skipped missed = named.dropOldest(end);
        expired += missed.positions();
        entries += missed.entries();
        if (missed.entries() > 0) {
          expiry.accept(named.name, missed);
        }
        leftBehindCount -= before - named.leftBehindCount();
        removeIfUnused(named);
      }
    }
    return new Skipped(expired, entries);
  }

  /** Shows the positions that wait, and how many consumers each stands for. */
  void forEachLeftBehind(ObjIntConsumer<VirtualCursor> action) {
    if (leftBehindCount > 0) {
      for (NamedPosition named : byNumber) {
        if (named != null) {
          named.forEachLeftBehind(action);
        }
      }
    }
  }

  /** Shows the positions that wait to a scan. */
  void scan(AbsentPositions.Scan scan) {
    for (NamedPosition named : byNumber) {
      if (named != null) {
        long ttlMillis = TimeUnit.SECONDS.toMillis(ttlSeconds(named));
        named
            .left()
            .ifPresent(left -> left.forEachLeft((at, count) -> scan.absent(at, count, ttlMillis)));
      }
    }
  }

  /** Writes what changed since the last time, or everything. */
  void collect(ConnectedCursors connected, PositionsRecords records, boolean everything) {
    onTheirWay.clear();
    if (!everything) {
      records.removed(removedNumbers);
    }
    findLowest(connected);
    for (NamedPosition named : byNumber) {
      if (named != null) {
        if (everything) {
          named.forgetStored();
        }
        collect(named, records);
      }
    }
    collected();
  }

  /**
   * Writes the names of which no write has had all positions yet; takes no longer the more others
   * there are.
   */
  void collectNew(PositionsRecords records) {
    onTheirWay.clear();
    records.removed(removedNumbers);
    newcomers.forEach(cursor -> cursor.named.lowestConnected = null);
    for (VirtualCursor cursor : newcomers) {
      if (cursor.isConnected()) {
        cursor.named.lowestOf(cursor);
      }
    }
    for (VirtualCursor cursor : newcomers) {
      // Not twice, where two came under one name; nor when it has been forgotten already.
      if (cursor.named.isNew() && cursor.named.isCollectable()) {
        cursor.named.collectNew(records);
        onTheirWay.add(cursor.named);
      }
    }
    collected();
  }

  private void collect(NamedPosition named, PositionsRecords records) {
    if (named.collect(records)) {
      onTheirWay.add(named);
    }
  }

  private void collected() {
    newcomers.clear();
    freeNumbers.or(removedNumbers);
    removedNumbers.clear();
  }

  /** What was collected last is on storage. */
  void stored() {
    onTheirWay.forEach(NamedPosition::stored);
    onTheirWay.clear();
  }

  private void findLowest(ConnectedCursors connected) {
    for (NamedPosition named : byNumber) {
      if (named != null) {
        named.lowestConnected = null;
      }
    }
    for (int i = 0; i < connected.count(); i++) {
      VirtualCursor cursor = connected.get(i);
      if (cursor.isDurable()) {
        cursor.named.lowestOf(cursor);
      }
    }
  }
}
