/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.time.Duration;

/**
 * What is published in a run, and how long to wait. Immutable; any thread may call it.
 *
 * @param sizeBytes of a message
 * @param messagesPerSecond rate of publishing
 * @param connectTimeout for all consumers together
 * @param quietPeriod the run is over when nothing arrives for so long
 * @param unsubscribeAtEnd whether to leave no subscription at the broker
 */
public record RunPlan(
    int sizeBytes,
    double messagesPerSecond,
    Duration connectTimeout,
    Duration quietPeriod,
    boolean unsubscribeAtEnd) {

  /** Ten minutes to connect, 15 s of quiet, subscriptions stay. */
  public static RunPlan of(int sizeBytes, double messagesPerSecond) {
    return new RunPlan(
        sizeBytes, messagesPerSecond, Duration.ofMinutes(10), Duration.ofSeconds(15), false);
  }

  /** The same, leaving no subscription at the broker. */
  public RunPlan unsubscribing() {
    return new RunPlan(sizeBytes, messagesPerSecond, connectTimeout, quietPeriod, true);
  }
}
