/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Messages that a consumer was due and was not sent when it had to be; a violation unless skips are
 * counted that explain it. Only the checker's thread uses it.
 */
final class Gap {
  final Invariant invariant;
  private final String consumer;
  private final int incarnation;
  private final long line;
  private final String what;

  private record Lines(long first, long known) {}

  private final NavigableMap<Id, Lines> missed = new TreeMap<>();

  /**
   * Makes an empty one.
   *
   * @param line of the event that shows it
   * @param what goes on after "%d messages, the first 1:2, "
   */
  Gap(Invariant invariant, String consumer, int incarnation, long line, String what) {
    this.invariant = invariant;
    this.consumer = consumer;
    this.incarnation = incarnation;
    this.line = line;
    this.what = what;
  }

  /**
   * Adds a message.
   *
   * @param firstLine of the first event that is about it
   * @param knownLine of that by which it was due
   */
  void add(Id id, long firstLine, long knownLine) {
    missed.put(id, new Lines(firstLine, knownLine));
  }

  /** It was sent after all, or is in another gap. */
  void remove(Id id) {
    missed.remove(id);
  }

  boolean isEmpty() {
    return missed.isEmpty();
  }

  int size() {
    return missed.size();
  }

  /** An entry that a consumer missed, in whole or in part, as skips are counted. */
  record Entry(String consumer, Id id) {}

  /** What may explain that. */
  interface Explanation {
    boolean explains(Gap gap, Entry entry, long firstLine);
  }

  /** Takes out what is explained. */
  void explain(Explanation explanation) {
    missed
        .entrySet()
        .removeIf(
            message ->
                explanation.explains(this, entry(message.getKey()), message.getValue().first));
  }

  /** Whether this explains the first. */
  boolean mayBe(Explanation explanation) {
    return explanation.explains(
        this, entry(missed.firstKey()), missed.firstEntry().getValue().first);
  }

  private Entry entry(Id message) {
    return new Entry(consumer, Id.of(message.ledgerId(), message.entryId()));
  }

  /** By when it was skipped, if it was. */
  long missedLine() {
    return invariant == Invariant.I7 ? Long.MAX_VALUE : line;
  }

  /** {@code skipped}: whether it would be a skip if it were counted. */
  Violation violation(boolean skipped) {
    Id first = missed.firstKey();
    String sentence =
        String.format(
            Locale.ROOT,
            "%,d %s, the first %s, %s%s.",
            size(),
            size() == 1 ? "message" : "messages",
            first,
            what.formatted(consumer),
            skipped ? ", and the skip is not counted" : "");
    List<Long> lines = Stream.of(missed.get(first).known, line).distinct().sorted().toList();
    return new Violation(
        skipped ? Invariant.I6 : invariant, consumer, incarnation, first, lines, sentence);
  }
}
