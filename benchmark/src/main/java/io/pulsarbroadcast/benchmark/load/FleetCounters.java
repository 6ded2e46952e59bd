/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** What all connections of a fleet count together. Any thread may call it. */
final class FleetCounters {
  private final int consumers;
  private final AtomicInteger subscribed = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger closedByBroker = new AtomicInteger();
  private final AtomicInteger connectionsLost = new AtomicInteger();
  private final AtomicInteger protocolErrors = new AtomicInteger();
  private final AtomicReference<String> firstError = new AtomicReference<>();
  private final AtomicReference<String> fatalError = new AtomicReference<>();
  private final AtomicReference<String> brokerVersion = new AtomicReference<>("unknown");
  private volatile long allSubscribedNanos;

  FleetCounters(int consumers) {
    this.consumers = consumers;
  }

  void subscribed(long nowNanos) {
    if (subscribed.incrementAndGet() == consumers && allSubscribedNanos == 0) {
      allSubscribedNanos = nowNanos;
    }
  }

  void unsubscribed(int count) {
    subscribed.addAndGet(-count);
  }

  /** A consumer was refused for good. */
  void failed(String error) {
    note(error);
    failed.incrementAndGet();
  }

  void left() {
    left.incrementAndGet();
  }

  void closedByBroker() {
    closedByBroker.incrementAndGet();
  }

  int closedByBrokerCount() {
    return closedByBroker.get();
  }

  void connectionLost() {
    connectionsLost.incrementAndGet();
  }

  void protocolError(String error) {
    note(error);
    protocolErrors.incrementAndGet();
  }

  /** The whole fleet cannot go on. */
  void fatal(String error) {
    fatalError.compareAndSet(null, error);
  }

  /** Keeps the first of what may be 100,000 equal errors. */
  void note(String error) {
    firstError.compareAndSet(null, error);
  }

  /** Some brokers say {@code Pulsar Server3.3.6}. */
  void brokerVersion(String version) {
    brokerVersion.set(version.replaceFirst("Pulsar Server *", "Pulsar "));
  }

  int subscribedCount() {
    return subscribed.get();
  }

  int failedCount() {
    return failed.get();
  }

  int leftCount() {
    return left.get();
  }

  int connectionsLostCount() {
    return connectionsLost.get();
  }

  int protocolErrorCount() {
    return protocolErrors.get();
  }

  String firstError() {
    return firstError.get();
  }

  String fatalError() {
    return fatalError.get();
  }

  String brokerVersion() {
    return brokerVersion.get();
  }

  /** When the last consumer was subscribed for the first time; 0 before. */
  long allSubscribedNanos() {
    return allSubscribedNanos;
  }
}
