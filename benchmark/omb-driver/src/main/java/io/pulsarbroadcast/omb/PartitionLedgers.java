/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The entries that a partition is known to have: those that any consumer of this process has been
 * sent, and those that the broker's statistics name. Any thread may call it.
 *
 * <p>Entry ids of a ledger are contiguous from 0, so its highest is enough. The broker deletes
 * ledgers that everybody has acknowledged; what was seen of them stays known here.
 */
final class PartitionLedgers {
  private final Map<Long, AtomicLong> highestEntryOfLedger = new ConcurrentHashMap<>();

  /** The highest entry of a ledger that is known, which the caller may raise. */
  AtomicLong highestEntry(long ledger) {
    return highestEntryOfLedger.computeIfAbsent(ledger, id -> new AtomicLong(-1));
  }

  /** Takes over what the broker says in a topic's internal statistics. */
  void add(JsonNode internalStats) {
    JsonNode ledgers = internalStats.path("ledgers");
    for (int i = 0; i < ledgers.size(); i++) {
      // The entries of the ledger that is being written to are counted apart.
      long entries =
          i == ledgers.size() - 1
              ? internalStats.path("currentLedgerEntries").asLong()
              : ledgers.get(i).path("entries").asLong();
      long highest = entries - 1;
      if (highest >= 0) {
        highestEntry(ledgers.get(i).path("ledgerId").asLong()).accumulateAndGet(highest, Math::max);
      }
    }
  }

  long entries() {
    return highestEntryOfLedger.values().stream().mapToLong(highest -> highest.get() + 1).sum();
  }

  /** How many entries come after a position. */
  long entriesAfter(long ledger, long entry) {
    long entries = 0;
    for (Map.Entry<Long, AtomicLong> known : highestEntryOfLedger.entrySet()) {
      if (known.getKey() > ledger) {
        entries += known.getValue().get() + 1;
      } else if (known.getKey() == ledger) {
        entries += Math.max(0, known.getValue().get() - entry);
      }
    }
    return entries;
  }
}
