/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.util.Map;

/**
 * How many of the entries that a broker reads come from its entry cache: the sum of the rates that
 * it publishes, asked for each second. Begins at once; one thread may call it.
 */
final class CacheHits implements AutoCloseable {
  /** The broker works these rates out anew each second, and not each minute. */
  static final Map<String, String> BROKER_SETTINGS = Map.of("managedLedgerStatsPeriodSeconds", "1");

  private final Periodic sampling;
  private double hits;
  private double misses;

  CacheHits(Broker broker) {
    sampling = new Periodic("cache-hits", 1, 1, () -> sample(broker.metrics()));
  }

  private void sample(MetricsPage page) {
    hits += page.sum("pulsar_ml_cache_hits_rate");
    misses += page.sum("pulsar_ml_cache_misses_rate");
  }

  /** Ends; returns the share of all entries read: 0 when none was, NaN when that is not known. */
  double percent() throws InterruptedException {
    try {
      sampling.check();
      close();
    } catch (IOException e) {
      return Double.NaN;
    }
    return hits + misses == 0 ? 0 : 100 * hits / (hits + misses);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    sampling.close();
  }
}
