/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Several {@link WireFuzzer}s at once, at a rate, each with seed after seed. One thread may call
 * it.
 */
final class WireFuzzers implements AutoCloseable {
  /** As in {@link WireFuzzIT}, which repeats a seed. */
  private static final int FRAMES_PER_SEED = 300;

  private static final int FRAMES_AT_ONCE = 10;
  private static final int AT_ONCE = 2;

  private final Broker broker;
  private final Bystanders bystanders;
  private final AtomicLong nextSeed;
  private final long pauseNanos;
  private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);

  /**
   * @param bystanders whose subscription they send to
   * @param framesPerSecond all together
   */
  WireFuzzers(Broker broker, Bystanders bystanders, long firstSeed, int framesPerSecond) {
    this.broker = broker;
    this.bystanders = bystanders;
    this.nextSeed = new AtomicLong(firstSeed);
    this.pauseNanos = TimeUnit.SECONDS.toNanos(1) * FRAMES_AT_ONCE * AT_ONCE / framesPerSecond;
  }

  /** Returns when the time is over and all connections are closed. */
  void run(int seconds, WireTally tally) throws InterruptedException {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Callable<Void>> each = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      each.add(() -> run(endNanos, tally));
    }
    for (Future<Void> one : threads.invokeAll(each)) {
      try {
        one.get();
      } catch (ExecutionException e) {
        throw new AssertionError(e.getCause().getMessage(), e.getCause());
      }
    }
  }

  private Void run(long endNanos, WireTally tally) throws InterruptedException {
    long dueNanos = System.nanoTime();
    while (endNanos - dueNanos > 0) {
      long seed = nextSeed.getAndIncrement();
      try (WireFuzzer fuzzer =
          new WireFuzzer(broker, bystanders.topic, bystanders.ids(), seed, tally)) {
        for (int sent = 0;
            sent < FRAMES_PER_SEED && endNanos - dueNanos > 0;
            sent += FRAMES_AT_ONCE) {
          fuzzer.send(FRAMES_AT_ONCE);
          dueNanos = Math.max(dueNanos + pauseNanos, System.nanoTime());
          TimeUnit.NANOSECONDS.sleep(dueNanos - System.nanoTime());
        }
      } catch (IOException | IllegalStateException e) {
        throw new AssertionError("-Dwire.seed=" + seed + ": " + e, e);
      }
    }
    return null;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
