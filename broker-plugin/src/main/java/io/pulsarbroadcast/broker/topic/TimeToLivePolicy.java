/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
 *
 * <p>A mistake in a property is to drop no position: while the nearest value is not allowed, the
 * time to live stays as it was, and a shorter one holds only when it has been there for a minute.
 */
final class TimeToLivePolicy {

  private static final Logger log = LoggerFactory.getLogger(TimeToLivePolicy.class);

  /** What an operator may take to remove a property and set it again. */
  private static final long SHORTER_AFTER_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final TopicName topic;
  private final Supplier<Map<String, String>> ofTopic;
  private final Supplier<CompletableFuture<Map<String, String>>> ofPartitionedTopic;
  private final long brokerSeconds;
  private final LongSupplier clockNanos;

  /** What was warned of last; null: the value is allowed. */
  private volatile String refused;

  /** Null while not known. */
  private volatile Map<String, String> namespaceProperties;

  /** Null while not known. */
  private volatile Map<String, String> partitionedTopicProperties;

  /** Null: none has been known since the topic was loaded. */
  @GuardedBy("this")
  private Long held;

  /** What is to hold instead, shorter, once it has been there for a while; null: nothing. */
  @GuardedBy("this")
  private Long shorter;

  @GuardedBy("this")
  private long shorterSinceNanos;

  /**
   * @param ofTopic the topic's properties
   * @param ofPartitionedTopic those of the topic that it is a partition of, or none
   * @param brokerSeconds the broker's setting
   */
  TimeToLivePolicy(
      TopicName topic,
      Supplier<Map<String, String>> ofTopic,
      Supplier<CompletableFuture<Map<String, String>>> ofPartitionedTopic,
      long brokerSeconds,
      LongSupplier clockNanos) {
    this.topic = topic;
    this.ofTopic = ofTopic;
    this.ofPartitionedTopic = ofPartitionedTopic;
    this.brokerSeconds = brokerSeconds;
    this.clockNanos = clockNanos;
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
        brokerSeconds,
        System::nanoTime);
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
    CompletableFuture.completedFuture(null)
        // What it throws is no reason to look after nothing else.
        .thenCompose(asked -> ofPartitionedTopic.get())
        .thenAccept(properties -> partitionedTopicProperties = copy(properties))
        .exceptionally(
            e -> {
              log.debug("[{}] Could not read the properties of the partitioned topic", topic, e);
              return null;
            });
    Map<String, String> namespace = namespaceProperties;
    Map<String, String> partitioned = partitionedTopicProperties;
    if (namespace == null || partitioned == null) {
      return;
    }
    Optional<Long> nearest;
    try {
      nearest =
          seconds("topic " + topic, ofTopic.get())
              .or(() -> seconds("topic " + topic.getPartitionedTopicName(), partitioned))
              .or(() -> seconds("namespace " + topic.getNamespace(), namespace));
    } catch (NotAllowedValue e) {
      warn(e);
      hold().ifPresent(cursors::limitTimesToLive);
      return;
    }
    refused = null;
    cursors.limitTimesToLive(hold(nearest.orElse(brokerSeconds)));
  }

  private synchronized Optional<Long> hold() {
    shorter = null;
    return Optional.ofNullable(held);
  }

  /** What holds now that it is to be so many seconds. */
  private synchronized long hold(long seconds) {
    long now = clockNanos.getAsLong();
    if (held == null || seconds >= held) {
      held = seconds;
      shorter = null;
      return held;
    }
    if (shorter == null || seconds < shorter) {
      shorterSinceNanos = now;
    }
    shorter = seconds;
    if (now - shorterSinceNanos >= SHORTER_AFTER_NANOS) {
      held = seconds;
      shorter = null;
    }
    return held;
  }

  private static Optional<Long> seconds(String owner, Map<String, String> properties) {
    String value = properties.get(BroadcastContract.TTL_PROPERTY);
    if (value != null && !BroadcastContract.isPolicy(value)) {
      throw new NotAllowedValue(owner, value);
    }
    return Optional.ofNullable(value).map(Long::parseLong);
  }

  /** Once for each value. */
  private void warn(NotAllowedValue e) {
    String mistake = e.owner + e.value;
    if (mistake.equals(refused)) {
      return;
    }
    refused = mistake;
    log.warn(
        "[{}] The property {}={} of {} is not allowed, and the time to live stays as it was;"
            + " allowed is a whole number of seconds from 0 to {}",
        topic,
        BroadcastContract.TTL_PROPERTY,
        BroadcastContract.quoted(e.value),
        e.owner,
        Integer.MAX_VALUE);
  }

  /** A value of the property that is not allowed. */
  private static final class NotAllowedValue extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final String owner;
    private final String value;

    NotAllowedValue(String owner, String value) {
      super(value);
      this.owner = owner;
      this.value = value;
    }
  }
}
