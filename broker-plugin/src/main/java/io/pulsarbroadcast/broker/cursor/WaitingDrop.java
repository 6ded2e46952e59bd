/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/**
 * Positions of absent consumers that an operator is dropping, or that have moved elsewhere. Until
 * that is on storage they hold what they need, are moved as others are, and are there for consumers
 * that return. Guarded by its {@link CursorRegistry}.
 */
public final class WaitingDrop {

  private final Map<String, NamedLeft> byName = new HashMap<>();
  private int positionCount;

  /** What waits under a name, how often its consumers had come, and for how long it waits. */
  record NamedLeft(LeftPositions left, int arrivals, long ttlSeconds) {

    Waiting waiting(String name, long end) {
      return left.waitingUnder(name, arrivals, end);
    }
  }

  WaitingDrop() {}

  void add(String name, LeftPositions left, int arrivals, long ttlSeconds) {
    byName.put(name, new NamedLeft(left, arrivals, ttlSeconds));
    positionCount += left.waiting();
  }

  /** Whether nothing is dropped, or all of it was given to consumers that have returned. */
  public boolean isEmpty() {
    return byName.isEmpty();
  }

  /** Gives a position to a consumer that returns; null: none of its name is being dropped. */
  VirtualCursor take(String name) {
    NamedLeft named = byName.get(name);
    if (named == null) {
      return null;
    }
    VirtualCursor cursor = named.left.take();
    positionCount--;
    if (named.left.waiting() == 0) {
      byName.remove(name);
    }
    return cursor;
  }

  /** How many consumers may still return to it. */
  int positionCount() {
    return positionCount;
  }

  /** What is being dropped, by name. */
  Map<String, NamedLeft> byName() {
    return byName;
  }

  /** Shows each position, and how many consumers it stands for. */
  void forEach(ObjIntConsumer<VirtualCursor> action) {
    byName.values().forEach(named -> named.left.forEach(action));
  }
}
