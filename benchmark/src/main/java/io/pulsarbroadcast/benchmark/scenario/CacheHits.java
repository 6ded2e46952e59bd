/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * How many of the entries that a broker reads come from its entry cache: the sum of the rates that
 * it publishes, asked for each second. Begins at once; one thread may call it.
 */
final class CacheHits implements AutoCloseable {
  /** The broker works these rates out anew each second, and not each minute. */
  static final Map<String, String> BROKER_SETTINGS = Map.of("managedLedgerStatsPeriodSeconds", "1");

  private final Broker broker;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "cache-hits");
            thread.setDaemon(true);
            return thread;
          });
  private final ScheduledFuture<?> sampling;
  private double hits;
  private double misses;

  CacheHits(Broker broker) {
    this.broker = broker;
    this.sampling = timer.scheduleAtFixedRate(this::sample, 1, 1, TimeUnit.SECONDS);
  }

  private void sample() {
    try {
      MetricsPage page = broker.metrics();
      hits += page.sum("pulsar_ml_cache_hits_rate");
      misses += page.sum("pulsar_ml_cache_misses_rate");
    } catch (IOException e) {
      throw new IllegalStateException(
          "The broker's entry cache cannot be asked: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** After {@link #close}: the share of all entries read, 0 when none was. */
  double percent() {
    return hits + misses == 0 ? 0 : 100 * hits / (hits + misses);
  }

  /** Ends, with the second that has begun. Fails when the broker could not be asked. */
  @Override
  public void close() throws InterruptedException {
    if (sampling.isDone()) {
      return;
    }
    sampling.cancel(false);
    timer.shutdown();
    timer.awaitTermination(1, TimeUnit.MINUTES);
  }
}
