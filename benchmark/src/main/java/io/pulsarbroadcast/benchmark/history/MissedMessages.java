/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import java.util.HashMap;
import java.util.Map;

/** In which gap each message is that one consumer missed. Only the checker's thread uses it. */
final class MissedMessages {
  private final Findings findings;
  private final Map<Id, Gap> missed = new HashMap<>();
  private final Map<Id, Gap> behindMarkDelete = new HashMap<>();

  MissedMessages(Findings findings) {
    this.findings = findings;
  }

  /**
   * It should have been sent before the next; lines as in {@link Gap#add}. It does not count as
   * behind the mark-delete position any more, because one skip is counted once.
   */
  void add(Gap gap, Id id, long firstLine, long knownLine) {
    put(missed, gap, id, firstLine, knownLine);
    Gap marked = behindMarkDelete.remove(id);
    if (marked != null) {
      marked.remove(id);
    }
  }

  /** It is not acknowledged, and the mark-delete position is not before it. */
  void addBehindMarkDelete(Gap gap, Id id, long firstLine, long knownLine) {
    if (!behindMarkDelete.containsKey(id)) {
      put(behindMarkDelete, gap, id, firstLine, knownLine);
    }
  }

  private void put(Map<Id, Gap> where, Gap gap, Id id, long firstLine, long knownLine) {
    if (gap.isEmpty()) {
      findings.add(gap);
    }
    gap.add(id, firstLine, knownLine);
    where.put(id, gap);
  }

  boolean contains(Id id) {
    return missed.containsKey(id);
  }

  /** It was sent after all; returns why that is not enough, or null if it was not missed. */
  Invariant sent(Id id, boolean sameIncarnation) {
    Gap gap = missed.remove(id);
    if (gap == null) {
      return null;
    }
    if (sameIncarnation || gap.invariant == Invariant.I1) {
      gap.remove(id);
    }
    return gap.invariant;
  }

  /** The consumer has moved; what it has missed, it has missed. */
  void clear() {
    missed.clear();
    behindMarkDelete.clear();
  }

  /** What it has missed from this message on, it may be sent. */
  void clearFrom(Id first) {
    missed.keySet().removeIf(id -> id.compareTo(first) >= 0);
  }

  /** How many objects it holds. */
  int size() {
    return missed.size() + behindMarkDelete.size();
  }
}
