/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.pulsarbroadcast.broker.dispatch.DispatchQuota;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
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

  void close() {
    own().ifPresent(DispatchRateLimiter::close);
  }

  @Override
  public Share toRead(boolean atTail) {
    if (!applies(atTail)) {
      return Share.ALL;
    }
    long[] messages = {Long.MAX_VALUE};
    long[] bytes = {Long.MAX_VALUE};
    limiters()
        .forEach(
            limiter -> {
              messages[0] = least(messages[0], limiter.getAvailableDispatchRateLimitOnMsg());
              bytes[0] = least(bytes[0], limiter.getAvailableDispatchRateLimitOnByte());
            });
    if (messages[0] == 0 || bytes[0] == 0) {
      return Share.NOTHING;
    }
    if (messages[0] == Long.MAX_VALUE && bytes[0] == Long.MAX_VALUE) {
      return Share.ALL;
    }
    int receivers = Math.max(1, consumers.getAsInt());
    return new Share(
        (int) Math.min(Integer.MAX_VALUE, Math.max(1, messages[0] / receivers)),
        Math.max(1, bytes[0] / receivers));
  }

  @Override
  public void sent(boolean atTail, long entries, long messages, long bytes) {
    if (applies(atTail)) {
      long counted = config.isDispatchThrottlingOnBatchMessageEnabled() ? entries : messages;
      limiters().forEach(limiter -> BrokerLine.consume(limiter, counted, bytes));
    }
  }

  /** Without throttling of consumers that have no backlog, those at the tail are not limited. */
  private boolean applies(boolean atTail) {
    return !atTail || config.isDispatchThrottlingOnNonBacklogConsumerEnabled();
  }

  private Stream<DispatchRateLimiter> limiters() {
    return Stream.of(topic.getBrokerDispatchRateLimiter(), topic.getDispatchRateLimiter(), own())
        .flatMap(Optional::stream)
        .filter(DispatchRateLimiter::isDispatchRateLimitingEnabled);
  }

  /** The lower of two limits; a negative one is none. */
  private static long least(long one, long other) {
    return other < 0 ? one : Math.min(one, other);
  }
}
