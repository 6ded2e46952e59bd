/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.dispatch.DispatchQuota;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.service.persistent.DispatchRateLimiter;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;

/**
 * The broker's dispatch rate limits of one Broadcast subscription: its own, its topic's and the
 * broker's. What they count is what the broker sends: one message to a thousand consumers is a
 * thousand. As with the broker's dispatchers a read may overshoot, and the next waits for it.
 *
 * <p>May be called from any thread.
 */
final class DispatchRates implements DispatchQuota {

  private static final int LEVELS = 3;

  private final PersistentTopic topic;
  private final String subscription;
  private final IntSupplier consumers;
  private final ServiceConfiguration config;
  private volatile DispatchRateLimiter own;

  /**
   * @param consumers how many are connected
   */
  DispatchRates(PersistentTopic topic, String subscription, IntSupplier consumers) {
    this.topic = topic;
    this.subscription = subscription;
    this.consumers = consumers;
    this.config = topic.getBrokerService().getPulsar().getConfiguration();
  }

  /** The subscription's own limit, if it has one. */
  Optional<DispatchRateLimiter> own() {
    return Optional.ofNullable(own);
  }

  /**
   * Makes the subscription's own limit when its rate is set now.
   *
   * @return whether it did
   */
  synchronized boolean makeOwn() {
    if (own != null
        || !DispatchRateLimiter.isDispatchRateEnabled(
            topic.getSubscriptionDispatchRate(subscription))) {
      return false;
    }
    own = BrokerLine.newSubscriptionRateLimiter(topic, subscription);
    return true;
  }

  /** Follows a change of the rates. */
  void update() {
    if (!makeOwn()) {
      own().ifPresent(DispatchRateLimiter::updateDispatchRate);
    }
  }

  /** Ends the subscription's own limit, until {@link #makeOwn}. */
  synchronized void close() {
    own().ifPresent(DispatchRateLimiter::close);
    own = null;
  }

  @Override
  public Share toRead(boolean atTail) {
    if (!applies(atTail)) {
      return Share.ALL;
    }
    long messages = Long.MAX_VALUE;
    long bytes = Long.MAX_VALUE;
    for (int level = 0; level < LEVELS; level++) {
      DispatchRateLimiter limiter = limiter(level);
      if (limiter != null) {
        messages = least(messages, limiter.getAvailableDispatchRateLimitOnMsg());
        bytes = least(bytes, limiter.getAvailableDispatchRateLimitOnByte());
      }
    }
    if (messages == 0 || bytes == 0) {
      return Share.NOTHING;
    }
    if (messages == Long.MAX_VALUE && bytes == Long.MAX_VALUE) {
      return Share.ALL;
    }
    int receivers = Math.max(1, consumers.getAsInt());
    return new Share(
        (int) Math.min(Integer.MAX_VALUE, Math.max(1, messages / receivers)),
        Math.max(1, bytes / receivers));
  }

  @Override
  public void sent(boolean atTail, long entries, long messages, long bytes) {
    for (int level = 0; level < LEVELS; level++) {
      DispatchRateLimiter limiter = limiter(level);
      if (limiter != null && applies(atTail)) {
        boolean countsEntries = config.isDispatchThrottlingOnBatchMessageEnabled();
        BrokerLine.consume(limiter, countsEntries ? entries : messages, bytes);
      }
    }
  }

  /** Without throttling of consumers that have no backlog, those at the tail are not limited. */
  private boolean applies(boolean atTail) {
    return !atTail || config.isDispatchThrottlingOnNonBacklogConsumerEnabled();
  }

  /** The limit of the broker, the topic or the subscription; null when it has none. */
  private DispatchRateLimiter limiter(int level) {
    DispatchRateLimiter limiter =
        switch (level) {
          case 0 -> topic.getBrokerDispatchRateLimiter().orElse(null);
          case 1 -> topic.getDispatchRateLimiter().orElse(null);
          default -> own;
        };
    return limiter != null && limiter.isDispatchRateLimitingEnabled() ? limiter : null;
  }

  /** The lower of two limits; a negative one is none. */
  private static long least(long one, long other) {
    return other < 0 ? one : Math.min(one, other);
  }
}
