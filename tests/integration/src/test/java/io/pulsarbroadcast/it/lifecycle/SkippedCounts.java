/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import io.pulsarbroadcast.it.Scrape;
import io.pulsarbroadcast.process.RunningBroker;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the broker's metrics say of entries that were skipped. A scrape shows all topics, so one
 * answers all who had asked before the one before it began, and the next does not begin at once.
 * Any thread may call it.
 */
final class SkippedCounts {

  private static final String NAME = "pulsar_broadcast_skipped_entries_total{";
  private static final int INTERVAL_MILLIS = 200;
  private static final int ATTEMPTS = 5;

  private final RunningBroker broker;
  private final AtomicLong asked = new AtomicLong();

  // Guarded by this object's monitor.
  private Scrape answer;

  /** The last question before {@link #answer} began, and so one that the next one answers. */
  private long heard;

  /** The last question that {@link #answer} answers. */
  private long answered;

  SkippedCounts(RunningBroker broker) {
    this.broker = broker;
  }

  /** How many entries of a topic are counted now as skipped for a cause. */
  long of(String topic, String cause) throws Exception {
    return (long) since(asked.incrementAndGet()).sum("topic", topic, "cause", cause);
  }

  private synchronized Scrape since(long question) throws Exception {
    while (answered < question) {
      Thread.sleep(INTERVAL_MILLIS);
      long all = asked.get();
      answer = scrape();
      answered = heard;
      heard = all;
    }
    return answer;
  }

  /** Asks again where stock Pulsar's statistics fail, see {@link Observation}: it answers 500. */
  private Scrape scrape() throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return Scrape.next(broker, line -> line.startsWith(NAME));
      } catch (IOException e) {
        if (attempt == ATTEMPTS || !String.valueOf(e.getMessage()).contains("answered with 500")) {
          throw e;
        }
      }
    }
  }
}
