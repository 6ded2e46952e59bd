/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.ArrayList;
import java.util.BitSet;
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
    ReferenceCursor leftBehind;
    long leftAtNanos;

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
      named.ttlSeconds = ttlSeconds;
      cursor = named.leftBehind;
      named.leftBehind = null;
      if (cursor == null) {
        cursor = new ReferenceCursor(name, true, Math.max(floor, start), sentEnd);
      }
      named.connected.add(cursor);
    } else {
      cursor = new ReferenceCursor(name, false, start, sentEnd);
    }
    connected.add(cursor);
    return cursor;
  }

  void disconnect(ReferenceCursor cursor, long nowNanos) {
    if (connected.remove(cursor) && cursor.durable) {
      Name named = names.get(cursor.name);
      named.connected.remove(cursor);
      named.leftAtNanos = nowNanos;
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

  List<ReferenceCursor> expire(long nowNanos) {
    List<ReferenceCursor> expired = new ArrayList<>();
    for (Iterator<Name> all = names.values().iterator(); all.hasNext(); ) {
      Name named = all.next();
      if (named.leftBehind != null
          && nowNanos - named.leftAtNanos >= named.ttlSeconds * 1_000_000_000L) {
        expired.add(named.leftBehind);
        named.leftBehind = null;
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

  /** The cursors that hold the subscription. */
  List<ReferenceCursor> durable() {
    return names.values().stream().flatMap(named -> named.all().stream()).toList();
  }

  List<ReferenceCursor> all() {
    List<ReferenceCursor> all = new ArrayList<>(connected);
    all.addAll(leftBehind());
    return all;
  }

  /** What a write of this moment has to store. */
  StoredReference toStore() {
    StoredReference stored = new StoredReference();
    for (Map.Entry<String, Name> entry : names.entrySet()) {
      List<ReferenceCursor> cursors = entry.getValue().all();
      BitSet must = new BitSet();
      BitSet may = (BitSet) cursors.get(0).may.clone();
      if (cursors.size() == 1) {
        must.or(cursors.get(0).must);
      } else {
        // Of several positions of one name the lowest is stored, and no holes.
        must.set(
            0, cursors.stream().mapToInt(cursor -> cursor.must.nextClearBit(0)).min().getAsInt());
        cursors.forEach(cursor -> may.and(cursor.may));
      }
      stored.names.put(
          entry.getKey(),
          new StoredReference.Name(
              entry.getValue(), entry.getValue().ttlSeconds, must, may, false));
    }
    return stored;
  }

  /** What is left after a restart, of what was stored. */
  static ReferencePositions restored(
      StoredReference stored, ModelTopic topic, int floor, long nowNanos) {
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
          named.leftAtNanos = nowNanos;
          positions.names.put(name, named);
          positions.keptForDurable = true;
        });
    return positions;
  }
}
