/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import java.util.Map;
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

  /** Consumer property: whole seconds that a position outlives its connection. */
  public static final String TTL_PROPERTY = "pulsar.broadcast.cursor.ttl.seconds";

  /** The longest name of a consumer: it is stored with its position. */
  static final int MAX_CONSUMER_NAME_CHARS = 1_024;

  private static final int MAX_QUOTED_CHARS = 64;

  private BroadcastContract() {}

  /**
   * Whether a subscribe asks for a Broadcast subscription, by its own property or by the
   * subscription's.
   *
   * @param consumerProperties the properties of the subscribe
   * @param subscriptionProperties the properties of the subscription
   * @throws IllegalArgumentException when a value is not allowed, or the wire type cannot be
   *     combined with Broadcast; the message is for the client
   */
  public static boolean isBroadcast(
      Map<String, String> consumerProperties,
      Map<String, String> subscriptionProperties,
      SubType wireType) {
    boolean asked = isBroadcastType(consumerProperties.get(TYPE_PROPERTY));
    boolean declared = isDeclared(subscriptionProperties);
    if (!asked && !declared) {
      return false;
    }
    if (wireType != SubType.Exclusive && wireType != SubType.Shared) {
      throw new IllegalArgumentException(
          "A Broadcast subscription cannot be combined with the subscription type "
              + wireType
              + "; allowed are Exclusive (ordered) and Shared (single-message redelivery)");
    }
    checkTtl(consumerProperties.get(TTL_PROPERTY));
    return true;
  }

  /** Whether a consumer names a subscription type of its own, by the consumer property. */
  public static boolean namesType(Map<String, String> consumerProperties) {
    return consumerProperties.containsKey(TYPE_PROPERTY);
  }

  /**
   * Checks the name that a position is to be stored under.
   *
   * @throws IllegalArgumentException when it is too long; the message is for the client
   */
  public static void checkConsumerName(String name) {
    if (name.length() > MAX_CONSUMER_NAME_CHARS) {
      throw new IllegalArgumentException(
          "The consumer name '"
              + quoted(name)
              + "' has "
              + name.length()
              + " characters; allowed on a Broadcast subscription are "
              + MAX_CONSUMER_NAME_CHARS);
    }
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
   * How long the consumer's position outlives its connection, in seconds.
   *
   * @param limitSeconds the broker's setting: the default, and the most that a consumer may ask for
   */
  public static long timeToLiveSeconds(Map<String, String> consumerProperties, long limitSeconds) {
    String value = consumerProperties.get(TTL_PROPERTY);
    return value == null ? limitSeconds : Math.min(limitSeconds, Long.parseLong(value));
  }

  private static boolean isBroadcastType(String value) {
    if (value == null) {
      return false;
    }
    if (value.equalsIgnoreCase(BROADCAST)) {
      return true;
    }
    throw new IllegalArgumentException(
        "Unknown value '"
            + quoted(value)
            + "' of the consumer property "
            + TYPE_PROPERTY
            + "; allowed is "
            + BROADCAST);
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

  /** A client's text, fit for a log line: bounded, and without control characters. */
  public static String quoted(String value) {
    String bounded =
        value.length() <= MAX_QUOTED_CHARS ? value : value.substring(0, MAX_QUOTED_CHARS) + "...";
    return bounded.replaceAll("\\p{Cntrl}", "?");
  }
}
