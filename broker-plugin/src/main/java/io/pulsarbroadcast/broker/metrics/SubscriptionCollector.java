/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Tag;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The counters and gauges of subscriptions, at most 40 series each. They are made when somebody
 * asks, and not registered one by one: to do that took a third of what connecting a topic cost more
 * than without the plugin, and a broker may have ten thousand.
 */
final class SubscriptionCollector extends Collector {
  private final Supplier<List<SubscriptionCounts>> groups;

  /**
   * @param groups those there are; asked on the thread that collects
   */
  SubscriptionCollector(Supplier<List<SubscriptionCounts>> groups) {
    this.groups = groups;
  }

  /** A group, and its labels as the library takes them. */
  private record Labelled(SubscriptionCounts group, List<String> names, List<String> values) {

    static Labelled of(SubscriptionCounts group) {
      return new Labelled(
          group,
          group.tags().stream().map(Tag::getKey).toList(),
          group.tags().stream().map(Tag::getValue).toList());
    }
  }

  @Override
  public List<MetricFamilySamples> collect() {
    List<SubscriptionCounts> asked = groups.get();
    asked.forEach(group -> group.members().forEach(SubscriptionMetrics::takeSample));
    // Those that were closed meanwhile would show zeros.
    List<Labelled> labelled =
        asked.stream().filter(group -> !group.members().isEmpty()).map(Labelled::of).toList();
    if (labelled.isEmpty()) {
      return List.of();
    }
    List<MetricFamilySamples> families = new ArrayList<>();
    for (SubscriptionCounter counter : SubscriptionCounter.values()) {
      CounterMetricFamily family =
          counters(counter.seriesName(), counter.help(), labelled.get(0).names());
      labelled.forEach(each -> family.addMetric(each.values(), each.group().count(counter)));
      families.add(family);
    }
    families.add(skippedEntries(labelled));
    for (SubscriptionGauge gauge : SubscriptionGauge.values()) {
      GaugeMetricFamily family =
          new GaugeMetricFamily(
              BroadcastMetrics.SERIES_PREFIX + gauge.seriesName(),
              gauge.help(),
              labelled.get(0).names());
      labelled.forEach(each -> family.addMetric(each.values(), gauge.of(each.group().members())));
      families.add(family);
    }
    return families;
  }

  private static MetricFamilySamples skippedEntries(List<Labelled> labelled) {
    CounterMetricFamily family =
        counters(
            "skipped_entries",
            "Entries left out for consumers that had not acknowledged them",
            before("cause", labelled.get(0).names()));
    for (Labelled each : labelled) {
      for (SkipCause cause : SkipCause.values()) {
        family.addMetric(before(cause.label(), each.values()), each.group().skipped(cause));
      }
    }
    return family;
  }

  private static List<String> before(String first, List<String> others) {
    return Stream.concat(Stream.of(first), others.stream()).toList();
  }

  private static CounterMetricFamily counters(String name, String help, List<String> labels) {
    return new CounterMetricFamily(BroadcastMetrics.SERIES_PREFIX + name, help, labels);
  }
}
