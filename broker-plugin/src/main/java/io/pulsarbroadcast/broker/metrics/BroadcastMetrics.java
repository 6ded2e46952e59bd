/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * The plugin's metrics of one broker, as text for the broker's own /metrics. May be called from any
 * thread; creating, removing and scraping exclude each other.
 *
 * <p>What is expensive to know is looked up when somebody asks: a scrape costs one pass over the
 * positions of each subscription, and its answer grows with the number of subscriptions (or
 * namespaces, by the broker's settings), never with that of consumers.
 */
public final class BroadcastMetrics {

  /** In Micrometer's form; Prometheus reads {@code pulsar_broadcast_}. */
  static final String PREFIX = "pulsar.broadcast.";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MetricLabels labels;

  @GuardedBy("this")
  private final Map<Tags, MeterGroup> groups = new HashMap<>();

  /**
   * @param eventLoopTasks how many tasks wait for the broker's event loops; asked when metrics are
   */
  public BroadcastMetrics(MetricLabels labels, IntSupplier eventLoopTasks) {
    this.labels = labels;
    Gauge.builder(PREFIX + "event.loop.tasks", eventLoopTasks, IntSupplier::getAsInt)
        .description("Tasks that wait for the event loops of the broker's connections")
        .tags(labels.ofBroker())
        .strongReference(true)
        .register(registry);
  }

  /** Makes the metrics of a subscription; its series are there until it is closed. */
  public synchronized SubscriptionMetrics subscription(
      String namespace, String topic, String subscription) {
    SubscriptionMetrics made =
        new SubscriptionMetrics(
            this, namespace, topic, subscription, group(namespace, topic, subscription));
    made.meters().add(made);
    return made;
  }

  synchronized void add(SubscriptionMetrics member) {
    MeterGroup group = group(member.namespace(), member.topic(), member.subscription());
    group.add(member);
    member.meters(group);
  }

  synchronized void remove(SubscriptionMetrics member) {
    MeterGroup group = member.meters();
    if (group.remove(member)) {
      groups.values().remove(group);
      group.unregister();
    }
  }

  @GuardedBy("this")
  private MeterGroup group(String namespace, String topic, String subscription) {
    return groups.computeIfAbsent(
        labels.ofSubscription(namespace, topic, subscription),
        tags -> new MeterGroup(registry, tags));
  }

  /** All metrics in Prometheus' text format. */
  public synchronized String scrape() {
    groups.values().forEach(MeterGroup::takeSamples);
    return registry.scrape();
  }
}
