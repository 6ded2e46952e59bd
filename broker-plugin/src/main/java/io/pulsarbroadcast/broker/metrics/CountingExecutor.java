/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** An executor that knows how many of its tasks wait or run. May be used from any thread. */
public final class CountingExecutor implements Executor {

  private final Executor executor;
  private final AtomicInteger queued = new AtomicInteger();

  public CountingExecutor(Executor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    queued.incrementAndGet();
    try {
      executor.execute(
          () -> {
            queued.decrementAndGet();
            task.run();
          });
    } catch (RuntimeException e) {
      queued.decrementAndGet();
      throw e;
    }
  }

  /** How many tasks wait for their turn. */
  public int queued() {
    return queued.get();
  }
}
