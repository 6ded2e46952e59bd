/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * When one entry, read at the tail, passed the {@linkplain Stage stages} of its way to the
 * consumers. One object per entry, shared by all connections; its methods say who calls them.
 */
public final class EntryTrace {

  private static final long UNKNOWN = 0;
  private static final AtomicLongFieldUpdater<EntryTrace> FIRST_WRITE_NANOS =
      AtomicLongFieldUpdater.newUpdater(EntryTrace.class, "firstWriteNanos");

  private final SubscriptionMetrics metrics;
  private final long persistedNanos;
  private final long readNanos;
  private long handedOverNanos;

  /** Written by the connection that is first. */
  private volatile long firstWriteNanos;

  private EntryTrace(SubscriptionMetrics metrics, long persistedNanos, long readNanos) {
    this.metrics = metrics;
    this.persistedNanos = persistedNanos;
    this.readNanos = readNanos;
  }

  /**
   * Begins: the tail reader has an entry.
   *
   * @param persisted when storage had answered, or null when that is not known
   */
  public static EntryTrace read(SubscriptionMetrics metrics, PersistTimes.Persisted persisted) {
    long now = System.nanoTime();
    if (persisted == null) {
      return new EntryTrace(metrics, UNKNOWN, now);
    }
    metrics.stage(Stage.NOTIFY, now - persisted.nanos());
    return new EntryTrace(metrics, persisted.nanos(), now);
  }

  /** The entry is about to be handed to the connections. Called once, by the dispatch thread. */
  public void handedOver() {
    handedOverNanos = System.nanoTime();
    metrics.stage(Stage.PREPARE, handedOverNanos - readNanos);
  }

  /** A frame of the entry is being written. Called by each connection, once or more often. */
  public void written() {
    if (firstWriteNanos != UNKNOWN) {
      return;
    }
    long now = System.nanoTime();
    if (FIRST_WRITE_NANOS.compareAndSet(this, UNKNOWN, now)) {
      metrics.stage(Stage.FIRST_WRITE, now - handedOverNanos);
    }
  }

  /** No connection needs the entry any more. Called once, by the last. */
  public void done() {
    if (firstWriteNanos == UNKNOWN) {
      // Nobody was at the tail.
      return;
    }
    long now = System.nanoTime();
    metrics.stage(Stage.LAST_WRITE, now - handedOverNanos);
    if (persistedNanos != UNKNOWN) {
      metrics.persistToLastWrite().record(now - persistedNanos, TimeUnit.NANOSECONDS);
    }
  }
}
