/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one consumer has been sent of one partition, by message ids. Any thread may call it.
 *
 * <p>The payload is OpenMessaging Benchmark's and has no number in it, but ids have: the entries of
 * a ledger are numbered from 0 without a break, and so are the messages of a batch. Entries that
 * were passed over are remembered, so that one that comes late is told from one that comes twice.
 */
final class PositionTrail {
  /** Beyond so many holes, an entry that comes late counts as a duplicate. */
  private static final int MAX_HOLES = 1_000;

  private final PartitionLedgers ledgers;
  private final List<Hole> holes = new ArrayList<>(0);
  private long ledger = -1;
  private long entry = -1;
  private int batchIndex;
  private int batchSize;
  private AtomicLong highestOfLedger;
  private long messages;
  private long entries;
  private long late;
  private long duplicates;
  private long missingOfBatches;

  PositionTrail(PartitionLedgers ledgers) {
    this.ledgers = ledgers;
  }

  private static final class Hole {
    private final long ledger;
    private long first;
    private final long last;

    Hole(long ledger, long first, long last) {
      this.ledger = ledger;
      this.first = first;
      this.last = last;
    }
  }

  /** What the end of a run found about one consumer of a partition. Immutable. */
  static final class Finding {
    /** Entries of the partition. */
    final long expected;

    /** Different ones that the consumer was sent. */
    final long received;

    /** Those of the missing that come after the last one received. */
    final long behind;

    final long late;
    final long duplicates;
    final long missingOfBatches;

    Finding(PositionTrail trail) {
      this.expected = trail.ledgers.entries();
      this.received = trail.entries;
      this.behind = trail.ledgers.entriesAfter(trail.ledger, trail.entry);
      this.late = trail.late;
      this.duplicates = trail.duplicates;
      this.missingOfBatches = trail.missingOfBatches;
    }

    long missing() {
      return expected - received;
    }

    /** Missing ones before the last one received. */
    long gaps() {
      return missing() - behind;
    }

    /** By name in the driver's result file. */
    Map<String, Long> counts() {
      Map<String, Long> counts = new LinkedHashMap<>();
      counts.put("expectedEntries", expected);
      counts.put("receivedEntries", received);
      counts.put("gapEntries", gaps());
      counts.put("behindEntries", behind);
      counts.put("lateEntries", late);
      counts.put("duplicateMessages", duplicates);
      counts.put("missingOfBatches", missingOfBatches);
      return counts;
    }

    boolean isClean() {
      return missing() == 0 && late == 0 && duplicates == 0 && missingOfBatches == 0;
    }
  }

  /** Books a message; index -1 and size 0 say that it is no part of a batch. */
  synchronized void received(long inLedger, long atEntry, int index, int size) {
    messages++;
    if (inLedger > ledger || (inLedger == ledger && atEntry > entry)) {
      finishBatch();
      advance(inLedger, atEntry);
      batchIndex = -1;
      batchSize = size;
      if (size > 0) {
        nextOfBatch(index);
      }
    } else if (inLedger == ledger && atEntry == entry && index > batchIndex) {
      nextOfBatch(index);
    } else if (!fillHole(inLedger, atEntry)) {
      duplicates++;
    }
  }

  private void advance(long inLedger, long atEntry) {
    if (inLedger != ledger) {
      ledger = inLedger;
      entry = -1;
      highestOfLedger = ledgers.highestEntry(inLedger);
    }
    if (atEntry > entry + 1 && holes.size() < MAX_HOLES) {
      holes.add(new Hole(inLedger, entry + 1, atEntry - 1));
    }
    entry = atEntry;
    entries++;
    if (highestOfLedger.get() < atEntry) {
      highestOfLedger.accumulateAndGet(atEntry, Math::max);
    }
  }

  private void nextOfBatch(int index) {
    missingOfBatches += index - batchIndex - 1;
    batchIndex = index;
  }

  /** A batch that is left before its last message lacks the rest. */
  private void finishBatch() {
    if (batchSize > 0) {
      missingOfBatches += batchSize - 1 - batchIndex;
      batchSize = 0;
    }
  }

  private boolean fillHole(long inLedger, long atEntry) {
    for (int i = 0; i < holes.size(); i++) {
      Hole hole = holes.get(i);
      if (hole.ledger == inLedger && hole.first <= atEntry && atEntry <= hole.last) {
        holes.remove(i);
        if (hole.first < atEntry) {
          holes.add(new Hole(inLedger, hole.first, atEntry - 1));
        }
        if (atEntry < hole.last) {
          holes.add(new Hole(inLedger, atEntry + 1, hole.last));
        }
        entries++;
        late++;
        return true;
      }
    }
    return false;
  }

  synchronized long messages() {
    return messages;
  }

  /** True when nothing that is known to exist is missing. */
  synchronized boolean isComplete() {
    return entries >= ledgers.entries();
  }

  synchronized Finding finding() {
    return new Finding(this);
  }
}
