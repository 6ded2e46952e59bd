/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * The one subscription of a topic as the contract has it: absent, plain with one position, or
 * Broadcast with positions of connected consumers and of such as may return.
 */
final class SubscriptionModel {

  enum Type {
    ABSENT,
    PLAIN,
    BROADCAST
  }

  /** The positions left behind under a name: as many return, each from the lowest of them. */
  static final class LeftBehind {
    int count;
    Position position;

    void add(Position left, int end) {
      if (count++ == 0) {
        position = left.copy();
      } else {
        position.lowerTo(left, end);
      }
    }

    LeftBehind copy() {
      LeftBehind copy = new LeftBehind();
      copy.count = count;
      copy.position = position.copy();
      return copy;
    }
  }

  final TopicModel topic;
  private Type type = Type.ABSENT;
  private boolean declared;
  private Position plain;
  private final Map<String, LeftBehind> leftBehind = new HashMap<>();
  private final List<Session> sessions = new ArrayList<>();

  /** The subscription's position is not before the first, nor behind the second. */
  private int floorAtLeast;

  private int floorAtMost;

  /** Whether durable consumers to come begin there as long as it is {@link #original}. */
  private boolean inherited;

  /** Where the position was when that began; negative: that is not known. */
  private int original;

  /**
   * Whether that is so or not depends on what the broker has stored meanwhile, and is left open.
   */
  private boolean perhapsInherited;

  /** Whether durable consumers have been here, which keeps the subscription. */
  private boolean kept;

  SubscriptionModel(TopicModel topic) {
    this.topic = topic;
  }

  boolean exists() {
    return type != Type.ABSENT;
  }

  boolean isBroadcast() {
    return type == Type.BROADCAST;
  }

  boolean isPlain() {
    return type == Type.PLAIN;
  }

  boolean isDeclared() {
    return declared;
  }

  /** Whether nobody may be connected beside those who are. */
  boolean isFull() {
    return sessions.size() >= topic.rules.maxConsumers;
  }

  /** Whether a durable subscribe is refused because an administrator is to make it first. */
  boolean isUndeclared() {
    return type == Type.ABSENT && topic.rules.declaredOnly;
  }

  Position plain() {
    return plain;
  }

  Map<String, LeftBehind> leftBehind() {
    return leftBehind;
  }

  List<Session> sessions() {
    return List.copyOf(sessions);
  }

  /** How many positions wait for their consumers. */
  int waiting() {
    return leftBehind.values().stream().mapToInt(left -> left.count).sum();
  }

  boolean hasPositions() {
    return !leftBehind.isEmpty() || !sessions.isEmpty();
  }

  private boolean hasDurablePositions() {
    return !leftBehind.isEmpty() || sessions.stream().anyMatch(session -> session.durable);
  }

  /** Whether there are positions that cannot have expired while their consumers were away. */
  private boolean hasLastingPositions() {
    return leftBehind.keySet().stream().anyMatch(name -> !name.equals(Sequence.BRIEF))
        || sessions.stream().anyMatch(session -> session.durable && !session.isBrief());
  }

  int floorAtMost() {
    return type == Type.PLAIN ? plain.next(topic.end()) : floorAtMost;
  }

  // Coming and going

  /** Makes the subscription without a consumer. */
  void create(boolean broadcast, boolean earliest) {
    Position start = initial(earliest);
    declared = broadcast;
    if (broadcast) {
      becomeBroadcast(start, true);
      kept = true;
    } else {
      becomePlain(start);
    }
  }

  Session connectPlain(int slot, int number, boolean ordered, boolean earliest) {
    if (type == Type.ABSENT) {
      becomePlain(initial(earliest));
    } else if (type == Type.BROADCAST) {
      becomePlain(floor());
    }
    Session session = new Session(slot, number, "plain", false, ordered, true, plain);
    sessions.add(session);
    return session;
  }

  Session connect(
      int slot, int number, String name, boolean ordered, boolean durable, boolean earliest) {
    Position initial = initial(earliest);
    if (type == Type.ABSENT) {
      becomeBroadcast(initial, false);
    } else if (type == Type.PLAIN) {
      becomeBroadcast(plain, true);
    }
    LeftBehind left = durable ? leftBehind.get(name) : null;
    Position position = left == null ? start(initial, durable) : left.position.copy();
    if (left != null && --left.count == 0) {
      leftBehind.remove(name);
    }
    kept |= durable;
    Session session = new Session(slot, number, name, true, ordered, durable, position);
    sessions.add(session);
    if (durable) {
      lowerFloor(position);
    }
    moved();
    return session;
  }

  /** Where a consumer starts that has no position. */
  private Position start(Position initial, boolean durable) {
    if (!durable) {
      return initial;
    }
    if (!hasPositions()) {
      return floor();
    }
    if (inherited && !perhapsInherited && exactFloor() == original && original >= 0) {
      return floor();
    }
    if (inherited || (kept && !hasDurablePositions())) {
      return Position.oneOf(floor(), initial);
    }
    return initial;
  }

  private Position initial(boolean earliest) {
    return topic.from(earliest ? 0 : topic.end());
  }

  private Position floor() {
    return topic.withoutAborted(Position.from(floorAtLeast, floorAtMost, topic.end()));
  }

  /** Where the subscription's position is; negative when that is open. */
  private int exactFloor() {
    return floorAtLeast == floorAtMost ? floorAtMost : -1;
  }

  private void becomePlain(Position at) {
    type = Type.PLAIN;
    plain = at;
  }

  private void becomeBroadcast(Position at, boolean wasThere) {
    type = Type.BROADCAST;
    floorAtLeast = at.perhapsNext(topic.end());
    floorAtMost = at.next(topic.end());
    inherited = wasThere;
    original = exactFloor();
    perhapsInherited = false;
    kept = wasThere;
    plain = null;
  }

  /** The consumer goes; a durable one leaves its position behind. */
  void close(Session session) {
    sessions.remove(session);
    if (session.broadcast && session.durable) {
      leaveBehind(session);
    }
    moved();
  }

  private void leaveBehind(Session session) {
    leftBehind
        .computeIfAbsent(session.name, name -> new LeftBehind())
        .add(session.position, topic.end());
  }

  /** What was left under a name without a time to live is dropped. */
  void expire(String name) {
    leftBehind.remove(name);
    moved();
  }

  /** Whether nobody is connected, and nobody durable ever was: the subscription ends. */
  boolean isAbandoned() {
    return type == Type.BROADCAST && !kept && sessions.isEmpty();
  }

  /**
   * The consumer and its position go, and the subscription with the last one. With non-durable
   * consumers alone it is nobody's.
   */
  void unsubscribe(Session session) {
    sessions.remove(session);
    if (!session.broadcast || !hasPositions()) {
      deleted();
    } else {
      moved();
    }
  }

  void deleted() {
    type = Type.ABSENT;
    declared = false;
    plain = null;
    leftBehind.clear();
    sessions.clear();
    inherited = false;
    perhapsInherited = false;
    kept = false;
    floorAtLeast = 0;
    floorAtMost = 0;
    topic.heldByNobody();
  }

  /**
   * The connections of some consumers are lost and their clients make new ones: positions are left
   * behind, and taken again.
   *
   * @param all whether the subscription was closed with them: then also what others left under
   *     their names counts
   */
  void reconnected(Collection<Session> lost, boolean all) {
    lost.stream()
        .filter(session -> session.broadcast && session.durable)
        .forEach(this::leaveBehind);
    for (Session session : lost) {
      session.beginAgain();
      LeftBehind left = leftBehind.get(session.name);
      if (!session.broadcast) {
        session.position.mayRepeat(0, topic.end());
      } else if (!session.durable || session.isBrief()) {
        session.position.must.clear();
        session.position.may.set(0, topic.end());
      } else {
        session.position = left.position.copy();
      }
      if (session.broadcast && session.durable && --left.count == 0) {
        leftBehind.remove(session.name);
      }
    }
    if (all && type == Type.BROADCAST) {
      if (!hasDurablePositions()) {
        inherited = kept;
        original = exactFloor();
        perhapsInherited = false;
      } else if (!hasLastingPositions()) {
        inherited = true;
        perhapsInherited = true;
        floorAtMost = topic.end();
      } else {
        inherited = false;
      }
    }
    moved();
  }

  // Messages

  void published(int from, int to) {
    forEachPosition(position -> position.must.set(from, to));
    if (type == Type.BROADCAST && !kept) {
      floorAtMost = to;
    }
  }

  /** Nobody is given these. */
  void forget(BitSet messages) {
    forEachPosition(
        position -> {
          position.must.andNot(messages);
          position.may.andNot(messages);
        });
    moved();
  }

  /** A position moved. */
  void moved() {
    if (type == Type.BROADCAST) {
      durablePositions().stream()
          .mapToInt(position -> position.next(topic.end()))
          .min()
          .ifPresent(lowest -> floorAtMost = Math.max(floorAtMost, lowest));
      // Nothing is kept for non-durable consumers.
      sessions.stream()
          .filter(session -> !session.durable)
          .forEach(session -> session.position.relaxBefore(topic.deletableBefore(floorAtMost)));
    }
  }

  private void lowerFloor(Position position) {
    floorAtLeast = Math.min(floorAtLeast, position.perhapsNext(topic.end()));
    floorAtMost = Math.min(floorAtMost, position.next(topic.end()));
  }

  private List<Position> durablePositions() {
    List<Position> positions = new ArrayList<>();
    leftBehind.values().forEach(left -> positions.add(left.position));
    sessions.stream().filter(s -> s.durable).forEach(s -> positions.add(s.position));
    return positions;
  }

  private void forEachPosition(Consumer<Position> action) {
    leftBehind.values().forEach(left -> action.accept(left.position));
    sessions.stream().filter(s -> s.broadcast).forEach(s -> action.accept(s.position));
    if (plain != null) {
      action.accept(plain);
    }
  }

  // What moves it

  /** One consumer moves to a message. */
  void seek(Session session, int message) {
    Position there = topic.from(message);
    if (!session.broadcast) {
      replacePlain(there);
      return;
    }
    session.position = there;
    session.beginAgain();
    if (session.isBrief()) {
      // Its client is disconnected, and without a position when it returns it starts anew.
      there.relaxBefore(topic.end());
      there.mayRepeat(0, topic.end());
    }
    if (session.durable) {
      lowerFloor(there);
      LeftBehind left = leftBehind.get(session.name);
      if (left != null) {
        // It may have come back at that position, and left its own instead.
        int lowest =
            Math.min(there.perhapsNext(topic.end()), left.position.perhapsNext(topic.end()));
        there.mayRepeat(lowest, topic.end());
        left.position.mayRepeat(lowest, topic.end());
      }
    }
    moved();
  }

  /** Everybody moves to a message. */
  void resetAll(int message) {
    Position there = topic.from(message);
    if (type == Type.PLAIN) {
      replacePlain(there);
      return;
    }
    floorAtLeast = there.perhapsNext(topic.end());
    floorAtMost = there.next(topic.end());
    leftBehind.values().forEach(left -> left.position = there.copy());
    for (Session session : sessions) {
      session.position = there.copy();
      session.beginAgain();
      if (session.isBrief() || !session.durable) {
        session.position.relaxBefore(topic.end());
        session.position.mayRepeat(0, topic.end());
      }
    }
    moved();
  }

  private void replacePlain(Position there) {
    plain = there;
    for (Session session : sessions) {
      session.position = there;
      session.beginAgain();
    }
  }

  /**
   * Whoever is before the end of so many entries after the subscription's position moves there.
   * What was sent to the connected ones before still comes.
   */
  void skip(int entries) {
    if (type == Type.PLAIN) {
      plain.relaxBefore(topic.afterEntries(plain.next(topic.end()), entries));
      plain.mayRepeat(plain.perhapsNext(topic.end()), topic.end());
      relaxEntries(entries);
      return;
    }
    int last = topic.afterEntries(lowest(position -> position.next(topic.end())), entries);
    int first = topic.afterEntries(lowest(position -> position.perhapsNext(topic.end())), entries);
    moveOn(topic.hadTransactions ? 0 : first, last);
  }

  /** Of a plain subscription any entries that are not acknowledged may be among those skipped. */
  private void relaxEntries(int entries) {
    for (int i = 0; i < entries && !plain.must.isEmpty(); i++) {
      plain.relaxBefore(topic.messages.get(plain.next(topic.end())).endOfEntry());
    }
  }

  /**
   * Where the lowest durable position is, by the first message that it must or may be given; where
   * the subscription at most is if there is none. One of non-durable consumers follows what they
   * are sent, which may be everything.
   */
  int lowest(ToIntFunction<Position> next) {
    List<Position> positions = durablePositions();
    if (positions.isEmpty()) {
      return kept ? floorAtMost : topic.end();
    }
    return positions.stream().mapToInt(next).min().orElseThrow();
  }

  /** Everybody moves to a place between two; what is before it does not come. */
  void moveOn(int atLeast, int atMost) {
    if (type == Type.PLAIN) {
      plain.relaxBefore(atMost);
      return;
    }
    for (LeftBehind left : leftBehind.values()) {
      left.position.relaxBefore(atMost);
      left.position.clearBefore(Math.min(atLeast, atMost));
    }
    sessions.forEach(session -> session.position.relaxBefore(atMost));
    floorAtMost = Math.max(floorAtMost, atMost);
    moved();
  }
}
