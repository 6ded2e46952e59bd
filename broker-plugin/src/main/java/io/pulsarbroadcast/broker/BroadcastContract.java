/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import java.util.Map;
import java.util.regex.Pattern;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;

/**
 * The wire contract: which properties of a subscribe select the Broadcast type. Programs outside
 * this project rely on it. Stateless; may be called from any thread.
 *
 * <p>The type travels as a consumer property because the wire enum has four values and stock
 * decoders drop a fifth.
 */
public final class BroadcastContract {

  /**
   * Consumer property, or subscription property set by an administrator, that selects the
   * subscription type.
   */
  public static final String TYPE_PROPERTY = "pulsar.subscription.type";

  /** The one value of {@link #TYPE_PROPERTY}; case is ignored. */
  public static final String BROADCAST = "Broadcast";

  /**
   * Whole seconds that a position outlives its connection: as property of a consumer, what it asks
   * for; as property of a topic or namespace set by an administrator, the default and the most.
   */
  public static final String TTL_PROPERTY = "pulsar.broadcast.cursor.ttl.seconds";

  /**
   * Property of the source of shadow topics (PIP-180): where a consumer's name stands for one
   * position. {@code topic}, as without it: in each topic for another. {@code shadows}: in the
   * source and all its shadow topics for one, which goes where its consumer goes.
   */
  public static final String SCOPE_PROPERTY = "pulsar.broadcast.position.scope";

  private static final String SCOPE_TOPIC = "topic";
  private static final String SCOPE_SHADOWS = "shadows";

  /** The longest name: a consumer's is stored with its position. */
  private static final int MAX_NAME_CHARS = 1_024;

  private static final int MAX_QUOTED_CHARS = 64;

  /** What could end a line, or steer a terminal. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

  private BroadcastContract() {}

  /**
   * Checks a subscribe that is {@linkplain #namesType for Broadcast by its own property}, or by
   * {@linkplain #isDeclared the subscription's}. The names are kept, stored and logged, by the
   * broker too.
   *
   * @throws IllegalArgumentException when a property's value is not allowed, the wire type cannot
   *     be combined with Broadcast, or a name is too long or has a control character; the message
   *     is for the client
   */
  public static void check(
      Map<String, String> consumerProperties,
      SubType wireType,
      String subscription,
      String consumer) {
    checkType(consumerProperties.get(TYPE_PROPERTY));
    if (wireType != SubType.Exclusive && wireType != SubType.Shared) {
      throw new IllegalArgumentException(
          "A Broadcast subscription cannot be combined with the subscription type "
              + wireType
              + "; allowed are Exclusive (ordered) and Shared (single-message redelivery)");
    }
    checkTtl(consumerProperties.get(TTL_PROPERTY));
    checkName("subscription", subscription);
    checkName("consumer", consumer);
  }

  /** Whether a consumer names a subscription type of its own, by the consumer property. */
  public static boolean namesType(Map<String, String> consumerProperties) {
    return consumerProperties.containsKey(TYPE_PROPERTY);
  }

  /**
   * Whether an administrator made the subscription Broadcast; an unknown value of the property is
   * not an error here.
   */
  public static boolean isDeclared(Map<String, String> subscriptionProperties) {
    return subscriptionProperties != null
        && BROADCAST.equalsIgnoreCase(subscriptionProperties.get(TYPE_PROPERTY));
  }

  /**
   * How long the consumer's position is to outlive its connection, in seconds: as long as it may
   * ({@link Long#MAX_VALUE}), unless the consumer asks for less.
   */
  public static long timeToLiveSeconds(Map<String, String> consumerProperties) {
    String value = consumerProperties.get(TTL_PROPERTY);
    return value == null ? Long.MAX_VALUE : Long.parseLong(value);
  }

  /**
   * Whether a consumer's name stands for one position in a topic and all its shadow topics.
   *
   * @param properties of the topic, their source
   * @throws IllegalArgumentException when a value is not allowed
   */
  public static boolean spansShadows(String topic, Map<String, String> properties) {
    String value = properties.getOrDefault(SCOPE_PROPERTY, SCOPE_TOPIC);
    if (!value.equals(SCOPE_TOPIC) && !value.equals(SCOPE_SHADOWS)) {
      throw new IllegalArgumentException(
          "The property %s of topic %s is '%s'; allowed are %s and %s"
              .formatted(SCOPE_PROPERTY, topic, quoted(value), SCOPE_TOPIC, SCOPE_SHADOWS));
    }
    return value.equals(SCOPE_SHADOWS);
  }

  /** Whether a value of {@link #TTL_PROPERTY} may be a topic's or namespace's. */
  public static boolean isPolicy(String timeToLive) {
    return timeToLive.matches("\\d{1,10}") && Long.parseLong(timeToLive) <= Integer.MAX_VALUE;
  }

  private static void checkType(String value) {
    if (value != null && !value.equalsIgnoreCase(BROADCAST)) {
      throw new IllegalArgumentException(
          "Unknown value '"
              + quoted(value)
              + "' of the consumer property "
              + TYPE_PROPERTY
              + "; allowed is "
              + BROADCAST);
    }
  }

  private static void checkTtl(String value) {
    if (value != null && !value.matches("\\d{1,18}")) {
      throw new IllegalArgumentException(
          "Invalid value '"
              + quoted(value)
              + "' of the consumer property "
              + TTL_PROPERTY
              + "; allowed is a whole number of seconds, 0 or more");
    }
  }

  private static void checkName(String of, String name) {
    if (name.length() > MAX_NAME_CHARS) {
      throw new IllegalArgumentException(
          "The %s name '%s' has %d characters; allowed on a Broadcast subscription are %d"
              .formatted(of, quoted(name), name.length(), MAX_NAME_CHARS));
    }
    if (UNPRINTABLE.matcher(name).find()) {
      throw new IllegalArgumentException(
          "The %s name '%s' has control characters, which a Broadcast subscription does not allow"
              .formatted(of, quoted(name)));
    }
  }

  /** A client's text, fit for a log line: bounded, and without control characters. */
  public static String quoted(String value) {
    String bounded =
        value.length() <= MAX_QUOTED_CHARS ? value : value.substring(0, MAX_QUOTED_CHARS) + "...";
    return UNPRINTABLE.matcher(bounded).replaceAll("?");
  }
}
