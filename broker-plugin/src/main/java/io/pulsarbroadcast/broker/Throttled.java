/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A task that runs one interval after it is first asked for, however often it is asked for
 * meanwhile, and not at all when it is not. May be called from any thread; asking again costs one
 * volatile read.
 */
public final class Throttled {

  private final ScheduledExecutorService timer;
  private final long intervalMillis;
  private final Runnable task;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * @param timer runs the task
   */
  public Throttled(ScheduledExecutorService timer, long intervalMillis, Runnable task) {
    this.timer = timer;
    this.intervalMillis = intervalMillis;
    this.task = task;
  }

  /** Asks for a run. What the caller changed before is seen by it. */
  public void request() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      timer.schedule(this::run, intervalMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void run() {
    scheduled.set(false);
    task.run();
  }
}
