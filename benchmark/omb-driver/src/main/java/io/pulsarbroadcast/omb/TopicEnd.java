/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.SubscriptionKind;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out where a topic ends, and waits for consumers to get there. One thread may call it. */
final class TopicEnd {
  private static final Logger LOG = LoggerFactory.getLogger(TopicEnd.class);
  private static final long POLL_MILLIS = 200;

  /** The statistics of a topic list every subscription. */
  private static final int MAX_SUBSCRIPTIONS = 10_000;

  private final AdminApi admin;
  private final DriverFile config;

  TopicEnd(AdminApi admin, DriverFile config) {
    this.admin = admin;
    this.config = config;
  }

  /**
   * Returns when all consumers have everything or the time is over; true when the broker was asked
   * where the topic ends.
   *
   * <p>Workers stop at the same time, so that another one may still publish: the end counts when it
   * has not moved between two looks.
   */
  boolean await(Map<String, PartitionLedgers> partitions, List<TrackedConsumer> consumers)
      throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(config.results.drainSeconds);
    boolean ask =
        config.consumer.subscriptionType == SubscriptionKind.Broadcast
            || consumers.size() <= MAX_SUBSCRIPTIONS;
    long lastEntries = -1;
    while (true) {
      if (ask && !askBroker(partitions)) {
        ask = false;
      }
      long entries = partitions.values().stream().mapToLong(PartitionLedgers::entries).sum();
      boolean complete =
          entries == lastEntries
              && consumers.stream().allMatch(consumer -> consumer.trail().isComplete());
      if (complete || System.nanoTime() >= deadlineNanos) {
        return ask;
      }
      lastEntries = entries;
      Thread.sleep(POLL_MILLIS);
    }
  }

  private boolean askBroker(Map<String, PartitionLedgers> partitions) {
    try {
      partitions.forEach((topic, ledgers) -> ledgers.add(admin.internalStats(topic).join()));
      return true;
    } catch (CompletionException e) {
      LOG.warn("The broker does not say where the topic ends: {}", e.getCause().toString());
      return false;
    }
  }
}
