/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * Adds up the rows and statistics of a fleet. Fed by one event loop after the other, each with what
 * belongs to it, so that running event loops can be asked too.
 */
final class SnapshotCollector {
  private final ConsumerTable table;
  private final Histogram endToEndMicros = LoopStats.newHistogram();
  private final Histogram connectMicros = LoopStats.newHistogram();
  private final long[] lastReceiverMicros;
  private final int[] receivers;
  private long received;
  private long duplicates;
  private long outOfOrder;
  private long skipped;
  private long corrupt;
  private long unexpected;

  SnapshotCollector(ConsumerTable table, int messages) {
    this.table = table;
    this.lastReceiverMicros = new long[messages];
    this.receivers = new int[messages];
  }

  void add(LoopStats stats) {
    endToEndMicros.add(stats.latencyMicros);
    corrupt += stats.corrupt;
    unexpected += stats.unexpected;
    for (int i = 0; i < receivers.length; i++) {
      receivers[i] += stats.receivers[i];
      lastReceiverMicros[i] = Math.max(lastReceiverMicros[i], stats.lastReceiverMicros[i]);
    }
  }

  void addRows(int first, int end) {
    for (int consumer = first; consumer < end; consumer++) {
      received += table.received(consumer);
      duplicates += table.duplicates[consumer];
      outOfOrder += table.outOfOrder[consumer];
      skipped += table.skipped[consumer];
      if (table.connectMicros[consumer] >= 0) {
        connectMicros.recordValue(
            Math.min(table.connectMicros[consumer], TimeUnit.HOURS.toMicros(1)));
      }
    }
  }

  FleetSnapshot snapshot(FleetCounters counters, long startNanos) {
    long allSubscribedNanos = counters.allSubscribedNanos;
    List<Long> last = LongStream.of(lastReceiverMicros).boxed().toList();
    List<Integer> perMessage = IntStream.of(receivers).boxed().toList();
    return new FleetSnapshot(
        table.size(),
        counters.subscribed.get(),
        received,
        duplicates,
        outOfOrder,
        skipped,
        corrupt,
        unexpected,
        counters.protocolErrors.get(),
        counters.connectionsLost.get(),
        endToEndMicros,
        last,
        perMessage,
        connectMicros,
        allSubscribedNanos == 0 ? 0 : (allSubscribedNanos - startNanos) / 1_000,
        counters.brokerVersion,
        counters.firstError.get());
  }
}
