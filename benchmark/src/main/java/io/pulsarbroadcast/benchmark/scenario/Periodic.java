/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Does something every few seconds on a thread of its own, until it fails or is closed. One thread
 * may call it.
 */
public final class Periodic implements AutoCloseable {
  /** What it does. */
  public interface Task {
    void run() throws IOException, InterruptedException;
  }

  private final ScheduledExecutorService timer;
  private final ScheduledFuture<?> running;

  /** Begins. */
  public Periodic(String name, int firstAfterSeconds, int everySeconds, Task task) {
    timer = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory(name, true));
    running =
        timer.scheduleAtFixedRate(
            () -> run(task), firstAfterSeconds, everySeconds, TimeUnit.SECONDS);
  }

  private static void run(Task task) {
    try {
      task.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Throws when it has failed. */
  public void check() throws IOException, InterruptedException {
    if (running.isDone() && !running.isCancelled()) {
      try {
        running.get();
      } catch (ExecutionException e) {
        throw new IOException(e.getCause().getMessage(), e.getCause());
      }
    }
  }

  /** Ends, with what has begun. */
  @Override
  public void close() throws IOException, InterruptedException {
    running.cancel(false);
    timer.shutdown();
    if (!timer.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IOException("What is done periodically takes longer than a minute");
    }
  }
}
