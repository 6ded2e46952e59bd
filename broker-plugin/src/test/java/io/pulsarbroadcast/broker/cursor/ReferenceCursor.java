/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.BitSet;

/**
 * What the naive reference knows of one position: the set of the entries that count as
 * acknowledged, by their numbers. Between two bounds, because the real classes may keep less than
 * was acknowledged in some cases: when two positions of one name become one, and after a crash.
 */
final class ReferenceCursor {

  final String name;
  final boolean durable;

  /** What has to count as acknowledged. */
  final BitSet must = new BitSet();

  /** What may count as acknowledged. */
  final BitSet may = new BitSet();

  /** Entries for nobody that were read over since the position began or was moved. */
  final BitSet readOver = new BitSet();

  /** The number after the last entry that was ever sent under this position. */
  int sentEnd;

  /** The entry that is sent next, and its ordinal. */
  int readNext;

  long readOrdinal;

  /** The real cursor. */
  VirtualCursor real;

  /** The real position when it was looked at last; it moves back only on purpose. */
  long realNext;

  /** Whether the subscribe was answered: from then on nothing may be missed (I1). */
  boolean answered;

  /** Whether no write has had it yet. */
  boolean isNew;

  /** Whether it was moved since it connected. */
  boolean sought;

  ReferenceCursor(String name, boolean durable, int start, int sentEnd) {
    this.name = name;
    this.durable = durable;
    this.sentEnd = Math.max(start, sentEnd);
    moveTo(start);
  }

  void acknowledge(int from, int to) {
    must.set(from, to);
    may.set(from, to);
  }

  void moveTo(int number) {
    must.clear();
    may.clear();
    readOver.clear();
    acknowledge(0, number);
    sentEnd = Math.max(sentEnd, number);
    readNext = number;
    realNext = -1;
  }

  /** One more position where this is; what is acknowledged after it may be forgotten. */
  ReferenceCursor copy() {
    ReferenceCursor copy = new ReferenceCursor(name, durable, must.nextClearBit(0), sentEnd);
    copy.may.or(may);
    copy.readOver.or(readOver);
    copy.answered = answered;
    return copy;
  }

  /** Takes over the lower of two positions; what is acknowledged after it may be forgotten. */
  void lowerTo(ReferenceCursor other) {
    if (other.lowest() < lowest()) {
      readOver.clear();
      readOver.or(other.readOver);
    }
    int next = Math.min(must.nextClearBit(0), other.must.nextClearBit(0));
    must.clear();
    must.set(0, next);
    may.and(other.may);
    sentEnd = Math.max(sentEnd, other.sentEnd);
    answered |= other.answered;
    realNext = -1;
  }

  /** Where the position is at least. */
  int lowest() {
    int next = 0;
    while (must.get(next) || readOver.get(next)) {
      next++;
    }
    return next;
  }

  /** Where the position is at most. */
  int highest(ModelTopic topic) {
    int next = topic.firstNotIn(may, 0);
    // What is trimmed is given to nobody; a durable position may not be there, which is checked.
    return durable || next >= topic.firstStored()
        ? next
        : topic.firstNotIn(may, topic.firstStored());
  }
}
