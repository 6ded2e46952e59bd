/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Set;
import java.util.TreeMap;

/**
 * The entries of a topic that no consumer is ever given (transaction markers, aborted messages,
 * lost ledgers), by their ordinals. They count as acknowledged by everybody, or the last of them
 * would hold the subscription back.
 *
 * <p>They are forgotten only when the subscription moves on: while one consumer holds it, there is
 * one more with each transaction.
 *
 * <p>May be called from any thread. Costs one volatile read while there are none, which is the
 * common case.
 */
public final class SkippedEntries {

  @GuardedBy("this")
  private final OrdinalSet entries;

  /**
   * Ordinals that no entry has; nobody stands behind one, so they matter to counts only. They are
   * few: one range for each ledger that was trimmed unseen.
   */
  @GuardedBy("this")
  private final RangeSet<Long> gaps = TreeRangeSet.create();

  private volatile boolean empty = true;
  private volatile boolean hasGaps;

  public SkippedEntries() {
    this(new OrdinalSet(new TreeMap<>()));
  }

  /**
   * @param entries an empty set
   */
  SkippedEntries(OrdinalSet entries) {
    this.entries = entries;
  }

  /** Records that the entries {@code from} to {@code to}, exclusive, are given to nobody. */
  public synchronized void add(long from, long to) {
    if (from < to) {
      entries.add(from, to);
      empty = false;
    }
  }

  /** The first ordinal at or after {@code ordinal} that is not skipped. */
  public long firstNotSkipped(long ordinal) {
    if (empty) {
      return ordinal;
    }
    synchronized (this) {
      return entries.nextAbsent(ordinal);
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
    for (Range<Long> gap : gapsOf(from, to)) {
      count += gap.upperEndpoint() - gap.lowerEndpoint();
    }
    return count;
  }

  /** How many of the ordinals {@code from} to {@code to}, exclusive, are given to nobody. */
  public long countWithin(long from, long to) {
    if (from >= to || !hasAny()) {
      return 0;
    }
    synchronized (this) {
      long count = entries.countWithin(from, to);
      for (Range<Long> gap : gapsOf(from, to)) {
        // What was read across a gap is among the entries.
        long first = gap.lowerEndpoint();
        long end = gap.upperEndpoint();
        count += end - first - entries.countWithin(first, end);
      }
      return count;
    }
  }

  @GuardedBy("this")
  private Set<Range<Long>> gapsOf(long from, long to) {
    return gaps.subRangeSet(Range.closedOpen(from, to)).asRanges();
  }

  /** The first ordinal at or after {@code ordinal} that is neither skipped nor in a gap. */
  public long nextGiven(long ordinal) {
    if (!hasAny()) {
      return ordinal;
    }
    synchronized (this) {
      long given = ordinal;
      while (true) {
        given = entries.nextAbsent(given);
        Range<Long> gap = gaps.rangeContaining(given);
        if (gap == null) {
          return given;
        }
        given = gap.upperEndpoint();
      }
    }
  }

  private boolean hasAny() {
    return !empty || hasGaps;
  }

  /** Forgets the entries before {@code ordinal}, which nobody will ask for again. */
  public void forgetBefore(long ordinal) {
    if (!empty) {
      synchronized (this) {
        entries.removeBefore(ordinal);
        empty = entries.isEmpty();
      }
    }
  }
}
