/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.Interleavings;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Ledgers of three entries that roll over while others ask: an ordinal once given never changes.
 */
@Param(name = "ledger", gen = IntGen.class, conf = "1:4")
public class LedgerIndexLincheckTest {

  private static final long ENTRIES = 3;

  private final ConcurrentSkipListMap<Long, Long> ledgers = new ConcurrentSkipListMap<>();
  private final LedgerIndex index;

  public LedgerIndexLincheckTest() {
    ledgers.put(1L, 0L);
    index = new LedgerIndex(() -> ledgers, (from, to) -> {});
  }

  /** In the managed ledger's order: the size of the ledger, then the next ledger. */
  @Operation(nonParallelGroup = "managed ledger")
  public void rollOver() {
    long last = ledgers.lastKey();
    ledgers.put(last, ENTRIES);
    ledgers.put(last + 1, 0L);
  }

  @Operation
  public long ordinalOf(@Param(name = "ledger") int ledger) {
    return index.ordinalOf(ledger, 1);
  }

  @Operation
  public boolean namesTheEntryOfAnOrdinal(@Param(name = "ledger") int ledger) {
    long ordinal = index.ordinalOf(ledger, 2);
    return ordinal == LedgerIndex.UNKNOWN || index.entryAt(ordinal).equals(new EntryId(ledger, 2));
  }

  @Test
  void shouldNumberEntriesTheSameWhileLedgersRollOver() {
    Interleavings.check(LedgerIndexLincheckTest.class, Sequential.class, 50);
  }

  /** What is expected: the last ledger. */
  public static class Sequential {
    private int last = 1;

    public void rollOver() {
      last++;
    }

    public long ordinalOf(int ledger) {
      return ledger <= last ? (ledger - 1) * ENTRIES + 1 : LedgerIndex.UNKNOWN;
    }

    public boolean namesTheEntryOfAnOrdinal(int ledger) {
      return true;
    }
  }
}
