/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.BitSet;

/**
 * What one consumer, connected or not, is still to be given: messages that must come, and others
 * that may, where the contract leaves it open. Messages are numbers in the topic's order.
 */
final class Position {

  final BitSet must = new BitSet();
  final BitSet may = new BitSet();

  /** Everything from {@code surely} on must come, and what is from {@code perhaps} on may. */
  static Position from(int perhaps, int surely, int end) {
    Position position = new Position();
    position.may.set(Math.min(perhaps, surely), surely);
    position.must.set(surely, Math.max(surely, end));
    return position;
  }

  Position copy() {
    Position copy = new Position();
    copy.must.or(must);
    copy.may.or(may);
    return copy;
  }

  /**
   * Whoever has this position misses nothing of either, and may get again what follows the lower
   * one, up to {@code end}.
   */
  void lowerTo(Position other, int end) {
    must.or(other.must);
    may.or(other.may);
    mayRepeat(perhapsNext(end), end);
  }

  /** It is not known which of two positions this is. */
  static Position oneOf(Position a, Position b) {
    Position either = new Position();
    either.must.or(a.must);
    either.must.and(b.must);
    either.may.or(a.must);
    either.may.or(a.may);
    either.may.or(b.must);
    either.may.or(b.may);
    either.may.andNot(either.must);
    return either;
  }

  void mayRepeat(int from, int to) {
    may.set(from, Math.max(from, to));
    may.andNot(must);
  }

  /** What is before {@code end} need not come any more, but may. */
  void relaxBefore(int end) {
    may.or(must.get(0, end));
    must.clear(0, end);
  }

  /** What is before {@code end} will not come any more. */
  void clearBefore(int end) {
    clear(0, end);
  }

  void clear(int from, int to) {
    must.clear(from, to);
    may.clear(from, to);
  }

  boolean allows(int message) {
    return must.get(message) || may.get(message);
  }

  /** The first message that must come. */
  int next(int end) {
    int next = must.nextSetBit(0);
    return next < 0 ? end : next;
  }

  /** The first message that must or may come. */
  int perhapsNext(int end) {
    int first = may.nextSetBit(0);
    return first < 0 ? next(end) : Math.min(first, next(end));
  }

  /** Whether nothing is open about it. */
  boolean isExact() {
    return may.isEmpty();
  }
}
