/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** What all connections of a fleet count together. Any thread may call it. */
final class FleetCounters {
  final AtomicInteger subscribed = new AtomicInteger();

  /** Consumers that were refused for good. */
  final AtomicInteger failed = new AtomicInteger();

  final AtomicInteger left = new AtomicInteger();
  final AtomicInteger closedByBroker = new AtomicInteger();
  final AtomicInteger connectionsLost = new AtomicInteger();
  final AtomicInteger protocolErrors = new AtomicInteger();
  final AtomicReference<String> firstError = new AtomicReference<>();

  /** Why the whole fleet cannot go on. */
  final AtomicReference<String> fatalError = new AtomicReference<>();

  /** As the broker says itself. */
  volatile String brokerVersion = "unknown";

  /** When the last consumer was subscribed for the first time; 0 before. */
  volatile long allSubscribedNanos;

  private final int consumers;

  FleetCounters(int consumers) {
    this.consumers = consumers;
  }

  void subscribed(long nowNanos) {
    if (subscribed.incrementAndGet() == consumers && allSubscribedNanos == 0) {
      allSubscribedNanos = nowNanos;
    }
  }

  void failed(String error) {
    note(error);
    failed.incrementAndGet();
  }

  /** Is remembered before any other error: connections may be lost in good order. */
  void protocolError(String error) {
    if (protocolErrors.getAndIncrement() == 0) {
      firstError.set(error);
    }
  }

  /** Keeps the first of what may be 100,000 equal errors. */
  void note(String error) {
    firstError.compareAndSet(null, error);
  }
}
