/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * When the last entries of one topic were persisted: a ring, so that it costs no more than one
 * small object per entry. Written by the topic's storage callbacks, one at a time; read from any
 * thread.
 */
public final class PersistTimes {

  private static final int SIZE = 1024;

  private final AtomicReferenceArray<Persisted> recent = new AtomicReferenceArray<>(SIZE);

  /**
   * One entry.
   *
   * @param nanos when storage answered, by {@link System#nanoTime()}
   */
  public record Persisted(long ledgerId, long entryId, long nanos) {}

  /** Storage has an entry. */
  public void persisted(long ledgerId, long entryId) {
    recent.setRelease(
        slotOf(entryId), new Persisted(ledgerId, entryId, Math.max(1, System.nanoTime())));
  }

  /** When storage had answered for an entry, or null when that is not known any more. */
  public Persisted of(long ledgerId, long entryId) {
    Persisted persisted = recent.getAcquire(slotOf(entryId));
    return persisted != null && persisted.ledgerId == ledgerId && persisted.entryId == entryId
        ? persisted
        : null;
  }

  private static int slotOf(long entryId) {
    return (int) (entryId & (SIZE - 1));
  }
}
