/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * Meters with one set of labels: those of one subscription, or of all Broadcast subscriptions of a
 * namespace. Its counters and timers go on while the group has a member; with the last member all
 * of it is gone.
 *
 * <p>Members are added and removed, and meters registered, under the lock of {@link
 * BroadcastMetrics}; meters may be used from any thread, and members be looked at.
 */
@SuppressWarnings("deprecation") // see BroadcastMetrics
abstract class MeterGroup {

  /** Upper ends of the histograms' buckets. */
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(200),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  private final PrometheusMeterRegistry registry;
  private final Tags tags;
  private final Set<SubscriptionMetrics> members = ConcurrentHashMap.newKeySet(1);
  private final List<Meter> meters = new ArrayList<>();

  MeterGroup(PrometheusMeterRegistry registry, Tags tags) {
    this.registry = registry;
    this.tags = tags;
  }

  final void add(SubscriptionMetrics member) {
    members.add(member);
  }

  /** Takes a member off; true when it was the last. */
  final boolean remove(SubscriptionMetrics member) {
    return members.remove(member) && members.isEmpty();
  }

  final void takeSamples() {
    members.forEach(SubscriptionMetrics::takeSample);
  }

  /** Takes the meters out of the registry. */
  final void unregister() {
    meters.forEach(registry::remove);
  }

  final Counter counter(String name, String description, String... more) {
    return registered(
        Counter.builder(BroadcastMetrics.PREFIX + name)
            .description(description)
            .tags(tags.and(more))
            .register(registry));
  }

  final Timer timer(String name, String description, String... more) {
    return registered(
        Timer.builder(BroadcastMetrics.PREFIX + name)
            .description(description)
            .tags(tags.and(more))
            .serviceLevelObjectives(BUCKETS)
            .register(registry));
  }

  final void sum(String name, String description, ToDoubleFunction<SubscriptionMetrics> ofMember) {
    gauge(name, description, group -> group.values(ofMember).sum());
  }

  final void max(String name, String description, ToDoubleFunction<SubscriptionMetrics> ofMember) {
    gauge(name, description, group -> group.values(ofMember).max().orElse(0));
  }

  private void gauge(String name, String description, ToDoubleFunction<MeterGroup> value) {
    registered(
        Gauge.builder(BroadcastMetrics.PREFIX + name, this, value)
            .description(description)
            .tags(tags)
            .strongReference(true)
            .register(registry));
  }

  private DoubleStream values(ToDoubleFunction<SubscriptionMetrics> ofMember) {
    return members.stream().mapToDouble(ofMember);
  }

  private <M extends Meter> M registered(M meter) {
    meters.add(meter);
    return meter;
  }
}
