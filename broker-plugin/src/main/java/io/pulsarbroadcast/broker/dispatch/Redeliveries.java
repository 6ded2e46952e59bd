/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The single entries that one consumer of the unordered contract is to be sent again or later, and
 * how often each has been asked for again: what the broker's trackers of redeliveries and of
 * delayed messages are to a Shared subscription. Like it, it is gone with the consumer's
 * connection.
 *
 * <p>Confined to its connection's event loop.
 */
final class Redeliveries {

  /** Entries that nobody asked for may be read between two that are, rather than reading twice. */
  private static final int MAX_GAP_ENTRIES = 16;

  private static final int MAX_RUN_ENTRIES = 1_000;

  /**
   * Counts of acknowledged entries are looked for when there are this many, and then twice. Few: a
   * hundred thousand consumers may each have as many.
   */
  private static final int MIN_COUNTS_TO_PRUNE = 16;

  private final VirtualCursor cursor;
  private final NavigableSet<Long> due = new TreeSet<>();
  private final Set<Long> delayed = new HashSet<>();
  private final Map<Long, Integer> counts = new HashMap<>();
  private int countsToPrune = MIN_COUNTS_TO_PRUNE;

  Redeliveries(VirtualCursor cursor) {
    this.cursor = cursor;
  }

  /** Asks for an entry again, unless it is acknowledged. */
  void add(long ordinal) {
    if (!cursor.isAcknowledged(ordinal) && !delayed.contains(ordinal) && due.add(ordinal)) {
      counts.merge(ordinal, 1, Integer::sum);
      if (counts.size() >= countsToPrune) {
        counts.keySet().removeIf(cursor::isAcknowledged);
        countsToPrune = Math.max(MIN_COUNTS_TO_PRUNE, 2 * counts.size());
      }
    }
  }

  /** Notes an entry that is to be sent for the first time, later. */
  void delay(long ordinal) {
    delayed.add(ordinal);
  }

  /** An entry is to be sent now that was delayed. */
  void endDelay(long ordinal) {
    if (delayed.remove(ordinal) && !cursor.isAcknowledged(ordinal)) {
      due.add(ordinal);
    }
  }

  /** How many entries the consumer has been passed over for the time being. */
  int size() {
    return due.size() + delayed.size();
  }

  /** How many entries are to be sent later. */
  int delayedEntries() {
    return delayed.size();
  }

  /** Forgets what is to be sent; how often it was asked for stays. */
  void clear() {
    due.clear();
    delayed.clear();
  }

  /** Takes an entry off, which is being sent; false when it was not asked for. */
  boolean remove(long ordinal) {
    return due.remove(ordinal);
  }

  /** Puts an entry back that was taken off and could not be sent. */
  void keep(long ordinal) {
    due.add(ordinal);
  }

  /** Takes off what lies in {@code from} to {@code to}, exclusive: it is for nobody. */
  void removeRange(long from, long to) {
    due.subSet(from, to).clear();
  }

  /** Takes off what is before {@code ordinal}. */
  void dropBefore(long ordinal) {
    if (!due.isEmpty() && due.first() < ordinal) {
      due.headSet(ordinal).clear();
    }
  }

  boolean isEmpty() {
    return due.isEmpty();
  }

  long first() {
    return due.first();
  }

  /** The end, exclusive, of a run of entries from {@link #first()} that is worth one read. */
  long endOfRun() {
    long first = due.first();
    long end = first + 1;
    for (long ordinal : due) {
      if (ordinal - end > MAX_GAP_ENTRIES || ordinal - first > MAX_RUN_ENTRIES) {
        return end;
      }
      end = ordinal + 1;
    }
    return end;
  }

  /** How often an entry has been asked for again. */
  int countOf(long ordinal) {
    return counts.getOrDefault(ordinal, 0);
  }
}
