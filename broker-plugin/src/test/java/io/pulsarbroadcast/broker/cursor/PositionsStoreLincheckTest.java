/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static io.pulsarbroadcast.broker.Interleavings.require;

import io.pulsarbroadcast.broker.Interleavings;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Flushes asked for by several threads at once: none is answered before a write that began after it
 * was asked for (I1: a subscribe is answered when its name is on storage), and every one is
 * answered. That two are never under way together is beyond the size of a build: a gap between the
 * question whether one is and the note that one is was found with {@code
 * -Dlincheck.interleavings=600}, and not without.
 */
public class PositionsStoreLincheckTest {

  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0, () -> 0);
  private final LedgerIndex index = new LedgerIndex(TreeMap::new, (from, to) -> {});
  private final CountingLog log = new CountingLog();
  private final PositionsStore store = new PositionsStore(log, registry, index, 10);
  private final List<CompletableFuture<Void>> flushes = new ArrayList<>();
  private int names;

  @Operation
  public void subscribe() {
    VirtualCursor cursor = registry.connect(newName(), 60, () -> 0, 0);
    CompletableFuture<Void> flushed = store.flushNewNames();
    keep(flushed);
    require(!flushed.isDone() || registry.isNameStored(cursor), "I1: answered and not stored");
  }

  @Operation
  public void flush() {
    keep(store.flush());
  }

  private synchronized String newName() {
    return "car-" + names++;
  }

  private synchronized void keep(CompletableFuture<Void> flushed) {
    flushes.add(flushed);
  }

  @Validate
  public void everyFlushIsAnsweredAndEveryNameStored() throws Exception {
    for (CompletableFuture<Void> flushed : flushes) {
      require(flushed.isDone() && !flushed.isCompletedExceptionally(), "a flush has no answer");
    }
    StoredPositions stored = new StoredPositions();
    for (byte[] record : log.records) {
      stored.apply(record);
    }
    require(stored.size() == names, "a name is not stored");
  }

  @Test
  void shouldAnswerEachFlushWhenItsNameIsStored() {
    String cursor = "io.pulsarbroadcast.broker.cursor.";
    Interleavings.check(
        PositionsStoreLincheckTest.class,
        Sequential.class,
        5,
        "org.roaringbitmap.",
        cursor + "PositionsRecord",
        cursor + "StoredPositions",
        cursor + "Named",
        cursor + "LedgerIndex",
        cursor + "VirtualCursor");
  }

  /** Nothing is answered that depends on the order. */
  public static class Sequential {
    public void subscribe() {}

    public void flush() {}
  }

  private static final class CountingLog implements PositionsStore.Log {
    private final List<byte[]> records = new ArrayList<>();

    @Override
    public synchronized CompletableFuture<Object> append(byte[] record) {
      records.add(record);
      return CompletableFuture.completedFuture(record);
    }

    @Override
    public void forgetBefore(Object record) {
      // Keeps all of it.
    }
  }
}
