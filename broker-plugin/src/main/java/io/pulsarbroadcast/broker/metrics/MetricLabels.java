/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;

/**
 * Which labels a series has: those that the broker gives its own, by its own settings. Immutable.
 *
 * @param cluster the broker's cluster
 * @param perTopic whether each subscription has series of its own, or each namespace only
 *     (exposeTopicLevelMetricsInPrometheus)
 * @param timersPerTopic whether histograms are as fine as the rest (perTopic), or per namespace
 *     (broadcastExposeTopicLevelHistograms)
 * @param splitPartition whether a partition's number is a label beside its topic's name
 *     (splitTopicAndPartitionLabelInPrometheus)
 */
public record MetricLabels(
    String cluster, boolean perTopic, boolean timersPerTopic, boolean splitPartition) {

  private static final String PARTITION_SUFFIX = "-partition-";

  /** The labels of what belongs to the whole broker. */
  Tags ofBroker() {
    return Tags.of(Tag.of("cluster", cluster));
  }

  /**
   * The labels of a subscription's series; with series per namespace those of all its
   * subscriptions.
   */
  Tags ofSubscription(String namespace, String topic, String subscription) {
    return perTopic
        ? ofTopic(ofNamespace(namespace), topic).and("subscription", subscription)
        : ofNamespace(namespace);
  }

  /** The labels of a subscription's histograms. */
  Tags ofTimers(String namespace, String topic, String subscription) {
    return timersPerTopic ? ofSubscription(namespace, topic, subscription) : ofNamespace(namespace);
  }

  private Tags ofNamespace(String namespace) {
    return ofBroker().and("namespace", namespace);
  }

  private Tags ofTopic(Tags tags, String topic) {
    if (!splitPartition) {
      return tags.and("topic", topic);
    }
    int suffix = topic.indexOf(PARTITION_SUFFIX);
    return suffix < 0
        ? tags.and("topic", topic, "partition", "-1")
        : tags.and(
            "topic",
            topic.substring(0, suffix),
            "partition",
            topic.substring(suffix + PARTITION_SUFFIX.length()));
  }
}
