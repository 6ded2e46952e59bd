/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntToLongFunction;

/**
 * Sizes and times of stored positions without a broker: what {@link PositionsStore} writes and
 * {@link StoredPositions} reads, on a log in memory. Prints one line of comma-separated values per
 * case; times are medians. {@code ./bench positions} runs it.
 */
public final class PositionsEncodingMain {
  private static final int REPETITIONS = 9;
  private static final int PLACES = 100;
  private static final int HOLES = 1_000;
  private static final int HOLDERS_SHARE = 100;
  private static final int MAX_HOLES = 50_000;
  private static final long TTL_SECONDS = 604_800;
  private static final long LEDGER = 17;

  private final int consumers;
  private final LedgerIndex index;
  private final MemoryLog log = new MemoryLog();
  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
  private final List<VirtualCursor> cursors = new ArrayList<>();

  private PositionsEncodingMain(int consumers) {
    this.consumers = consumers;
    this.index =
        new LedgerIndex(
            () -> new TreeMap<>(Map.of(LEDGER, consumers + 10L * MAX_HOLES)), (from, to) -> {});
  }

  /** The number of consumers is the only argument. */
  public static void main(String[] arguments) throws IOException {
    int consumers = Integer.parseInt(arguments[0]);
    System.out.println(
        "case,snapshotBytes,snapshotRecords,snapshotMillis,deltaBytes,deltaRecords,deltaMillis,"
            + "recoverMillis");
    Random random = new Random(1);
    new PositionsEncodingMain(consumers).measure("one place", c -> 0, false);
    new PositionsEncodingMain(consumers)
        .measure(PLACES + " places", c -> random.nextInt(PLACES), false);
    new PositionsEncodingMain(consumers).measure("own places", c -> c, false);
    new PositionsEncodingMain(consumers).measure("1 % with holes", c -> 0, true);
  }

  private void measure(String name, IntToLongFunction place, boolean withHoles) throws IOException {
    for (int i = 0; i < consumers; i++) {
      VirtualCursor cursor =
          registry.connect(String.format(Locale.ROOT, "consumer-%06d", i), TTL_SECONDS, () -> 0, 0);
      cursor.delivered(consumers + 3L * HOLES);
      cursor.ackCumulative(place.applyAsLong(i) - 1);
      if (withHoles && i % HOLDERS_SHARE == 0) {
        for (int hole = 1; hole <= HOLES; hole++) {
          cursor.ackIndividual(2L * hole);
        }
      }
      cursors.add(cursor);
    }
    double[] snapshotMillis = new double[REPETITIONS];
    PositionsStore store = null;
    for (int i = 0; i < REPETITIONS; i++) {
      log.records.clear();
      store = newStore();
      snapshotMillis[i] = flushMillis(store);
    }
    List<byte[]> snapshot = List.copyOf(log.records);
    double[] recoverMillis = new double[REPETITIONS];
    for (int i = 0; i < REPETITIONS; i++) {
      recoverMillis[i] = recoverMillis(snapshot);
    }
    double[] deltaMillis = new double[REPETITIONS];
    for (int i = 0; i < REPETITIONS; i++) {
      moveEverybody(withHoles, i);
      log.records.clear();
      deltaMillis[i] = flushMillis(store);
      if (i < REPETITIONS - 1) {
        // Or a delta would be followed by a snapshot, which the next one must not be.
        store = newStore();
        store.flush().join();
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%s,%d,%d,%.3f,%d,%d,%.3f,%.3f%n",
        name,
        bytes(snapshot),
        snapshot.size(),
        median(snapshotMillis),
        bytes(log.records),
        log.records.size(),
        median(deltaMillis),
        median(recoverMillis));
  }

  private PositionsStore newStore() {
    return new PositionsStore(log, registry, index, MAX_HOLES);
  }

  /** Each acknowledges its next message; who has holes, one more of them. */
  private void moveEverybody(boolean withHoles, int round) {
    for (int i = 0; i < consumers; i++) {
      VirtualCursor cursor = cursors.get(i);
      if (withHoles && i % HOLDERS_SHARE == 0) {
        cursor.ackIndividual(2L * (HOLES + 1 + round));
      } else {
        cursor.ackCumulative(cursor.next());
      }
    }
  }

  private static double flushMillis(PositionsStore store) {
    long startNanos = System.nanoTime();
    store.flush().join();
    return (System.nanoTime() - startNanos) / 1e6;
  }

  private double recoverMillis(List<byte[]> records) throws IOException {
    long startNanos = System.nanoTime();
    StoredPositions stored = new StoredPositions();
    for (byte[] record : records) {
      stored.apply(record);
    }
    CursorRegistry recovered = new CursorRegistry(new SkippedEntries(), 0);
    stored.restore(recovered, index, consumers + 3L * HOLES);
    double millis = (System.nanoTime() - startNanos) / 1e6;
    if (recovered.leftBehindCount() != consumers) {
      throw new IllegalStateException(
          "Recovered " + recovered.leftBehindCount() + " of " + consumers + " positions");
    }
    return millis;
  }

  private static long bytes(List<byte[]> records) {
    return records.stream().mapToLong(record -> record.length).sum();
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static final class MemoryLog implements PositionsStore.Log {
    private final List<byte[]> records = new ArrayList<>();

    @Override
    public CompletableFuture<Object> append(byte[] record) {
      records.add(record);
      return CompletableFuture.completedFuture(records.size());
    }

    @Override
    public void forgetBefore(Object record) {}
  }
}
