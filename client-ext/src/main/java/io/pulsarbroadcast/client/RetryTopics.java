/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.lang.reflect.Method;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.pulsar.client.api.DeadLetterPolicy;

/**
 * Gives each Broadcast consumer a retry letter topic of its own. Pulsar's default is one per
 * subscription, and from that every consumer would be sent what any of them wants to retry.
 * Stateless; from any thread.
 */
final class RetryTopics {
  private static final String SUFFIX = "-RETRY"; // as Pulsar's own

  /** What Pulsar's client takes without a policy. */
  private static final int DEFAULT_MAX_REDELIVER_COUNT = 16;

  private RetryTopics() {}

  /** Whether a policy names its retry letter topic; null: no policy. */
  static boolean isNamed(DeadLetterPolicy policy) {
    return policy != null
        && policy.getRetryLetterTopic() != null
        && !policy.getRetryLetterTopic().isBlank();
  }

  /**
   * A policy with the consumer's own retry letter topic; the given one, or null, stays as it is.
   */
  static DeadLetterPolicy withOwnTopic(
      DeadLetterPolicy policy, String topic, String subscription, String consumerName) {
    DeadLetterPolicy own =
        policy == null
            ? DeadLetterPolicy.builder().maxRedeliverCount(DEFAULT_MAX_REDELIVER_COUNT).build()
            : copyOf(policy);
    own.setRetryLetterTopic(topic + "-" + part(subscription) + "-" + part(consumerName) + SUFFIX);
    return own;
  }

  /**
   * A policy with the dead letter topic that Pulsar's client gives consumers of a topic, wherever
   * they subscribe; one that names it, or null, stays as it is.
   */
  static DeadLetterPolicy withOneDeadLetterTopic(
      DeadLetterPolicy policy, String topic, String subscription) {
    if (policy == null
        || (policy.getDeadLetterTopic() != null && !policy.getDeadLetterTopic().isBlank())) {
      return policy;
    }
    DeadLetterPolicy own = copyOf(policy);
    own.setDeadLetterTopic(topic + "-" + subscription + "-DLQ"); // as Pulsar's own
    return own;
  }

  /** Without characters that part the components of a topic's name, or these parts. */
  private static String part(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("-", "%2D");
  }

  /** A policy as {@code loadConf} takes it: an object, or a map of its properties. */
  static DeadLetterPolicy policyOf(Object configured) {
    if (!(configured instanceof Map<?, ?> properties)) {
      return (DeadLetterPolicy) configured;
    }
    DeadLetterPolicy policy =
        DeadLetterPolicy.builder().maxRedeliverCount(DEFAULT_MAX_REDELIVER_COUNT).build();
    for (Method setter : DeadLetterPolicy.class.getMethods()) {
      if (isSetter(setter)) {
        Object value = properties.get(propertyOf(setter));
        if (value != null) {
          set(policy, setter, value);
        }
      }
    }
    return policy;
  }

  /** With what only newer clients know, too: every property that can be read and written. */
  private static DeadLetterPolicy copyOf(DeadLetterPolicy policy) {
    DeadLetterPolicy copy = DeadLetterPolicy.builder().build();
    for (Method setter : DeadLetterPolicy.class.getMethods()) {
      if (isSetter(setter)) {
        try {
          Method getter = DeadLetterPolicy.class.getMethod("get" + setter.getName().substring(3));
          set(copy, setter, getter.invoke(policy));
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(
              "The Pulsar client's DeadLetterPolicy cannot be copied; name its retryLetterTopic",
              e);
        }
      }
    }
    return copy;
  }

  private static boolean isSetter(Method method) {
    return method.getName().startsWith("set") && method.getParameterCount() == 1;
  }

  private static void set(DeadLetterPolicy policy, Method setter, Object value) {
    try {
      setter.invoke(policy, coerced(value, setter.getParameterTypes()[0]));
    } catch (IllegalArgumentException | ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "deadLetterPolicy: %s is \"%s\"; allowed: a value of type %s"
              .formatted(propertyOf(setter), value, setter.getParameterTypes()[0].getSimpleName()),
          e);
    }
  }

  /** A number as configuration files have it, which Pulsar's {@code loadConf} takes as well. */
  private static Object coerced(Object value, Class<?> type) {
    return (type == int.class || type == Integer.class) && !(value instanceof Integer)
        ? Integer.valueOf(value.toString().strip())
        : value;
  }

  private static String propertyOf(Method setter) {
    String property = setter.getName().substring(3);
    return Character.toLowerCase(property.charAt(0)) + property.substring(1);
  }
}
