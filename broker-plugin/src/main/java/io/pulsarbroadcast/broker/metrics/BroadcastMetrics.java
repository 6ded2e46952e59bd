/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * The plugin's metrics of one broker, as text for the broker's own /metrics. May be called from any
 * thread. Creating and removing exclude each other, and do not wait for a scrape, which takes a
 * while for thousands of subscriptions.
 *
 * <p>What is expensive to know is looked up when somebody asks: a scrape costs one pass over the
 * positions of each subscription, and its answer grows with the number of subscriptions (or
 * namespaces, by the broker's settings), never with that of consumers.
 */
// Deprecated in favour of the one for a newer Prometheus client than brokers have.
@SuppressWarnings("deprecation")
public final class BroadcastMetrics {

  /** In Micrometer's form; Prometheus reads {@code pulsar_broadcast_}. */
  static final String PREFIX = "pulsar.broadcast.";

  static final String SERIES_PREFIX = "pulsar_broadcast_";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MetricLabels labels;

  @GuardedBy("this")
  private final Map<Tags, SubscriptionCounts> counts = new HashMap<>();

  @GuardedBy("this")
  private final Map<Tags, LatencyTimers> timers = new HashMap<>();

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
    registry.getPrometheusRegistry().register(new SubscriptionCollector(this::groups));
  }

  /** Makes the metrics of a subscription; its series are there until it is closed. */
  public synchronized SubscriptionMetrics subscription(
      String namespace, String topic, String subscription) {
    SubscriptionMetrics made = new SubscriptionMetrics(this, namespace, topic, subscription);
    add(made);
    return made;
  }

  synchronized void add(SubscriptionMetrics member) {
    Tags tags = labels.ofSubscription(member.namespace(), member.topic(), member.subscription());
    Tags ofTimers = labels.ofTimers(member.namespace(), member.topic(), member.subscription());
    member.joined(
        joined(member, counts.computeIfAbsent(tags, SubscriptionCounts::new)),
        joined(member, timers.computeIfAbsent(ofTimers, t -> new LatencyTimers(registry, t))));
  }

  private static <G extends LabelGroup> G joined(SubscriptionMetrics member, G group) {
    group.add(member);
    return group;
  }

  synchronized void remove(SubscriptionMetrics member) {
    leave(member, member.counts(), counts);
    if (leave(member, member.timers(), timers)) {
      member.timers().unregister();
    }
  }

  /** Returns whether the group is gone with its last member. */
  private static <G extends LabelGroup> boolean leave(
      SubscriptionMetrics member, G group, Map<Tags, G> groups) {
    boolean gone = group.remove(member);
    if (gone) {
      groups.remove(group.tags());
    }
    return gone;
  }

  /** All metrics in Prometheus' text format. */
  public String scrape() {
    return registry.scrape();
  }

  private synchronized List<SubscriptionCounts> groups() {
    return List.copyOf(counts.values());
  }
}
