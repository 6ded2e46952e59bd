/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.util.BitSet;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/**
 * The topic of the model: ledgers that roll over, stay empty and are trimmed, and entries of which
 * some are for nobody. The model numbers every entry that ever was 0, 1, 2 ... ("number"), which
 * survives restarts; the ordinals of a {@link LedgerIndex} do not. Not thread-safe.
 */
final class ModelTopic {

  private final TreeMap<Long, Ledger> everyLedger = new TreeMap<>();

  /** What the topic has: what a {@link LedgerIndex} asks for. */
  private final TreeMap<Long, Long> stored = new TreeMap<>();

  private final BitSet forNobody = new BitSet();
  private Ledger open;
  private int end;

  private static final class Ledger {
    private final long id;
    private final int first;
    private int entries;

    Ledger(long id, int first) {
      this.id = id;
      this.first = first;
    }

    int end() {
      return first + entries;
    }
  }

  ModelTopic() {
    openLedger(3);
  }

  NavigableMap<Long, Long> entriesByLedger() {
    return stored;
  }

  /** The number after the last entry. */
  int end() {
    return end;
  }

  /** The number of the first entry that is not trimmed. */
  int firstStored() {
    return everyLedger.get(stored.firstKey()).first;
  }

  boolean isForNobody(int number) {
    return forNobody.get(number);
  }

  /** The first number at or after {@code number} that is neither for nobody nor in {@code more}. */
  int firstNotIn(BitSet more, int number) {
    int next = number;
    while (next < end && (forNobody.get(next) || more.get(next))) {
      next++;
    }
    return Math.max(next, more.nextClearBit(next));
  }

  void publish(int entries, Random random) {
    for (int i = 0; i < entries; i++) {
      forNobody.set(end++, random.nextInt(8) == 0);
      open.entries++;
    }
  }

  /** Closes the ledger being written, and opens the next. */
  void rollOver(Random random) {
    stored.put(open.id, (long) open.entries);
    openLedger(open.id + 1 + random.nextInt(3));
  }

  private void openLedger(long id) {
    open = new Ledger(id, end);
    everyLedger.put(id, open);
    // The managed ledger does not say how many entries there are in the one it writes.
    stored.put(id, 0L);
  }

  /** Deletes the ledgers that end at or before {@code number}, but for the one being written. */
  void trim(int number) {
    while (stored.firstKey() != open.id && everyLedger.get(stored.firstKey()).end() <= number) {
      stored.pollFirstEntry();
    }
  }

  /** Where an entry is. */
  EntryId entry(int number) {
    Ledger ledger = open;
    while (ledger.first > number || ledger.entries == 0) {
      ledger = everyLedger.lowerEntry(ledger.id).getValue();
    }
    return new EntryId(ledger.id, number - ledger.first);
  }

  /** The last entry, or what stands for it when there is none: as the managed ledger has it. */
  EntryId lastEntry() {
    return end == 0 ? new EntryId(open.id, -1) : entry(end - 1);
  }

  /** The number of an entry; of one after the end of its ledger, the first of the next. */
  int number(EntryId entry) {
    Ledger ledger = everyLedger.get(entry.ledgerId());
    return (int) Math.min(ledger.end(), ledger.first + entry.entryId());
  }
}
