/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import com.google.common.collect.Range;
import com.google.common.collect.TreeRangeSet;
import io.pulsarbroadcast.broker.PieceBenchmark;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;

/**
 * One acknowledgement of one consumer: a {@link VirtualCursor} against a position object under a
 * lock with a range set for what is acknowledged ahead, as a managed cursor has it, and against an
 * atomic reference to a position object.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AckBenchmark extends PieceBenchmark {
  private static final long END = Long.MAX_VALUE - 1;

  /** As Pulsar's positions are. */
  private record LedgerAndEntry(long ledgerId, long entryId) {}

  private VirtualCursor cursor;
  private TreeRangeSet<Long> locked;
  private LedgerAndEntry lockedPosition;
  private AtomicReference<LedgerAndEntry> reference;
  private long next;

  @Setup
  public void start() {
    cursor = new VirtualCursor("consumer", true, new SkippedEntries(), 0, END);
    locked = TreeRangeSet.create();
    lockedPosition = new LedgerAndEntry(1, -1);
    reference = new AtomicReference<>(lockedPosition);
    next = 0;
  }

  @Benchmark
  public Object cumulativeVirtualCursor() {
    return cursor.ackCumulative(next++);
  }

  @Benchmark
  public Object cumulativePositionUnderLock() {
    synchronized (locked) {
      LedgerAndEntry acknowledged = new LedgerAndEntry(1, next++);
      if (acknowledged.entryId > lockedPosition.entryId) {
        lockedPosition = acknowledged;
        locked.remove(Range.atMost(acknowledged.entryId));
      }
      return lockedPosition;
    }
  }

  @Benchmark
  public Object cumulativeAtomicReference() {
    LedgerAndEntry acknowledged = new LedgerAndEntry(1, next++);
    LedgerAndEntry current;
    do {
      current = reference.get();
      if (acknowledged.entryId <= current.entryId) {
        return current;
      }
    } while (!reference.compareAndSet(current, acknowledged));
    return acknowledged;
  }

  @Benchmark
  public Object individualInOrderVirtualCursor() {
    return cursor.ackIndividual(next++);
  }

  @Benchmark
  public Object individualInOrderRangeSetUnderLock() {
    return individualUnderLock(next++);
  }

  /** Each pair the wrong way round, so that every second one leaves a hole. */
  @Benchmark
  public Object individualSwappedVirtualCursor() {
    return cursor.ackIndividual(next++ ^ 1);
  }

  @Benchmark
  public Object individualSwappedRangeSetUnderLock() {
    return individualUnderLock(next++ ^ 1);
  }

  private Object individualUnderLock(long entryId) {
    synchronized (locked) {
      locked.add(Range.closedOpen(entryId, entryId + 1));
      Range<Long> first = locked.rangeContaining(lockedPosition.entryId + 1);
      if (first != null) {
        lockedPosition = new LedgerAndEntry(1, first.upperEndpoint() - 1);
        locked.remove(first);
      }
      return lockedPosition;
    }
  }
}
