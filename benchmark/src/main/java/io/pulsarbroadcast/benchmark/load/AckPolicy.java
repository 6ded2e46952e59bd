/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.Locale;

/**
 * When a consumer acknowledges. Immutable; any thread may call it.
 *
 * @param kind how
 * @param every after how many messages, 1 for each; after how many milliseconds with {@link
 *     Kind#CUMULATIVE_TIMED}; 1 with {@link Kind#INDIVIDUAL} and {@link Kind#NONE}
 */
public record AckPolicy(Kind kind, int every) {
  /** How messages are acknowledged. */
  public enum Kind {
    /** Each acknowledgement covers everything before it. */
    CUMULATIVE,
    /** Cumulative, at regular times, when something has arrived since the last one. */
    CUMULATIVE_TIMED,
    /** Each message on its own. */
    INDIVIDUAL,
    /** Never. */
    NONE
  }

  public static final String ALLOWED =
      "cumulative, cumulative:<messages>, cumulative-ms:<milliseconds>, individual, none";
  public static final AckPolicy CUMULATIVE = new AckPolicy(Kind.CUMULATIVE, 1);
  public static final AckPolicy INDIVIDUAL = new AckPolicy(Kind.INDIVIDUAL, 1);
  public static final AckPolicy NONE = new AckPolicy(Kind.NONE, 1);

  public AckPolicy {
    if (every < 1 || (every > 1 && kind != Kind.CUMULATIVE && kind != Kind.CUMULATIVE_TIMED)) {
      throw new IllegalArgumentException(kind + " every " + every + "; allowed: " + ALLOWED);
    }
  }

  /** Cumulative, once per interval for each consumer that has received something meanwhile. */
  public static AckPolicy timed(int intervalMillis) {
    return new AckPolicy(Kind.CUMULATIVE_TIMED, intervalMillis);
  }

  /** Reads what {@link #toString()} writes; case does not matter. */
  public static AckPolicy parse(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (lower.matches("cumulative(-ms)?:[1-9][0-9]{0,8}")) {
      int every = Integer.parseInt(lower.substring(lower.indexOf(':') + 1));
      return lower.startsWith("cumulative-ms")
          ? timed(every)
          : new AckPolicy(Kind.CUMULATIVE, every);
    }
    return switch (lower) {
      case "cumulative" -> CUMULATIVE;
      case "individual" -> INDIVIDUAL;
      case "none" -> NONE;
      default -> throw new IllegalArgumentException("'" + text + "'; allowed: " + ALLOWED);
    };
  }

  @Override
  public String toString() {
    if (kind == Kind.CUMULATIVE_TIMED) {
      return "cumulative-ms:" + every;
    }
    String name = kind.name().toLowerCase(Locale.ROOT);
    return every == 1 ? name : name + ":" + every;
  }
}
