/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.ConsumerInterceptor;
import org.apache.pulsar.client.api.DeadLetterPolicy;

/**
 * What a {@link BroadcastConsumerBuilder} has to know of itself: our own settings, and those of
 * Pulsar's builder (which has no getters) that they depend on.
 *
 * <p>For one thread at a time.
 */
final class ConsumerSettings<T> {
  private final Set<String> topics = new LinkedHashSet<>();
  private boolean topicsPattern;
  private String subscriptionName;
  private String consumerName; // null: none given
  private String typeProperty;
  private boolean retry;
  private DeadLetterPolicy deadLetterPolicy;

  private SubscriptionType type; // null: none chosen with our enum
  private boolean unordered;
  private Duration cursorTimeToLive;
  private ShadowTopics shadowTopics; // null: none given

  /** Kept here until the subscribe, because the clone of Pulsar's builder loses them. */
  private final List<ConsumerInterceptor<T>> interceptors = new ArrayList<>();

  ConsumerSettings<T> copy() {
    ConsumerSettings<T> copy = new ConsumerSettings<>();
    copy.topics.addAll(topics);
    copy.topicsPattern = topicsPattern;
    copy.subscriptionName = subscriptionName;
    copy.consumerName = consumerName;
    copy.typeProperty = typeProperty;
    copy.retry = retry;
    copy.deadLetterPolicy = deadLetterPolicy;
    copy.type = type;
    copy.unordered = unordered;
    copy.cursorTimeToLive = cursorTimeToLive;
    copy.shadowTopics = shadowTopics;
    copy.interceptors.addAll(interceptors);
    return copy;
  }

  /** Whether our enum says so, or the property that brokers go by. */
  boolean isBroadcast() {
    return type == SubscriptionType.Broadcast || Wire.BROADCAST.equalsIgnoreCase(typeProperty);
  }

  /** The topic to ask the broker about, or null if there is none to ask about. */
  String topicToProbe() {
    if (topicsPattern || subscriptionName == null) {
      return null;
    }
    return shadowTopics != null ? shadowTopics.source() : topics.stream().findFirst().orElse(null);
  }

  String subscriptionName() {
    return subscriptionName;
  }

  void type(SubscriptionType chosen) {
    type = requireNonNull(chosen, "subscriptionType");
  }

  void unordered() {
    unordered = true;
  }

  void cursorTimeToLive(Duration timeToLive) {
    requireNonNull(timeToLive, "cursorTimeToLive");
    boolean wholeSeconds = timeToLive.equals(timeToLive.truncatedTo(ChronoUnit.SECONDS));
    if (timeToLive.isNegative() || !wholeSeconds) {
      throw new IllegalArgumentException(
          "cursorTimeToLive=" + timeToLive + ": allowed are whole seconds, 0 or more");
    }
    cursorTimeToLive = timeToLive;
  }

  void topicWithShadows(String topic, Collection<?> shadows) {
    shadowTopics =
        ShadowTopics.of(
            topic,
            requireNonNull(shadows, "shadowTopics").stream().map(String.class::cast).toList());
  }

  void intercept(ConsumerInterceptor<T>[] added) {
    interceptors.addAll(Arrays.asList(requireNonNull(added, "interceptors")));
  }

  /** The settings of a builder that somebody else makes, as {@code loadConf} takes them. */
  static <T> ConsumerSettings<T> of(Map<String, Object> conf) {
    ConsumerSettings<T> settings = new ConsumerSettings<>();
    settings.noteConf(conf);
    return settings;
  }

  /** Notes a call that Pulsar's builder has accepted. */
  void note(String method, Object[] args) {
    switch (method) {
      case "topic" -> addTopics(Arrays.asList((Object[]) args[0]));
      case "topics" -> addTopics((Collection<?>) args[0]);
      case "topicsPattern" -> topicsPattern = true;
      case "subscriptionName" -> subscriptionName = (String) args[0];
      case "consumerName" -> consumerName = (String) args[0];
      case "enableRetry" -> retry = (boolean) args[0];
      case "deadLetterPolicy" -> deadLetterPolicy = (DeadLetterPolicy) args[0];
      case "property" -> noteProperties(Map.of(args[0], args[1]));
      case "properties" -> noteProperties((Map<?, ?>) args[0]);
      case "subscriptionType" -> type = null; // Pulsar's enum
      case "loadConf" -> noteConf((Map<?, ?>) args[0]);
      default -> {}
    }
  }

  private void noteConf(Map<?, ?> conf) {
    if (conf.containsKey("topicNames")) {
      topics.clear();
      Object names = conf.get("topicNames");
      if (names instanceof Collection<?> list) {
        addTopics(list);
      } else if (names instanceof Object[] array) {
        addTopics(Arrays.asList(array));
      }
    }
    if (conf.containsKey("topicsPattern")) {
      topicsPattern = conf.get("topicsPattern") != null;
    }
    if (conf.containsKey("subscriptionName")) {
      subscriptionName = Objects.toString(conf.get("subscriptionName"), null);
    }
    if (conf.containsKey("consumerName")) {
      String name = Objects.toString(conf.get("consumerName"), "");
      consumerName = name.isBlank() ? null : name;
    }
    if (conf.containsKey("retryEnable")) {
      retry = Boolean.parseBoolean(String.valueOf(conf.get("retryEnable")));
    }
    if (conf.containsKey("deadLetterPolicy")) {
      deadLetterPolicy = RetryTopics.policyOf(conf.get("deadLetterPolicy"));
    }
    if (conf.containsKey("properties")) {
      typeProperty = null;
      if (conf.get("properties") instanceof Map<?, ?> properties) {
        noteProperties(properties);
      }
    }
    if (conf.containsKey("subscriptionType")) {
      type = null;
    }
  }

  private void addTopics(Collection<?> names) {
    for (Object name : names) {
      topics.add(String.valueOf(name).trim());
    }
  }

  private void noteProperties(Map<?, ?> properties) {
    Object value = properties.get(Wire.TYPE_PROPERTY);
    if (value != null) {
      typeProperty = value.toString();
    }
  }

  /** Refuses settings that contradict each other. */
  void check() {
    if (type != null && typeProperty != null) {
      checkTypeProperty();
    }
    if (isBroadcast() && retry && topicsPattern && !RetryTopics.isNamed(deadLetterPolicy)) {
      throw new IllegalArgumentException(
          "enableRetry(true) with a topicsPattern: allowed with a DeadLetterPolicy that names a"
              + " retryLetterTopic of this consumer's own");
    }
    if (shadowTopics != null && (topicsPattern || !topics.isEmpty())) {
      throw new IllegalArgumentException(
          "topicWithShadows(%s, ...) with %s: allowed is one of both"
              .formatted(
                  shadowTopics.source(), topicsPattern ? "a topicsPattern" : "topics " + topics));
    }
    if (!isBroadcast() && onlyForBroadcast() != null) {
      throw new IllegalArgumentException(
          onlyForBroadcast()
              + ": allowed only for Broadcast, as with subscriptionType(SubscriptionType.Broadcast)");
    }
  }

  /** A setting that only Broadcast knows, or null: none is given. */
  private String onlyForBroadcast() {
    if (unordered) {
      return "unordered()";
    }
    if (cursorTimeToLive != null) {
      return "cursorTimeToLive=" + cursorTimeToLive;
    }
    return shadowTopics == null ? null : "topicWithShadows(" + shadowTopics.source() + ", ...)";
  }

  private void checkTypeProperty() {
    if (!typeProperty.equalsIgnoreCase(Wire.BROADCAST)) {
      throw new IllegalArgumentException(
          "Property %s=%s with subscriptionType(%s): allowed is %s, or no such property"
              .formatted(Wire.TYPE_PROPERTY, typeProperty, type, Wire.BROADCAST));
    }
    if (type == SubscriptionType.Failover || type == SubscriptionType.Key_Shared) {
      throw new IllegalArgumentException(
          "subscriptionType(%s) with property %s=%s: allowed are Broadcast, Exclusive and Shared"
              .formatted(type, Wire.TYPE_PROPERTY, typeProperty));
    }
  }

  /** Puts our settings into a builder of Pulsar's that is about to subscribe. */
  void applyTo(ConsumerBuilder<T> builder) {
    if (!interceptors.isEmpty()) {
      @SuppressWarnings({"unchecked", "rawtypes"})
      ConsumerInterceptor<T>[] array = interceptors.toArray(new ConsumerInterceptor[0]);
      builder.intercept(array);
    }
    if (unordered) {
      builder.subscriptionType(SubscriptionType.Shared.toPulsar());
    } else if (type != null) {
      builder.subscriptionType(type.toPulsar());
    }
    if (!isBroadcast()) {
      return;
    }
    builder.property(Wire.TYPE_PROPERTY, Wire.BROADCAST);
    if (cursorTimeToLive != null) {
      builder.property(
          Wire.CURSOR_TTL_SECONDS_PROPERTY, Long.toString(cursorTimeToLive.toSeconds()));
    }
    String name = consumerName == null ? "broadcast-" + Wire.randomId() : consumerName;
    if (consumerName == null) {
      builder.consumerName(name);
    }
    if (shadowTopics != null) {
      builder.topic(shadowTopics.topicOf(name));
    }
    String topic = topicOfRetries();
    // Without a subscription the client refuses it, and says so.
    if (subscriptionName == null || topic == null) {
      return;
    }
    DeadLetterPolicy policy = deadLetterPolicy;
    if (retry && !RetryTopics.isNamed(policy)) {
      policy = RetryTopics.withOwnTopic(policy, topic, subscriptionName, name);
    }
    if (shadowTopics != null) {
      policy = RetryTopics.withOneDeadLetterTopic(policy, topic, subscriptionName);
    }
    if (policy != deadLetterPolicy) {
      builder.deadLetterPolicy(policy);
    }
  }

  /** The same at each start, in whatever order they come, and wherever it subscribes; or null. */
  private String topicOfRetries() {
    if (shadowTopics != null) {
      return shadowTopics.source();
    }
    return topics.isEmpty() ? null : Collections.min(topics);
  }
}
