/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static io.pulsarbroadcast.broker.Interleavings.require;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Changes that are asked to be written while a run begins: the last change is always seen by a run
 * (I5: a position that moved is stored within the interval).
 */
public class ThrottledLincheckTest {

  private final Timer timer = new Timer();
  private final AtomicInteger changes = new AtomicInteger();
  private volatile int written;
  private final Throttled throttled =
      new Throttled(timer, 1_000, () -> written = Math.max(written, changes.get()));

  @Operation
  public void change() {
    changes.incrementAndGet();
    throttled.request();
  }

  @Operation(nonParallelGroup = "timer")
  public void tick() {
    timer.runOne();
  }

  @Validate
  public void theLastChangeIsWritten() {
    require(timer.due.size() <= 1, "more than one run is scheduled");
    timer.runOne();
    require(written == changes.get(), "a change was not written");
  }

  @Test
  void shouldRunAfterTheLastRequest() {
    Interleavings.check(ThrottledLincheckTest.class, Sequential.class, 30);
  }

  /** Nothing is answered that depends on the order. */
  public static class Sequential {
    public void change() {}

    public void tick() {}
  }

  /** Runs what is scheduled when it is told to; starts no thread. */
  private static final class Timer extends ScheduledThreadPoolExecutor {
    private final ConcurrentLinkedQueue<Runnable> due = new ConcurrentLinkedQueue<>();

    Timer() {
      super(0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      due.add(task);
      return null;
    }

    void runOne() {
      Runnable task = due.poll();
      if (task != null) {
        task.run();
      }
    }
  }
}
