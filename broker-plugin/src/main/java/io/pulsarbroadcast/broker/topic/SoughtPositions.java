/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Where consumers of one connection sought whose positions do not outlast it, until they reconnect.
 * May be called from any thread.
 *
 * <p>Each is kept as the entry before it, because the topic may be loaded anew meanwhile, and
 * ordinals are those of one load. Who does not come back within a minute, because its client closed
 * it or the topic has moved to another broker, starts where its subscribe says.
 */
final class SoughtPositions {

  private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier clockNanos;

  /** By the id of the consumer; the oldest first. */
  private final Map<Long, Sought> sought = new LinkedHashMap<>();

  private record Sought(EntryId before, long sinceNanos) {}

  SoughtPositions(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
  }

  /** Keeps the entry after which a consumer is to start that is about to reconnect. */
  synchronized void keep(long consumerId, EntryId before) {
    forgetOld();
    sought.remove(consumerId);
    sought.put(consumerId, new Sought(before, clockNanos.getAsLong()));
  }

  /** The entry after which a consumer is to start that has reconnected, once; else null. */
  synchronized EntryId take(long consumerId) {
    forgetOld();
    Sought taken = sought.remove(consumerId);
    return taken == null ? null : taken.before;
  }

  /** How many are kept. */
  synchronized int count() {
    return sought.size();
  }

  private void forgetOld() {
    Iterator<Sought> oldest = sought.values().iterator();
    while (oldest.hasNext() && clockNanos.getAsLong() - oldest.next().sinceNanos > KEPT_NANOS) {
      oldest.remove();
    }
  }
}
