/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.PieceBenchmark;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The lowest of all positions, once per interval: a scan against a sorted structure that every
 * acknowledgement keeps up to date. In one interval each consumer acknowledges once.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LowestPositionBenchmark extends PieceBenchmark {
  @Param("100000")
  int consumers;

  /** At how many places they stand. */
  @Param({"1", "1000"})
  int places;

  private CursorRegistry registry;
  private VirtualCursor[] cursors;
  private TreeMap<Long, Integer> consumersAt;
  private long[] positions;
  private long round;

  @Setup
  public void start() {
    registry = new CursorRegistry(new SkippedEntries(), 0);
    cursors = new VirtualCursor[consumers];
    positions = new long[consumers];
    consumersAt = new TreeMap<>();
    consumersAt.put(0L, consumers);
    round = 0;
    for (int i = 0; i < consumers; i++) {
      cursors[i] = registry.connect("consumer-" + i, 60, () -> 0, Long.MAX_VALUE - 1);
    }
  }

  /** While the consumer that holds the position back has not moved, no scan is needed. */
  @Benchmark
  public long intervalWithoutMoves() {
    return registry.lowest();
  }

  @Benchmark
  public long intervalWithScan() {
    round++;
    for (int i = 0; i < cursors.length; i++) {
      cursors[i].ackCumulative(round + i % places);
    }
    return registry.lowest();
  }

  @Benchmark
  public long intervalWithSortedPositions() {
    round++;
    for (int i = 0; i < positions.length; i++) {
      synchronized (consumersAt) {
        consumersAt.merge(
            positions[i], -1, (count, less) -> count + less == 0 ? null : count + less);
        positions[i] = round + i % places;
        consumersAt.merge(positions[i], 1, Integer::sum);
      }
    }
    return consumersAt.firstKey();
  }
}
