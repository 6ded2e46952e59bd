/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.function.Supplier;

/**
 * Numbers the entries of one managed ledger 0, 1, 2 ... in topic order, so that a position is one
 * {@code long}: an acknowledgement becomes a compare-and-set, a lag a subtraction, a set of holes a
 * bitmap.
 *
 * <p>May be called from any thread; lookups do not lock. Ordinals live as long as this object (one
 * load of the topic): they are never stored.
 *
 * <p>A ledger's first ordinal is the number of entries before it. That number is final once a later
 * ledger exists, because a managed ledger closes a ledger, and records its size, before it opens
 * the next. A shadow topic may say too few for a moment, and a broker for ever of a ledger that it
 * could not close; the entries that were not told of are {@link #UNKNOWN} then.
 */
public final class LedgerIndex {

  /** The ordinal of a position whose ledger this topic does not have. */
  public static final long UNKNOWN = -1;

  /** Takes ordinals, {@code from} to {@code to} exclusive, that no entry has or ever will have. */
  public interface Gaps {
    void add(long from, long to);
  }

  private final Supplier<NavigableMap<Long, Long>> entriesByLedger;
  private final Gaps gaps;
  private volatile Snapshot snapshot = new Snapshot(new long[0], new long[0], 0);

  /**
   * @param entriesByLedger the topic's ledgers and the number of entries in each (any number for
   *     the one being written), in order; asked only when a ledger is met for the first time
   * @param gaps told of ordinals that are left out because a ledger was trimmed before its size was
   *     seen
   */
  public LedgerIndex(Supplier<NavigableMap<Long, Long>> entriesByLedger, Gaps gaps) {
    this.entriesByLedger = entriesByLedger;
    this.gaps = gaps;
    extend();
  }

  /** The ordinal of an entry, or {@link #UNKNOWN} when the topic has no such ledger. */
  public long ordinalOf(long ledgerId, long entryId) {
    Snapshot current = knowing(ledgerId);
    int index = current.indexOfLedger(ledgerId);
    return index < 0 || entryId < 0 || entryId >= current.entriesOf(index)
        ? UNKNOWN
        : current.bases[index] + entryId;
  }

  /** Whether all these entries, in topic order, have ordinals. */
  public boolean hasAll(List<EntryId> entries) {
    // From the last on: an entry of the next ledger says how many the one before has.
    for (int i = entries.size() - 1; i >= 0; i--) {
      EntryId entry = entries.get(i);
      if (ordinalOf(entry.ledgerId(), entry.entryId()) == UNKNOWN) {
        return false;
      }
    }
    return true;
  }

  /** Whether the topic has a ledger, or had when it was met. */
  public boolean hasLedger(long ledgerId) {
    return knowing(ledgerId).indexOfLedger(ledgerId) >= 0;
  }

  /**
   * The ordinal of the first entry after a position, which may name an entry that is gone, entry -1
   * (before the first of its ledger), or one past the end of its ledger.
   */
  public long ordinalAfter(long ledgerId, long entryId) {
    Snapshot current = knowing(ledgerId);
    int index = current.indexOfLedger(ledgerId);
    if (index >= 0) {
      return current.bases[index] + Math.min(entryId, current.entriesOf(index) - 1) + 1;
    }
    int next = -index - 1;
    if (next < current.bases.length) {
      return current.bases[next];
    }
    // After every ledger there is: the end of the last one.
    return endOf(current);
  }

  /**
   * Whether the ledger is older than every ledger known here: whatever it held has been
   * acknowledged and trimmed.
   */
  public boolean isTrimmed(long ledgerId) {
    Snapshot current = snapshot;
    return current.ledgers.length > 0 && ledgerId < current.ledgers[0];
  }

  /** Whether the topic has no ledger: it was terminated without a message, or all are trimmed. */
  public boolean isEmpty() {
    return extend().ledgers.length == 0;
  }

  /** The ledger and entry of an ordinal at or after the first one of this index. */
  public EntryId entryAt(long ordinal) {
    Snapshot current = extend();
    int index = Arrays.binarySearch(current.bases, ordinal);
    if (index < 0) {
      index = -index - 2;
    } else {
      // Empty ledgers share their first ordinal with the next one; the entry is in the last of
      // them.
      while (index + 1 < current.bases.length && current.bases[index + 1] == ordinal) {
        index++;
      }
    }
    if (index < 0) {
      throw new IllegalArgumentException("No ledger holds ordinal " + ordinal);
    }
    return new EntryId(current.ledgers[index], ordinal - current.bases[index]);
  }

  /** The entry just before an ordinal; entry -1 of the first ledger when there is none. */
  public EntryId entryBefore(long ordinal) {
    Snapshot current = snapshot;
    if (ordinal > 0) {
      return entryAt(ordinal - 1);
    }
    return new EntryId(current.ledgers.length == 0 ? -1 : current.ledgers[0], -1);
  }

  /** What is known, after a look at the topic when the ledger is not among that. */
  private Snapshot knowing(long ledgerId) {
    Snapshot current = snapshot;
    return current.indexOfLedger(ledgerId) < 0 ? extend() : current;
  }

  private long endOf(Snapshot current) {
    int last = current.ledgers.length - 1;
    if (last < 0) {
      return 0;
    }
    // A terminated topic can have an empty ledger behind it, and be trimmed up to there.
    return current.bases[last]
        + entriesByLedger.get().getOrDefault(current.ledgers[last], current.lastEntries);
  }

  private synchronized Snapshot extend() {
    Snapshot current = snapshot;
    NavigableMap<Long, Long> ledgers = entriesByLedger.get();
    int known = current.ledgers.length;
    // The map grows and is trimmed meanwhile. The list is taken before any size is asked for: what
    // is in it has a size that is final, but for the last.
    List<Long> added =
        List.copyOf(
            known == 0
                ? ledgers.keySet()
                : ledgers.tailMap(current.ledgers[known - 1], false).keySet());
    if (added.isEmpty()) {
      return current;
    }
    long[] newLedgers = Arrays.copyOf(current.ledgers, known + added.size());
    long[] newBases = Arrays.copyOf(current.bases, known + added.size());
    int index = known;
    for (long ledgerId : added) {
      newLedgers[index] = ledgerId;
      newBases[index] =
          index == 0 ? 0 : firstOrdinalAfter(newLedgers[index - 1], newBases[index - 1], ledgers);
      index++;
    }
    Snapshot extended =
        new Snapshot(newLedgers, newBases, ledgers.getOrDefault(newLedgers[index - 1], 0L));
    snapshot = extended;
    return extended;
  }

  private long firstOrdinalAfter(long ledgerId, long base, NavigableMap<Long, Long> ledgers) {
    Long entries = ledgers.get(ledgerId);
    if (entries != null) {
      return base + entries;
    }
    // Trimmed before its size was seen here: leave room for every entry it can have had, so that
    // order holds.
    long next = base + (1L << 32);
    gaps.add(base, next);
    return next;
  }

  /** A ledger id and an entry id. */
  public record EntryId(long ledgerId, long entryId) {}

  /**
   * Never compared.
   *
   * @param lastEntries how many entries the last ledger had when it was met
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record Snapshot(long[] ledgers, long[] bases, long lastEntries) {
    /** How many ordinals a ledger has: of the last one any number. */
    long entriesOf(int index) {
      return index + 1 < bases.length ? bases[index + 1] - bases[index] : Long.MAX_VALUE;
    }

    int indexOfLedger(long ledgerId) {
      int last = ledgers.length - 1;
      return last >= 0 && ledgers[last] == ledgerId ? last : Arrays.binarySearch(ledgers, ledgerId);
    }
  }
}
