/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The naive reference of the model: who is registered under which name, and what each has
 * acknowledged, in plain lists, maps and sets. Not thread-safe.
 */
final class ReferencePositions {

  final ModelTopic topic;
  final List<ReferenceCursor> connected = new ArrayList<>();
  final TreeMap<String, Name> names = new TreeMap<>();

  /** The subscription's position as the registry said it last. */
  int floor;

  boolean keptForDurable;

  /** What is registered under one name. */
  static final class Name {
    long ttlSeconds;
    final List<ReferenceCursor> connected = new ArrayList<>();

    /** What is left behind, the oldest first. */
    final List<Left> left = new ArrayList<>();

    /** How many are away. */
    int waiting;

    /** Whether a position was added since the last write. */
    boolean isNew;

    int count() {
      return connected.size() + waiting;
    }

    List<ReferenceCursor> all() {
      List<ReferenceCursor> all = new ArrayList<>(connected);
      left.forEach(each -> all.add(each.cursor));
      return all;
    }

    void leave(ReferenceCursor cursor, long nowMillis) {
      waiting++;
      Left newest = left.isEmpty() ? null : left.get(left.size() - 1);
      if (newest != null && nowMillis - newest.firstMillis <= ttlSeconds * 1_000 / 8) {
        newest.cursor.lowerTo(cursor);
        newest.lastMillis = Math.max(newest.lastMillis, nowMillis);
        newest.leaves++;
      } else {
        left.add(new Left(cursor, nowMillis, nowMillis, 1));
      }
    }

    /** Nobody knows which one returns: it starts where the lowest is. */
    ReferenceCursor take() {
      ReferenceCursor lowest = lowest();
      ReferenceCursor taken = lowest;
      waiting--;
      if (waiting > 0 || !isOnesOwn()) {
        taken = lowest.copy();
        for (Left each : left) {
          taken.lowerTo(each.cursor);
        }
      }
      if (waiting == 0) {
        left.clear();
      }
      return taken;
    }

    /** Not one that a skip has moved beyond what was sent, when another is before it. */
    private ReferenceCursor lowest() {
      return left.stream()
          .map(each -> each.cursor)
          .min(Comparator.comparingInt(cursor -> cursor.must.nextClearBit(0)))
          .orElseThrow();
    }

    boolean isOnesOwn() {
      return left.size() == 1 && left.get(0).leaves == 1;
    }

    int leaves() {
      return left.stream().mapToInt(each -> each.leaves).sum();
    }

    /** Drops those whose time is over; what those miss for whom they stood. */
    List<Missed> expire(long nowMillis, int end) {
      List<Missed> missed = new ArrayList<>();
      while (!left.isEmpty() && nowMillis - left.get(0).lastMillis >= ttlSeconds * 1_000) {
        Left gone = left.remove(0);
        int here = Math.min(waiting, gone.leaves);
        int lost = Math.max(0, waiting - leaves());
        waiting -= lost;
        int lowest = left.stream().mapToInt(each -> each.cursor.lowest()).min().orElse(end);
        missed.addAll(Collections.nCopies(lost, new Missed(gone.cursor, end)));
        missed.addAll(Collections.nCopies(here - lost, new Missed(gone.cursor, lowest)));
        if (waiting == 0) {
          left.clear();
        }
      }
      return missed;
    }
  }

  /** Where consumers of one name left within an eighth of its time to live. */
  static final class Left {
    /** Stands for all of them: where the lowest is. */
    final ReferenceCursor cursor;

    final long firstMillis;
    long lastMillis;
    int leaves;

    Left(ReferenceCursor cursor, long firstMillis, long lastMillis, int leaves) {
      this.cursor = cursor;
      this.firstMillis = firstMillis;
      this.lastMillis = lastMillis;
      this.leaves = leaves;
    }
  }

  /** One that is not given what is before {@code end}. */
  record Missed(ReferenceCursor cursor, int end) {}

  ReferencePositions(ModelTopic topic, int floor) {
    this.topic = topic;
    this.floor = floor;
  }

  ReferenceCursor connect(String name, long ttlSeconds, int start, int sentEnd) {
    boolean durable = ttlSeconds >= 0;
    ReferenceCursor cursor = null;
    if (durable) {
      Name named = names.computeIfAbsent(name, unused -> new Name());
      if (named.waiting == 0) {
        cursor = new ReferenceCursor(name, true, Math.max(floor, start), sentEnd);
        cursor.isNew = true;
        named.isNew = true;
      } else {
        cursor = named.take();
      }
      named.connected.add(cursor);
      named.ttlSeconds = named.count() == 1 ? ttlSeconds : Math.max(ttlSeconds, named.ttlSeconds);
    } else {
      cursor = new ReferenceCursor(name, false, start, sentEnd);
    }
    connected.add(cursor);
    return cursor;
  }

  void disconnect(ReferenceCursor cursor, long nowMillis) {
    if (connected.remove(cursor) && cursor.durable) {
      Name named = names.get(cursor.name);
      named.connected.remove(cursor);
      named.leave(cursor, nowMillis);
    }
  }

  void forget(ReferenceCursor cursor) {
    if (connected.remove(cursor) && cursor.durable) {
      Name named = names.get(cursor.name);
      named.connected.remove(cursor);
      if (named.all().isEmpty()) {
        names.remove(cursor.name);
      }
    }
  }

  /**
   * What is left behind under a name is dropped.
   *
   * @return how many consumers were away
   */
  int dropLeft(String name) {
    Name named = names.get(name);
    int waiting = named.waiting;
    named.left.clear();
    named.waiting = 0;
    if (named.connected.isEmpty()) {
      names.remove(name);
    }
    return waiting;
  }

  /** What is missed because it is dropped. */
  List<Missed> expire(long nowMillis, int end) {
    List<Missed> missed = new ArrayList<>();
    names.values().forEach(named -> missed.addAll(named.expire(nowMillis, end)));
    names.values().removeIf(named -> named.count() == 0);
    return missed;
  }

  List<ReferenceCursor> leftBehind() {
    return names.values().stream()
        .flatMap(named -> named.left.stream())
        .map(left -> left.cursor)
        .toList();
  }

  int leftBehindCount() {
    return names.values().stream().mapToInt(named -> named.waiting).sum();
  }

  /** How many consumers a cursor stands for; of those who are away the oldest come first. */
  int countOf(ReferenceCursor cursor) {
    Name named = names.get(cursor.name);
    int rest = named == null ? 0 : named.waiting;
    for (Left left : named == null ? List.<Left>of() : named.left) {
      int here = Math.min(rest, left.leaves);
      if (left.cursor == cursor) {
        return here;
      }
      rest -= here;
    }
    return 1;
  }

  /** The cursors that hold the subscription. */
  List<ReferenceCursor> durable() {
    return names.values().stream().flatMap(named -> named.all().stream()).toList();
  }

  List<ReferenceCursor> all() {
    List<ReferenceCursor> all = new ArrayList<>(connected);
    all.addAll(leftBehind());
    return all;
  }

  /** What a write of this moment has to store; asked once for each. */
  StoredReference toStore() {
    StoredReference stored = new StoredReference();
    for (Map.Entry<String, Name> entry : names.entrySet()) {
      Name named = entry.getValue();
      List<ReferenceCursor> cursors = named.all();
      BitSet must = new BitSet();
      BitSet may = (BitSet) cursors.get(0).may.clone();
      BitSet mayOfNew = null;
      if (named.count() == 1
          && cursors.size() == 1
          && (named.left.isEmpty() || named.isOnesOwn())) {
        must.or(cursors.get(0).must);
      } else {
        // Of several positions of one name the lowest is stored, and no holes.
        must.set(
            0, cursors.stream().mapToInt(cursor -> cursor.must.nextClearBit(0)).min().getAsInt());
        cursors.forEach(cursor -> may.and(cursor.may));
      }
      for (ReferenceCursor cursor : named.connected) {
        if (cursor.isNew && !cursor.sought) {
          mayOfNew = mayOfNew == null ? (BitSet) cursor.may.clone() : mayOfNew;
          mayOfNew.and(cursor.may);
        }
      }
      stored.names.put(
          entry.getKey(),
          new StoredReference.Name(
              named,
              named.ttlSeconds,
              named.connected.isEmpty()
                  ? endOfSecond(named.left.get(named.left.size() - 1).lastMillis)
                  : StoredReference.CONNECTED,
              leftToStore(named),
              named.count(),
              named.count(),
              must,
              may,
              mayOf(named.connected),
              mayOf(named.left.stream().map(left -> left.cursor).toList()),
              mayOfNew,
              named.isNew,
              false));
      named.isNew = false;
      cursors.forEach(cursor -> cursor.isNew = false);
    }
    return stored;
  }

  /** What may count as acknowledged for all of some; null: there are none. */
  private static BitSet mayOf(List<ReferenceCursor> cursors) {
    BitSet may = null;
    for (ReferenceCursor cursor : cursors) {
      may = may == null ? (BitSet) cursor.may.clone() : may;
      may.and(cursor.may);
    }
    return may;
  }

  /** What has to be stored besides the lowest position of a name, and when it was seen last. */
  private static List<StoredReference.Left> leftToStore(Name named) {
    if (named.left.isEmpty() || (named.connected.isEmpty() && named.isOnesOwn())) {
      return List.of();
    }
    List<StoredReference.Left> left = new ArrayList<>();
    for (Left each : named.left) {
      left.add(
          StoredReference.Left.of(
              List.of(each.cursor), each.firstMillis, each.lastMillis, each.leaves));
    }
    if (!named.connected.isEmpty()) {
      left.add(
          StoredReference.Left.of(
              named.connected,
              StoredReference.CONNECTED,
              StoredReference.CONNECTED,
              named.connected.size()));
    }
    return left;
  }

  private static long endOfSecond(long millis) {
    return (millis + 999) / 1_000 * 1_000;
  }

  /** What is left after a restart, of what was stored. */
  static ReferencePositions restored(
      StoredReference stored, ModelTopic topic, int floor, long nowMillis) {
    ReferencePositions positions = new ReferencePositions(topic, floor);
    stored.names.forEach(
        (name, expected) -> {
          Name named = new Name();
          named.ttlSeconds = expected.ttlSeconds();
          named.waiting = expected.least();
          expected.positions().stream()
              .sorted(Comparator.comparingLong(left -> timeOf(left.lastMillis(), nowMillis)))
              .forEach(
                  left -> {
                    ReferenceCursor cursor = new ReferenceCursor(name, true, floor, topic.end());
                    cursor.must.or(left.must());
                    cursor.may.or(left.may());
                    cursor.answered = !expected.optional();
                    named.left.add(
                        new Left(
                            cursor,
                            timeOf(left.firstMillis(), nowMillis),
                            timeOf(left.lastMillis(), nowMillis),
                            left.leaves()));
                  });
          positions.names.put(name, named);
          positions.keptForDurable = true;
        });
    return positions;
  }

  private static long timeOf(long lastSeenMillis, long nowMillis) {
    return lastSeenMillis > 0 ? lastSeenMillis : nowMillis;
  }
}
