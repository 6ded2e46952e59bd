/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.stats;

import io.pulsarbroadcast.broker.dispatch.FanoutConsumer;

/**
 * A consumer's counters at one of the broker's updates, and its rates since the one before.
 * Immutable.
 */
public record ConsumerRates(
    long atNanos,
    long messages,
    long bytes,
    long redelivered,
    double messagesPerSecond,
    double bytesPerSecond,
    double redeliveredPerSecond) {

  /**
   * @param before at the update before, or null
   */
  public static ConsumerRates since(ConsumerRates before, FanoutConsumer now) {
    long nanos = System.nanoTime();
    long messages = now.messagesOut();
    long bytes = now.bytesOut();
    long redelivered = now.messagesRedelivered();
    if (before == null) {
      return new ConsumerRates(nanos, messages, bytes, redelivered, 0, 0, 0);
    }
    double seconds = Math.max(1, nanos - before.atNanos) / 1e9;
    return new ConsumerRates(
        nanos,
        messages,
        bytes,
        redelivered,
        (messages - before.messages) / seconds,
        (bytes - before.bytes) / seconds,
        (redelivered - before.redelivered) / seconds);
  }
}
