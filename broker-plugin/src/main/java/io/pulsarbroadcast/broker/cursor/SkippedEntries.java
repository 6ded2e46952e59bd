/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The entries of a topic that no consumer is ever given (transaction markers, aborted messages,
 * lost ledgers), as ranges of ordinals. They count as acknowledged by everybody, or the last of
 * them would hold the subscription back.
 *
 * <p>May be called from any thread. Costs one volatile read while there are none, which is the
 * common case.
 */
public final class SkippedEntries {

  @GuardedBy("this")
  private final RangeSet<Long> ranges = TreeRangeSet.create();

  /** Ordinals that no entry has; nobody stands behind one, so they matter to counts only. */
  @GuardedBy("this")
  private final RangeSet<Long> gaps = TreeRangeSet.create();

  private volatile boolean empty = true;
  private volatile boolean hasGaps;

  /** Records that the entries {@code from} to {@code to}, exclusive, are given to nobody. */
  public synchronized void add(long from, long to) {
    if (from < to) {
      ranges.add(Range.closedOpen(from, to));
      empty = false;
    }
  }

  /** The first ordinal at or after {@code ordinal} that is not skipped. */
  public long firstNotSkipped(long ordinal) {
    if (empty) {
      return ordinal;
    }
    synchronized (this) {
      Range<Long> range = ranges.rangeContaining(ordinal);
      return range == null ? ordinal : range.upperEndpoint();
    }
  }

  /**
   * Records that no entry has, or will have, the ordinals {@code from} to {@code to}, exclusive.
   */
  public synchronized void addGap(long from, long to) {
    gaps.add(Range.closedOpen(from, to));
    hasGaps = true;
  }

  /** How many of the ordinals {@code from} to {@code to}, exclusive, no entry has. */
  public synchronized long gapsWithin(long from, long to) {
    if (gaps.isEmpty() || from >= to) {
      return 0;
    }
    long count = 0;
    for (Range<Long> gap : gaps.subRangeSet(Range.closedOpen(from, to)).asRanges()) {
      count += gap.upperEndpoint() - gap.lowerEndpoint();
    }
    return count;
  }

  /** How many of the ordinals {@code from} to {@code to}, exclusive, are given to nobody. */
  public long countWithin(long from, long to) {
    if (from >= to || !hasAny()) {
      return 0;
    }
    long count = 0;
    long next = from;
    while (next < to) {
      long given = nextGiven(next);
      count += Math.min(given, to) - next;
      next = given >= to ? to : nextNotGiven(given, to);
    }
    return count;
  }

  /** The first ordinal at or after {@code ordinal} that is neither skipped nor in a gap. */
  public long nextGiven(long ordinal) {
    if (!hasAny()) {
      return ordinal;
    }
    synchronized (this) {
      long given = ordinal;
      while (true) {
        Range<Long> range = ranges.rangeContaining(given);
        if (range == null) {
          range = gaps.rangeContaining(given);
        }
        if (range == null) {
          return given;
        }
        given = range.upperEndpoint();
      }
    }
  }

  /** The first ordinal from {@code from} on and before {@code to} that is not given; else to. */
  private synchronized long nextNotGiven(long from, long to) {
    return Math.min(firstIn(ranges, from, to), firstIn(gaps, from, to));
  }

  private static long firstIn(RangeSet<Long> of, long from, long to) {
    RangeSet<Long> within = of.subRangeSet(Range.closedOpen(from, to));
    return within.isEmpty() ? to : within.span().lowerEndpoint();
  }

  private boolean hasAny() {
    return !empty || hasGaps;
  }

  /** Forgets the ranges before {@code ordinal}, which nobody will ask for again. */
  public void forgetBefore(long ordinal) {
    if (!empty) {
      synchronized (this) {
        ranges.remove(Range.lessThan(ordinal));
        empty = ranges.isEmpty();
      }
    }
  }
}
