/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Iterator;
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

    /** Where the last that left is, when nobody is connected. */
    ReferenceCursor leftBehind;

    long leftAtMillis;

    /** What others left behind, the oldest first. */
    final List<Left> earlier = new ArrayList<>();

    /** Whether a position was added since the last write. */
    boolean isNew;

    int leftBehindCount() {
      return (leftBehind == null ? 0 : 1) + earlier.stream().mapToInt(left -> left.waiting).sum();
    }

    int count() {
      return connected.size() + leftBehindCount();
    }

    List<ReferenceCursor> allLeftBehind() {
      List<ReferenceCursor> all =
          new ArrayList<>(earlier.stream().map(left -> left.cursor).toList());
      if (leftBehind != null) {
        all.add(leftBehind);
      }
      return all;
    }

    List<ReferenceCursor> all() {
      List<ReferenceCursor> all = new ArrayList<>(connected);
      all.addAll(allLeftBehind());
      return all;
    }

    void addEarlier(ReferenceCursor cursor, long leftAt, int waiting, int mayWait) {
      Left newest = earlier.isEmpty() ? null : earlier.get(earlier.size() - 1);
      if (newest != null && leftAt - newest.sinceMillis <= ttlSeconds * 1_000 / 8) {
        newest.cursor.lowerTo(cursor);
        newest.leftAtMillis = Math.max(newest.leftAtMillis, leftAt);
        newest.waiting += waiting;
        newest.mayWait += mayWait;
      } else {
        earlier.add(new Left(cursor, leftAt, waiting, mayWait));
      }
    }

    /** One of those who wait returns; nobody knows which. */
    ReferenceCursor takeLeftBehind() {
      ReferenceCursor last = leftBehind;
      leftBehind = null;
      if (earlier.isEmpty()) {
        return last;
      }
      int waiting = (last == null ? 0 : 1) + earlier.stream().mapToInt(left -> left.waiting).sum();
      Left only = last == null && earlier.size() == 1 ? earlier.get(0) : null;
      if (only != null && only.waiting == 1 && only.mayWait == 0) {
        earlier.clear();
        return only.cursor;
      }
      ReferenceCursor taken = last == null ? earlier.get(0).cursor.copy() : last.copy();
      earlier.forEach(left -> taken.lowerTo(left.cursor));
      if (waiting == 1) {
        earlier.clear();
      } else if (last != null) {
        addEarlier(last, leftAtMillis, 0, 1);
      } else {
        for (int i = earlier.size() - 1; i >= 0; i--) {
          if (earlier.get(i).waiting > 0) {
            earlier.get(i).waiting--;
            earlier.get(i).mayWait++;
            break;
          }
        }
      }
      return taken;
    }
  }

  /** What consumers of one name left behind within a short time. */
  static final class Left {
    final ReferenceCursor cursor;
    final long sinceMillis;
    long leftAtMillis;
    int waiting;
    int mayWait;

    Left(ReferenceCursor cursor, long leftAtMillis, int waiting, int mayWait) {
      this.cursor = cursor;
      this.sinceMillis = leftAtMillis;
      this.leftAtMillis = leftAtMillis;
      this.waiting = waiting;
      this.mayWait = mayWait;
    }
  }

  ReferencePositions(ModelTopic topic, int floor) {
    this.topic = topic;
    this.floor = floor;
  }

  ReferenceCursor connect(String name, long ttlSeconds, int start, int sentEnd) {
    boolean durable = ttlSeconds >= 0;
    ReferenceCursor cursor = null;
    if (durable) {
      keptForDurable = true;
      Name named = names.computeIfAbsent(name, unused -> new Name());
      cursor = named.takeLeftBehind();
      if (cursor == null) {
        cursor = new ReferenceCursor(name, true, Math.max(floor, start), sentEnd);
        cursor.isNew = true;
        named.isNew = true;
      }
      named.connected.add(cursor);
      named.ttlSeconds =
          named.all().size() == 1 ? ttlSeconds : Math.max(ttlSeconds, named.ttlSeconds);
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
      if (named.connected.isEmpty()) {
        named.leftBehind = cursor;
        named.leftAtMillis = nowMillis;
      } else {
        named.addEarlier(cursor, nowMillis, 1, 0);
      }
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
   * Those that are dropped, each as often as it stands for one.
   *
   * @param moved takes those who may have left later as well, and go on from there
   */
  List<ReferenceCursor> expire(long nowMillis, List<ReferenceCursor> moved) {
    List<ReferenceCursor> expired = new ArrayList<>();
    for (Iterator<Name> all = names.values().iterator(); all.hasNext(); ) {
      Name named = all.next();
      while (!named.earlier.isEmpty()
          && nowMillis - named.earlier.get(0).leftAtMillis >= named.ttlSeconds * 1_000) {
        Left oldest = named.earlier.remove(0);
        for (Left newer : named.earlier) {
          int taken = Math.min(oldest.waiting, newer.mayWait);
          newer.waiting += taken;
          newer.mayWait -= taken;
          oldest.waiting -= taken;
          moved.addAll(Collections.nCopies(taken, oldest.cursor));
        }
        expired.addAll(Collections.nCopies(oldest.waiting, oldest.cursor));
      }
      if (named.leftBehind != null && nowMillis - named.leftAtMillis >= named.ttlSeconds * 1_000) {
        expired.add(named.leftBehind);
        named.leftBehind = null;
      }
      if (named.all().isEmpty()) {
        all.remove();
      }
    }
    return expired;
  }

  List<ReferenceCursor> leftBehind() {
    return names.values().stream().flatMap(named -> named.allLeftBehind().stream()).toList();
  }

  int leftBehindCount() {
    return names.values().stream().mapToInt(Name::leftBehindCount).sum();
  }

  /** How many positions a cursor stands for. */
  int countOf(ReferenceCursor cursor) {
    Name named = names.get(cursor.name);
    return named == null
        ? 1
        : named.earlier.stream()
            .filter(left -> left.cursor == cursor)
            .mapToInt(left -> left.waiting)
            .findAny()
            .orElse(1);
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
      if (cursors.size() == 1 && named.count() == 1) {
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
              // When each of several left is not looked at.
              !named.earlier.isEmpty()
                  ? StoredReference.UNKNOWN
                  : named.connected.isEmpty() ? endOfSecond(named.leftAtMillis) : 0,
              named.count(),
              named.count(),
              must,
              may,
              mayOfNew,
              named.isNew,
              false));
      named.isNew = false;
      named.connected.forEach(cursor -> cursor.isNew = false);
    }
    return stored;
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
          ReferenceCursor cursor = new ReferenceCursor(name, true, floor, topic.end());
          cursor.must.or(expected.must());
          cursor.may.or(expected.may());
          cursor.answered = !expected.optional();
          Name named = new Name();
          named.ttlSeconds = expected.ttlSeconds();
          long leftAt = expected.lastSeenMillis() > 0 ? expected.lastSeenMillis() : nowMillis;
          if (expected.least() == 1) {
            named.leftBehind = cursor;
            named.leftAtMillis = leftAt;
          } else {
            named.earlier.add(new Left(cursor, leftAt, expected.least(), 0));
          }
          positions.names.put(name, named);
          positions.keptForDurable = true;
        });
    return positions;
  }
}
