/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Event.Ack;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Those acknowledgements of one consumer of which it is not certain yet that they will never be
 * lost. Only the checker's thread uses it.
 *
 * <p>An acknowledgement is taken when it has a receipt or, if none was asked for, when its
 * connection has lived so much longer that it was processed and stored. It is settled, and
 * forgotten, when no crash from now on may lose it, either.
 */
final class Acks {
  /** An acknowledgement, shared by the messages of a cumulative one. */
  static final class Acked {
    private final Ack ack;
    private final Incarnation incarnation;
    private final long micros;

    /** Whether everything before is acknowledged if this is. */
    private final boolean cumulative;

    /** 0 while it is not known to be taken. */
    private long takenLine;

    private Acked(Ack ack, Incarnation incarnation) {
      this.ack = ack;
      this.incarnation = incarnation;
      this.micros = ack.micros();
      this.cumulative = ack.cumulative();
    }

    /** Of one message, as an event shows. */
    private Acked(Acked before, Incarnation incarnation, long line, long micros) {
      this.ack = before.ack;
      this.incarnation = incarnation;
      this.micros = micros;
      this.cumulative = false;
      this.takenLine = line;
    }

    Id id() {
      return ack.id();
    }

    long line() {
      return ack.line();
    }

    long micros() {
      return micros;
    }

    /** Of the event that shows that it was taken. */
    long takenLine() {
      return takenLine == 0 ? ack.line() : takenLine;
    }
  }

  private record Recent(Id id, Acked acked) {}

  private final Faults faults;
  private final long windowMicros;
  private final long patienceMicros;
  private final Predicate<Id> isComplete;
  private final boolean wholeEntries;
  private final NavigableMap<Id, Acked> byId = new TreeMap<>();

  /** In the order of time, those that are not known to be settled or not. */
  private final Deque<Recent> recent = new ArrayDeque<>();

  /** In the order of time, those that wait for a receipt. */
  private final Deque<Acked> awaited = new ArrayDeque<>();

  private long settledLine;

  /**
   * Of a consumer that has acknowledged nothing.
   *
   * @param windowMicros until it is stored, if no crash prevents it
   * @param patienceMicros until it has its receipt
   * @param wholeEntries whether an acknowledgement counts when all of its entry are acknowledged
   * @param isComplete whether this is so of a message's entry
   */
  Acks(
      Faults faults,
      long windowMicros,
      long patienceMicros,
      boolean wholeEntries,
      Predicate<Id> isComplete) {
    this.faults = faults;
    this.windowMicros = windowMicros;
    this.patienceMicros = patienceMicros;
    this.wholeEntries = wholeEntries;
    this.isComplete = isComplete;
  }

  void add(Ack ack, Incarnation incarnation, Collection<Id> messages) {
    Acked acked = new Acked(ack, incarnation);
    messages.forEach(id -> put(id, acked));
    requeueEntry(ack.id());
    if (ack.receiptAsked()) {
      awaited.add(acked);
    }
  }

  /** One without its receipt, although its connection has lived much longer; null if none is. */
  Acked unanswered(long micros) {
    while (!awaited.isEmpty()) {
      Acked oldest = awaited.peek();
      boolean waits = oldest.takenLine == 0 && byId.get(oldest.id()) == oldest;
      if (waits && micros - oldest.micros <= patienceMicros) {
        return null;
      }
      awaited.remove();
      if (waits && oldest.incarnation.activeMicros - oldest.micros > patienceMicros) {
        return oldest;
      }
    }
    return null;
  }

  /** What is acknowledged of an entry may be kept now, if the whole has to be. */
  private void requeueEntry(Id id) {
    if (wholeEntries && id.batchIndex() >= 0 && isComplete.test(id)) {
      entryOf(id).forEach((part, acked) -> recent.add(new Recent(part, acked)));
    }
  }

  private NavigableMap<Id, Acked> entryOf(Id id) {
    return byId.subMap(id.startOfEntry(), true, id.endOfEntry(), true);
  }

  private void put(Id id, Acked acked) {
    byId.put(id, acked);
    recent.add(new Recent(id, acked));
  }

  boolean contains(Id id) {
    return byId.containsKey(id);
  }

  /** The broker has given a receipt. */
  void receipt(Ack receipt) {
    Acked acked = byId.get(receipt.id());
    if (acked != null
        && acked.takenLine == 0
        && acked.cumulative == receipt.cumulative()
        && acked.ack.incarnation() == receipt.incarnation()) {
      acked.takenLine = receipt.line();
      if (receipt.micros() - acked.micros > windowMicros) {
        recent.add(new Recent(receipt.id(), acked));
      }
      requeueEntry(receipt.id());
    }
  }

  /**
   * Null if the message may come again; else the acknowledgement that should have prevented it.
   * {@code id} must be contained.
   */
  Acked wronglyAgain(Id id) {
    Acked own = byId.get(id);
    if (isKept(id, own)) {
      return own;
    }
    return byId.tailMap(id, false).entrySet().stream()
        .filter(later -> later.getValue().cumulative && isKept(later.getKey(), later.getValue()))
        .map(later -> later.getValue())
        .findFirst()
        .orElse(null);
  }

  long microsOf(Id id) {
    return byId.get(id).micros;
  }

  private boolean isKept(Id id, Acked acked) {
    return isKept(acked)
        && (!wholeEntries
            || id.batchIndex() < 0
            || (isComplete.test(id) && entryOf(id).values().stream().allMatch(this::isKept)));
  }

  private boolean isKept(Acked acked) {
    return isTaken(acked)
        && !faults.mayHaveLost(acked.micros, acked.incarnation.activeMicros, windowMicros);
  }

  private boolean isTaken(Acked acked) {
    return acked.takenLine != 0
        || (!acked.ack.receiptAsked()
            && acked.incarnation.activeMicros - acked.micros > windowMicros);
  }

  /**
   * A new incarnation was not sent these again, between two messages: so the broker knows that they
   * are acknowledged, but a crash may lose that still, unless it could not even before.
   */
  void omitted(Id after, Id before, Incarnation by, long line, long micros) {
    NavigableMap<Id, Acked> part = byId.headMap(before, false);
    if (after != null) {
      part = part.tailMap(after, false);
    }
    List<Id> known = new ArrayList<>();
    part.forEach(
        (id, acked) -> {
          if (acked.incarnation != by && !isKept(id, acked)) {
            known.add(id);
          }
        });
    for (Id id : known) {
      put(id, new Acked(byId.get(id), by, line, micros));
    }
  }

  /** Forgets those that are settled by now. */
  void settle(long micros) {
    while (!recent.isEmpty() && micros - recent.peek().acked.micros > windowMicros) {
      Recent old = recent.remove();
      if (byId.get(old.id) == old.acked && isKept(old.id, old.acked)) {
        settledLine = Math.max(settledLine, old.acked.takenLine());
        if (old.acked.cumulative) {
          byId.headMap(old.id, true).clear();
        } else {
          byId.remove(old.id);
        }
      }
    }
  }

  /** Of the last event that settled something. */
  long settledLine() {
    return settledLine;
  }

  /** How many there are that a crash at this time may lose. */
  long countSince(long micros) {
    return byId.values().stream().filter(acked -> acked.micros >= micros).count();
  }

  boolean isEmpty() {
    return byId.isEmpty();
  }

  /** The first message; there must be one. */
  Id first() {
    return byId.firstKey();
  }

  void clear() {
    byId.clear();
    recent.clear();
    awaited.clear();
  }

  /** Forgets those of this message and everything after it. */
  void clearFrom(Id first) {
    byId.tailMap(first, true).clear();
  }

  /** How many objects it holds. */
  int size() {
    return byId.size() + recent.size() + awaited.size();
  }
}
