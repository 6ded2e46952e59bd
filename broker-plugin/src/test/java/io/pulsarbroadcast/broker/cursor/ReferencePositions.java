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

    /** Stands for all that are left behind: where the lowest of them is. */
    ReferenceCursor leftBehind;

    int leftBehindCount;
    long leftAtMillis;

    /** Whether a position was added since the last write. */
    boolean isNew;

    int count() {
      return connected.size() + leftBehindCount;
    }

    List<ReferenceCursor> all() {
      List<ReferenceCursor> all = new ArrayList<>(connected);
      if (leftBehind != null) {
        all.add(leftBehind);
      }
      return all;
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
      if (named.leftBehind == null) {
        cursor = new ReferenceCursor(name, true, Math.max(floor, start), sentEnd);
        cursor.isNew = true;
        named.isNew = true;
      } else if (--named.leftBehindCount > 0) {
        cursor = named.leftBehind.copy();
      } else {
        cursor = named.leftBehind;
        named.leftBehind = null;
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
      named.leftAtMillis = nowMillis;
      named.leftBehindCount++;
      if (named.leftBehind == null) {
        named.leftBehind = cursor;
      } else {
        named.leftBehind.lowerTo(cursor);
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

  /** Those that are dropped, each as often as it stands for one. */
  List<ReferenceCursor> expire(long nowMillis) {
    List<ReferenceCursor> expired = new ArrayList<>();
    for (Iterator<Name> all = names.values().iterator(); all.hasNext(); ) {
      Name named = all.next();
      if (named.leftBehind != null && nowMillis - named.leftAtMillis >= named.ttlSeconds * 1_000) {
        expired.addAll(Collections.nCopies(named.leftBehindCount, named.leftBehind));
        named.leftBehind = null;
        named.leftBehindCount = 0;
        if (named.connected.isEmpty()) {
          all.remove();
        }
      }
    }
    return expired;
  }

  List<ReferenceCursor> leftBehind() {
    return names.values().stream()
        .filter(named -> named.leftBehind != null)
        .map(named -> named.leftBehind)
        .toList();
  }

  int leftBehindCount() {
    return names.values().stream().mapToInt(named -> named.leftBehindCount).sum();
  }

  /** How many positions a cursor stands for. */
  int countOf(ReferenceCursor cursor) {
    Name named = names.get(cursor.name);
    return named != null && named.leftBehind == cursor ? named.leftBehindCount : 1;
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
      if (named.count() == 1) {
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
              named.connected.isEmpty() ? endOfSecond(named.leftAtMillis) : 0,
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
          named.leftBehind = cursor;
          named.leftBehindCount = expected.least();
          named.leftAtMillis =
              expected.lastSeenMillis() > 0 ? expected.lastSeenMillis() : nowMillis;
          positions.names.put(name, named);
          positions.keptForDurable = true;
        });
    return positions;
  }
}
