/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import io.pulsarbroadcast.broker.cursor.LeftPositions.Expired;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import org.roaringbitmap.RoaringBitmap;

/**
 * The durable positions of one subscription by name: which of them wait for their consumer's
 * return, and what the store has of them. Guarded by its {@link CursorRegistry}.
 */
final class NamedPositions {

  private final Map<String, NamedPosition> byName = new HashMap<>();

  /** Of names that had several: those that were left behind before the last. */
  private final Map<String, LeftPositions> earlier = new HashMap<>();

  /**
   * By the numbers that stand for them in the store; null where no name has the number. Whoever
   * visits all names does so in this order: it is that of memory, by and large, and the one in
   * which a bitmap is cheaply made.
   */
  private final List<NamedPosition> byNumber = new ArrayList<>();

  private int leftBehindCount;

  /** The cursors that connected under names of which no write has had all positions yet. */
  private final List<VirtualCursor> newcomers = new ArrayList<>();

  /** Names in the write under way of which storage has not all positions yet. */
  private final List<NamedPosition> onTheirWay = new ArrayList<>();

  private final RoaringBitmap freeNumbers = new RoaringBitmap();
  private final RoaringBitmap removedNumbers = new RoaringBitmap();

  /** The same of names that have, or had, others: gone in the record that says where those are. */
  private final Map<String, RoaringBitmap> removedOfNames = new HashMap<>();

  /** The positions under a name, but for those left behind earlier; or null. */
  NamedPosition get(String name) {
    return byName.get(name);
  }

  /** A cursor is connected under its name; it may have been left behind there before. */
  void connected(VirtualCursor cursor, long ttlSeconds, boolean returned) {
    String name = cursor.name();
    NamedPosition named = byName.get(name);
    LeftPositions others = earlier.get(name);
    long before = longestTtl(named, others);
    boolean known = named != null;
    if (!known) {
      named = new NamedPosition(name, newNumber(), ttlSeconds);
      put(named);
      byName.put(name, named);
    }
    // What it comes back to may be under a number that no write has had.
    named.connect(returned && known);
    cursor.named = named;
    if (named.isNew()) {
      newcomers.add(cursor);
    }
    // Namesakes are told apart by nothing: none is to lose its position before its time.
    long longest = others == null && named.isAlone() ? ttlSeconds : Math.max(ttlSeconds, before);
    named.ttlSeconds(longest);
    if (others != null) {
      others.all().forEach(left -> left.ttlSeconds(longest));
    }
  }

  private static long longestTtl(NamedPosition named, LeftPositions others) {
    long longest = named == null ? 0 : named.ttlSeconds();
    if (others != null) {
      for (LeftPosition left : others.all()) {
        longest = Math.max(longest, left.ttlSeconds());
      }
    }
    return longest;
  }

  private int newNumber() {
    if (freeNumbers.isEmpty()) {
      byNumber.add(null);
      return byNumber.size() - 1;
    }
    int number = freeNumbers.first();
    freeNumbers.remove(number);
    return number;
  }

  private void put(NamedPosition named) {
    byNumber.set(named.number, named);
  }

  private void remove(NamedPosition named) {
    named.dropLeftBehind();
    byNumber.set(named.number, null);
    if (named instanceof LeftPosition || earlier.containsKey(named.name)) {
      removedOfNames.computeIfAbsent(named.name, unused -> new RoaringBitmap()).add(named.number);
    } else {
      removedNumbers.add(named.number);
    }
  }

  /** A connected cursor is no more. */
  void forget(VirtualCursor cursor) {
    cursor.named.disconnect();
    removeIfUnused(cursor.named);
  }

  private void removeIfUnused(NamedPosition named) {
    if (named.count() == 0) {
      byName.remove(named.name);
      remove(named);
    }
  }

  /** How many positions wait for their consumer's return. */
  int leftBehindCount() {
    return leftBehindCount;
  }

  /** A connected cursor is kept for its consumer's return. */
  void leaveBehind(VirtualCursor cursor, long nowMillis) {
    NamedPosition named = cursor.named;
    named.disconnect();
    leftBehindCount++;
    if (named.isConnected()) {
      addEarlier(cursor, named.ttlSeconds(), nowMillis, 1, 0);
    } else {
      named.leaveBehind(cursor, nowMillis);
    }
  }

  private void addEarlier(
      VirtualCursor cursor, long ttlSeconds, long leftAtMillis, int waiting, int mayWait) {
    String name = cursor.name();
    LeftPositions others = earlier.computeIfAbsent(name, unused -> new LeftPositions());
    LeftPosition current = others.current(leftAtMillis, ttlSeconds);
    if (current == null) {
      LeftPosition added =
          new LeftPosition(name, newNumber(), ttlSeconds, cursor, leftAtMillis, waiting, mayWait);
      put(added);
      others.add(added);
    } else {
      current.add(cursor, leftAtMillis, waiting, mayWait);
    }
  }

  /** See {@link CursorRegistry#restore}; {@link #restored} follows. */
  void restore(VirtualCursor cursor, long ttlSeconds, int count, long lastSeenMillis) {
    String name = cursor.name();
    NamedPosition known = byName.get(name);
    leftBehindCount += count;
    if (count == 1 && known == null && !earlier.containsKey(name)) {
      NamedPosition named = new NamedPosition(name, newNumber(), ttlSeconds);
      put(named);
      byName.put(name, named);
      named.leaveBehind(cursor, lastSeenMillis);
      return;
    }
    LeftPositions others = earlier.computeIfAbsent(name, unused -> new LeftPositions());
    if (known != null) {
      restoreEarlier(others, known.leftBehind(), known.ttlSeconds(), known.leftAtMillis(), 1);
      byName.remove(name);
      remove(known);
    }
    restoreEarlier(others, cursor, ttlSeconds, lastSeenMillis, count);
  }

  private void restoreEarlier(
      LeftPositions others, VirtualCursor cursor, long ttlSeconds, long leftAtMillis, int count) {
    LeftPosition added =
        new LeftPosition(cursor.name(), newNumber(), ttlSeconds, cursor, leftAtMillis, count, 0);
    put(added);
    others.add(added);
  }

  /** Everything is restored. */
  void restored() {
    for (Map.Entry<String, LeftPositions> name : List.copyOf(earlier.entrySet())) {
      LeftPositions others = name.getValue();
      int count = others.count();
      long longest = longestTtl(null, others);
      if (count == 0) {
        removeEarlier(name.getKey());
      } else if (others.all().size() > 1) {
        for (LeftPosition left : others.all()) {
          left.ttlSeconds(longest);
          left.mayWait(count);
        }
      }
    }
  }

  private void removeEarlier(String name) {
    earlier.remove(name).all().forEach(this::remove);
  }

  /** Gives a position that waits under a name to a consumer that returns; null: there is none. */
  VirtualCursor takeLeftBehind(String name) {
    NamedPosition named = byName.get(name);
    LeftPositions others = earlier.get(name);
    VirtualCursor last = named == null ? null : named.leftBehind();
    if (last == null && others == null) {
      return null;
    }
    leftBehindCount--;
    if (others == null) {
      named.dropLeftBehind();
      return last;
    }
    VirtualCursor taken = takenOf(last, others);
    if (others.count() + (last == null ? 0 : 1) == 1) {
      // It was the last of those who wait.
      removeEarlier(name);
    } else if (last == null) {
      others.returned();
    } else {
      addEarlier(last, named.ttlSeconds(), named.leftAtMillis(), 0, 1);
    }
    if (last != null) {
      named.dropLeftBehind();
    }
    return taken;
  }

  /** The lowest, without what is acknowledged after it where that may be another's. */
  private static VirtualCursor takenOf(VirtualCursor last, LeftPositions others) {
    if (last == null && others.all().size() == 1 && others.all().get(0).isAlone()) {
      return others.all().get(0).leftBehind();
    }
    VirtualCursor lowest = last;
    for (LeftPosition left : others.all()) {
      VirtualCursor cursor = left.leftBehind();
      lowest = lowest == null || cursor.next() < lowest.next() ? cursor : lowest;
    }
    VirtualCursor taken = lowest.copy();
    if (last != null) {
      taken.delivered(last.deliveredEnd());
    }
    others.all().forEach(left -> taken.delivered(left.leftBehind().deliveredEnd()));
    return taken;
  }

  /** See {@link CursorRegistry#expire}. */
  Skipped expire(long nowMillis, long end) {
    int expired = 0;
    long entries = 0;
    for (Map.Entry<String, LeftPositions> name : List.copyOf(earlier.entrySet())) {
      LeftPositions others = name.getValue();
      for (Expired next; (next = others.takeExpired(nowMillis)) != null; ) {
        LeftPosition gone = next.position();
        int newer = gone.leftBehindCount() - next.waiting();
        expired += gone.leftBehindCount();
        entries += next.waiting() * gone.leftBehind().unacknowledgedBefore(end);
        entries += newer == 0 ? 0 : newer * gone.leftBehind().unacknowledgedBefore(lowest(others));
        leftBehindCount -= next.waiting();
        remove(gone);
      }
      if (others.count() == 0) {
        removeEarlier(name.getKey());
      }
    }
    for (NamedPosition named : byNumber) {
      if (leftBehindCount == 0) {
        break;
      }
      if (named != null && named.isExpired(nowMillis)) {
        entries += named.leftBehind().unacknowledgedBefore(end);
        expired++;
        leftBehindCount--;
        named.dropLeftBehind();
        removeIfUnused(named);
      }
    }
    return new Skipped(expired, entries);
  }

  private static long lowest(LeftPositions others) {
    return others.all().stream().mapToLong(left -> left.leftBehind().next()).min().orElseThrow();
  }

  /** Shows the positions that wait, and how many each stands for. */
  void forEachLeftBehind(ObjIntConsumer<VirtualCursor> action) {
    if (leftBehindCount > 0) {
      for (NamedPosition named : byNumber) {
        if (named != null && named.leftBehind() != null) {
          action.accept(named.leftBehind(), named.leftBehindCount());
        }
      }
    }
  }

  /** Writes what changed since the last time, or everything. */
  void collect(ConnectedCursors connected, PositionsRecords records, boolean everything) {
    onTheirWay.clear();
    findLowest(connected);
    if (everything) {
      for (NamedPosition named : byNumber) {
        if (named != null) {
          named.forgetStored();
        }
      }
    }
    // Of one name all in one record: when another is missing, nobody is.
    for (String name : union(earlier.keySet(), removedOfNames.keySet())) {
      records.begin();
      RoaringBitmap removed = removedOfNames.get(name);
      if (removed != null && !everything) {
        records.removed(removed);
      }
      LeftPositions others = earlier.get(name);
      if (others != null) {
        others.all().forEach(left -> collect(left, records, true));
      }
      NamedPosition named = byName.get(name);
      if (named != null) {
        collect(named, records, true);
      }
    }
    for (NamedPosition named : byNumber) {
      if (named != null) {
        collect(named, records, false);
      }
    }
    if (!everything) {
      records.removed(removedNumbers);
    }
    newcomers.clear();
    removedOfNames.values().forEach(freeNumbers::or);
    removedOfNames.clear();
    freeNumbers.or(removedNumbers);
    removedNumbers.clear();
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    if (other.isEmpty()) {
      return one;
    }
    Set<String> union = new HashSet<>(one);
    union.addAll(other);
    return union;
  }

  /**
   * Writes the names of which no write has had all positions yet; takes no longer the more others
   * there are.
   */
  void collectNew(PositionsRecords records) {
    onTheirWay.clear();
    for (VirtualCursor cursor : newcomers) {
      NamedPosition named = byName.get(cursor.name());
      if (named != null) {
        named.lowest = named.leftBehind();
      }
    }
    for (VirtualCursor cursor : newcomers) {
      if (cursor.isConnected()) {
        cursor.named.lowestOf(cursor);
      }
    }
    for (VirtualCursor cursor : newcomers) {
      collectNew(cursor.name(), records);
    }
    // What is gone is left to the others: there may be more of its name that is not written yet.
    newcomers.clear();
  }

  private void collectNew(String name, PositionsRecords records) {
    records.begin();
    LeftPositions others = earlier.get(name);
    if (others != null) {
      // One may have been among those that the store knows, or have left before it was.
      for (LeftPosition left : others.all()) {
        left.lowest = left.leftBehind();
        collect(left, records, true);
      }
    }
    NamedPosition named = byName.get(name);
    if (named == null || !named.isNew()) {
      // It has been forgotten, or two came under one name.
      return;
    }
    if (named.lowest != null) {
      named.collectNew(records);
      onTheirWay.add(named);
    }
  }

  private void collect(NamedPosition named, PositionsRecords records, boolean together) {
    if (named.collect(records, together)) {
      onTheirWay.add(named);
    }
  }

  /** What was collected last is on storage. */
  void stored() {
    onTheirWay.forEach(NamedPosition::stored);
    onTheirWay.clear();
  }

  private void findLowest(ConnectedCursors connected) {
    for (NamedPosition named : byNumber) {
      if (named != null) {
        named.lowest = named.leftBehind();
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
