/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.load.RunListener;
import java.util.function.LongSupplier;

/** Waits for what is still to arrive. Stateless; any thread may call it. */
final class Drain {
  private static final long POLL_MILLIS = 20;

  private Drain() {}

  /** Until so many are counted, or the limit is over; the listener hears how many there are. */
  static void await(long expected, LongSupplier count, long limitNanos, RunListener listener)
      throws InterruptedException {
    long startNanos = System.nanoTime();
    while (count.getAsLong() < expected && System.nanoTime() - startNanos < limitNanos) {
      listener.progress(count.getAsLong());
      Thread.sleep(POLL_MILLIS);
    }
    listener.progress(count.getAsLong());
  }
}
