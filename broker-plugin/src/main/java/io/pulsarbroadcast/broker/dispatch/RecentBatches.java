/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The last batches that were read for consumers behind. Confined to the dispatcher's thread.
 *
 * <p>Connections that are equally far behind ask for the same batch a moment apart, because each
 * sends the one before in its own time. Without these, all but the first would have it read again.
 * They also keep those connections together: the first waits for each read, and the others, who do
 * not, come nearer. A connection that falls further back than they reach has reads of its own from
 * then on.
 */
final class RecentBatches {

  /** One batch: what was read from {@code from} on, and where the next begins. */
  record Batch(List<BroadcastEntry> entries, long from, long next, long bytes) {}

  /** Entries of few bytes, or none, take memory too, and every request looks at all batches. */
  private static final int MAX_BATCHES = 64;

  private final long maxBytes;
  private final Deque<Batch> batches = new ArrayDeque<>();
  private long bytes;

  RecentBatches(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Keeps a batch, with a reference to each entry, in place of the oldest. */
  void add(List<BroadcastEntry> entries, long from, long next, long sizeBytes) {
    if (entries.isEmpty() || sizeBytes > maxBytes) {
      return;
    }
    entries.forEach(BroadcastEntry::retain);
    batches.addLast(new Batch(entries, from, next, sizeBytes));
    bytes += sizeBytes;
    Iterator<Batch> oldest = batches.iterator();
    while (bytes > maxBytes || batches.size() > MAX_BATCHES) {
      Batch dropped = oldest.next();
      oldest.remove();
      bytes -= dropped.bytes;
      dropped.entries.forEach(BroadcastEntry::release);
    }
  }

  /** The batch that has this place, or null. */
  Batch find(long ordinal) {
    for (Batch batch : batches) {
      if (batch.from <= ordinal && ordinal < batch.next) {
        return batch;
      }
    }
    return null;
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  void clear() {
    batches.forEach(batch -> batch.entries.forEach(BroadcastEntry::release));
    batches.clear();
    bytes = 0;
  }
}
