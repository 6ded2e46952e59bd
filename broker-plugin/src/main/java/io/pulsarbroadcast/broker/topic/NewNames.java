/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import com.google.common.base.Suppliers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Counts the names without a position under which one connection subscribes durable consumers,
 * minute by minute. May be called from any thread.
 */
final class NewNames {

  private final Supplier<AtomicInteger> thisMinute;

  /**
   * @param minute how long one lasts
   */
  NewNames(Duration minute) {
    thisMinute =
        Suppliers.memoizeWithExpiration(AtomicInteger::new, minute.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Counts one more.
   *
   * @return false when there were {@code limit} in this minute already
   */
  boolean add(int limit) {
    return thisMinute.get().incrementAndGet() <= limit;
  }
}
