/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Gap.Entry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What was found: violations, of each consumer's incarnation and invariant the first, and gaps,
 * which counted skips may explain. Only the checker's thread uses it.
 */
final class Findings {
  /** {@code about}: a consumer, a producer or, of an invalid history, what makes it so. */
  private record Key(Invariant invariant, String about, int incarnation) {}

  /** By how much a counter rose, and was not used to explain something yet. */
  private static final class Rise {
    private long entries;

    Rise(long entries) {
      this.entries = entries;
    }
  }

  /** From when on messages up to one may be skipped, and what may be the count of it. */
  private static final class Skips implements Gap.Explanation {
    private final Event.Skip skip;
    private final List<Rise> counted = new ArrayList<>();
    private long nextLine = Long.MAX_VALUE;

    Skips(Event.Skip skip) {
      this.skip = skip;
    }

    @Override
    public boolean explains(Gap gap, Entry entry, long firstLine) {
      return entry.id().compareTo(skip.upTo()) <= 0
          && gap.missedLine() > skip.line()
          && firstLine < nextLine;
    }
  }

  private final Map<Key, Violation> violations = new LinkedHashMap<>();
  private final Map<Key, Integer> counts = new HashMap<>();
  private final List<Gap> gaps = new ArrayList<>();
  private final Map<String, Event.SkipCount> skipCounts = new HashMap<>();
  private final List<Skips> skips = new ArrayList<>();
  private final Set<Entry> explained = new HashSet<>();

  /** Whether a position may have been dropped, whose entries count as skipped. */
  private boolean expired;

  void add(Violation violation) {
    add(violation, violation.consumer());
  }

  void invalid(List<Long> lines, String sentence, Object... values) {
    add(
        new Violation(
            Invariant.VALID, null, 0, null, lines, String.format(Locale.ROOT, sentence, values)),
        sentence);
  }

  private void add(Violation violation, String about) {
    Key key = new Key(violation.invariant(), about, violation.incarnation());
    violations.putIfAbsent(key, violation);
    counts.merge(key, 1, Integer::sum);
  }

  /** Decided at the end; an empty one does not count. */
  void add(Gap gap) {
    gaps.add(gap);
  }

  /** A broker has counted so many skipped entries so far. */
  void skipCount(Event.SkipCount count) {
    Event.SkipCount before = skipCounts.put(count.counter(), count);
    if (before == null && skips.isEmpty()) {
      return;
    }
    boolean isNewCounter = before == null || count.entries() < before.entries();
    long entries = count.entries() - (isNewCounter ? 0 : before.entries());
    if (entries > 0 && !skips.isEmpty()) {
      counted(new Rise(entries), before == null ? 0 : before.line());
    } else if (entries > 0 && !expired) {
      add(
          new Violation(
              Invariant.I6,
              null,
              0,
              null,
              List.of(before.line(), count.line()),
              String.format(
                  Locale.ROOT,
                  "%s counts %,d more skipped entries, and nothing was to be skipped.",
                  count.counter(),
                  entries)),
          count.counter());
    }
  }

  /** Of the skips since the sample before, or else of the last one. */
  private void counted(Rise rise, long sinceLine) {
    int each = skips.size() - 1;
    do {
      skips.get(each).counted.add(rise);
      each--;
    } while (each >= 0 && skips.get(each).skip.line() > sinceLine);
  }

  /** From now on a counter may rise because of a position that is dropped. */
  void expired() {
    expired = true;
  }

  void skip(Event.Skip skip) {
    if (!skips.isEmpty()) {
      skips.get(skips.size() - 1).nextLine = skip.line();
    }
    skips.add(new Skips(skip));
  }

  /** How many objects it holds. */
  int size() {
    return violations.size()
        + skipCounts.size()
        + skips.size()
        + gaps.stream().mapToInt(Gap::size).sum();
  }

  /**
   * All violations by their lines. A skip explains as many entries of consumers as it has counted.
   */
  List<Violation> decide() {
    // Those first that fewer skips may explain, because they are before the others.
    gaps.stream()
        .filter(gap -> !gap.isEmpty())
        .sorted(Comparator.comparingLong(Gap::missedLine))
        .forEach(this::decide);
    return violations.entrySet().stream()
        .map(found -> withCount(found.getValue(), counts.get(found.getKey())))
        .sorted(
            Comparator.comparing(
                violation -> violation.lines().isEmpty() ? Long.MAX_VALUE : last(violation)))
        .toList();
  }

  private void decide(Gap gap) {
    gap.explain(this::isCounted);
    if (!gap.isEmpty()) {
      add(gap.violation(skips.stream().anyMatch(gap::mayBe)));
    }
  }

  /** Whether a skip may explain it that has counted more than was explained so far. */
  private boolean isCounted(Gap gap, Entry entry, long firstLine) {
    if (explained.contains(entry)) {
      return true;
    }
    for (Skips each : skips) {
      if (each.explains(gap, entry, firstLine)) {
        for (Rise rise : each.counted) {
          if (rise.entries > 0) {
            rise.entries--;
            return explained.add(entry);
          }
        }
      }
    }
    return false;
  }

  private static long last(Violation violation) {
    return violation.lines().get(violation.lines().size() - 1);
  }

  private static Violation withCount(Violation first, int count) {
    return count == 1
        ? first
        : new Violation(
            first.invariant(),
            first.consumer(),
            first.incarnation(),
            first.id(),
            first.lines(),
            String.format(
                Locale.ROOT, "%s There are %,d more like this.", first.sentence(), count - 1));
  }
}
