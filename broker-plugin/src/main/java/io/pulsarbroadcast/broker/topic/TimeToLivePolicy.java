/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.naming.TopicName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long positions on one topic may wait for their consumers: as the topic's property {@link
 * BroadcastContract#TTL_PROPERTY} says, else its partitioned topic's, else its namespace's, else
 * the broker's setting. May be called from any thread, and does not block.
 */
final class TimeToLivePolicy {

  private static final Logger log = LoggerFactory.getLogger(TimeToLivePolicy.class);

  private final TopicName topic;
  private final Supplier<Map<String, String>> ofTopic;
  private final Supplier<CompletableFuture<Map<String, String>>> ofPartitionedTopic;
  private final long brokerSeconds;

  /** The values that were refused last, by whose they are. */
  private final Map<String, String> refused = new ConcurrentHashMap<>();

  /** Null while not known. */
  private volatile Map<String, String> namespaceProperties;

  /** Null while not known. */
  private volatile Map<String, String> partitionedTopicProperties;

  /**
   * @param ofTopic the topic's properties
   * @param ofPartitionedTopic those of the topic that it is a partition of, or none
   * @param brokerSeconds the broker's setting
   */
  TimeToLivePolicy(
      TopicName topic,
      Supplier<Map<String, String>> ofTopic,
      Supplier<CompletableFuture<Map<String, String>>> ofPartitionedTopic,
      long brokerSeconds) {
    this.topic = topic;
    this.ofTopic = ofTopic;
    this.ofPartitionedTopic = ofPartitionedTopic;
    this.brokerSeconds = brokerSeconds;
  }

  static TimeToLivePolicy of(PersistentTopic topic, long brokerSeconds) {
    TopicName name = TopicName.get(topic.getName());
    BrokerService broker = topic.getBrokerService();
    return new TimeToLivePolicy(
        name,
        () -> topic.getManagedLedger().getProperties(),
        // The broker has them in its cache.
        () ->
            name.isPartitioned()
                ? broker
                    .fetchPartitionedTopicMetadataAsync(
                        TopicName.get(name.getPartitionedTopicName()))
                    .thenApply(metadata -> metadata.properties)
                : CompletableFuture.completedFuture(Map.of()),
        brokerSeconds);
  }

  /** Takes the namespace's properties, when they are read and when they change. */
  void namespaceHas(Map<String, String> properties) {
    namespaceProperties = copy(properties);
  }

  private static Map<String, String> copy(Map<String, String> properties) {
    return properties == null ? Map.of() : Map.copyOf(properties);
  }

  /**
   * Limits the positions of a subscription as the policies are now. Does nothing while they cannot
   * be read: no position is dropped for that.
   */
  void limit(CursorRegistry cursors) {
    ofPartitionedTopic
        .get()
        .thenAccept(properties -> partitionedTopicProperties = copy(properties))
        .exceptionally(
            e -> {
              log.debug("[{}] Could not read the properties of the partitioned topic", topic, e);
              return null;
            });
    Map<String, String> namespace = namespaceProperties;
    Map<String, String> partitioned = partitionedTopicProperties;
    if (namespace != null && partitioned != null) {
      cursors.limitTimesToLive(
          seconds("topic " + topic, ofTopic.get())
              .or(() -> seconds("topic " + topic.getPartitionedTopicName(), partitioned))
              .or(() -> seconds("namespace " + topic.getNamespace(), namespace))
              .orElse(brokerSeconds));
    }
  }

  private Optional<Long> seconds(String owner, Map<String, String> properties) {
    String value = properties.get(BroadcastContract.TTL_PROPERTY);
    if (value != null && BroadcastContract.isPolicy(value)) {
      return Optional.of(Long.parseLong(value));
    }
    if (value != null && !value.equals(refused.put(owner, value))) {
      log.warn(
          "[{}] Ignored the property {}={} of {}; allowed is a whole number of seconds from 0 to {}",
          topic,
          BroadcastContract.TTL_PROPERTY,
          BroadcastContract.quoted(value),
          owner,
          Integer.MAX_VALUE);
    }
    return Optional.empty();
  }
}
