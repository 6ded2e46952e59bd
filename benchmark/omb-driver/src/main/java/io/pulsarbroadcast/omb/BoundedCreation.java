/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates very many things asynchronously: so many at a time, each tried again when it fails. Any
 * thread may add and start; the work is done on a thread of its own.
 */
final class BoundedCreation {
  private static final Logger LOG = LoggerFactory.getLogger(BoundedCreation.class);
  private static final long FIRST_BACKOFF_MILLIS = 100;
  private static final long MAX_BACKOFF_MILLIS = 5_000;
  private static final long LOG_INTERVAL_SECONDS = 10;

  private final int concurrency;
  private final int maxAttempts;
  private final int timeoutSeconds;
  private final ConnectTimes times;
  private final Queue<Job> waiting = new ArrayDeque<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final AtomicLong retries = new AtomicLong();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "create-consumers");
            created.setDaemon(true);
            return created;
          });
  private int total;
  private int created;
  private int running;

  BoundedCreation(int concurrency, int maxAttempts, int timeoutSeconds, ConnectTimes times) {
    this.concurrency = concurrency;
    this.maxAttempts = maxAttempts;
    this.timeoutSeconds = timeoutSeconds;
    this.times = times;
  }

  private static final class Job {
    private final String name;
    private final Supplier<CompletableFuture<?>> attempt;
    private long startNanos;
    private int attempts;

    Job(String name, Supplier<CompletableFuture<?>> attempt) {
      this.name = name;
      this.attempt = attempt;
    }
  }

  /** Before {@link #start()}. */
  void add(String name, Supplier<CompletableFuture<?>> attempt) {
    waiting.add(new Job(name, attempt));
    total++;
  }

  /** Completes when all are created, or with why one cannot be. */
  CompletableFuture<Void> start() {
    times.started();
    thread.execute(this::launch);
    thread.schedule(this::tooLate, timeoutSeconds, TimeUnit.SECONDS);
    thread.scheduleAtFixedRate(
        () -> LOG.info("Created {} of {} consumers, {} retries", created, total, retries.get()),
        LOG_INTERVAL_SECONDS,
        LOG_INTERVAL_SECONDS,
        TimeUnit.SECONDS);
    return done.whenComplete((nothing, error) -> thread.shutdownNow());
  }

  long retries() {
    return retries.get();
  }

  private void launch() {
    while (running < concurrency && !waiting.isEmpty() && !done.isDone()) {
      running++;
      attempt(waiting.remove());
    }
    if (created == total) {
      times.ended();
      done.complete(null);
    }
  }

  private void attempt(Job job) {
    if (job.attempts++ == 0) {
      job.startNanos = System.nanoTime();
    }
    CompletableFuture<?> result;
    try {
      result = job.attempt.get();
    } catch (RuntimeException e) {
      result = CompletableFuture.failedFuture(e);
    }
    result.whenComplete(
        (value, error) -> {
          long nowNanos = System.nanoTime();
          if (!thread.isShutdown()) {
            thread.execute(() -> ended(job, error, nowNanos));
          }
        });
  }

  private void ended(Job job, Throwable error, long nowNanos) {
    if (error == null) {
      running--;
      created++;
      times.connected(job.startNanos, nowNanos);
      launch();
    } else if (job.attempts >= maxAttempts) {
      done.completeExceptionally(
          new IllegalStateException(
              job.name
                  + " could not be created in "
                  + job.attempts
                  + " attempts (consumer.creationAttempts): "
                  + error,
              error));
    } else {
      retries.incrementAndGet();
      long backoffMillis =
          Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS << Math.min(10, job.attempts - 1));
      LOG.debug("{} is tried again after {}", job.name, error.toString());
      thread.schedule(() -> attempt(job), backoffMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void tooLate() {
    done.completeExceptionally(
        new IllegalStateException(
            created
                + " of "
                + total
                + " consumers were created within "
                + timeoutSeconds
                + " s (consumer.creationTimeoutSeconds), after "
                + retries.get()
                + " retries"));
  }
}
