/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Something that may not be, as the first event that shows it. Immutable; any thread may use it.
 *
 * @param consumer its name, or that of a producer; null if it is nobody's
 * @param incarnation of the consumer; 0 if it is of none
 * @param id the first message; null if it is none's
 * @param lines of the events that contradict each other, in order
 * @param sentence what is wrong, in English
 */
public record Violation(
    Invariant invariant,
    String consumer,
    int incarnation,
    Id id,
    List<Long> lines,
    String sentence) {

  @Override
  public String toString() {
    String where =
        lines.stream()
            .map(line -> String.format(Locale.ROOT, "%,d", line))
            .collect(Collectors.joining(" and "));
    return invariant + (lines.isEmpty() ? "" : ", line " + where) + ": " + sentence;
  }
}
