/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * The plugin's settings: keys {@code broadcast*} of broker.conf or standalone.conf. Immutable.
 *
 * @param positionFlushIntervalMillis how often at the most changed positions are written to
 *     storage; what a crash of the broker makes it deliver again
 * @param cursorTimeToLiveSeconds how long a position outlives its connection; also the most that a
 *     consumer may ask for; a topic or namespace may have another value
 * @param maxPositionsPerSubscription durable positions, connected and waiting; 0: no limit
 * @param maxNewNamesPerConnectionPerMinute durable names without a position; 0: no limit
 * @param markDeleteIntervalMillis how often at the most the lowest position is handed to the
 *     subscription's cursor
 * @param connectionMaxPendingBytes tail entries that may wait for one connection's socket before
 *     its consumers are served from the cache or from storage
 * @param catchUpReadMaxEntries entries per read for consumers that are behind
 * @param catchUpReadMaxBytes bytes per read for consumers that are behind
 * @param catchUpMaxHeldBytes memory, per subscription, of batches that wait for full sockets of
 *     consumers behind
 * @param maxAcknowledgmentHolesToPersist entries, and batches, that one consumer has acknowledged
 *     ahead of its position and that survive a restart
 * @param statsMaxConsumers how many consumers of a subscription the broker's statistics list
 * @param exposeTopicLevelHistograms whether histograms are per subscription, as other metrics are,
 *     or per namespace
 * @param dispatchExecutor where the fan-out of a subscription runs
 * @param ackExecutor where acknowledgements are taken
 */
public record BroadcastConfig(
    int positionFlushIntervalMillis,
    int cursorTimeToLiveSeconds,
    int maxPositionsPerSubscription,
    int maxNewNamesPerConnectionPerMinute,
    int markDeleteIntervalMillis,
    int connectionMaxPendingBytes,
    int catchUpReadMaxEntries,
    int catchUpReadMaxBytes,
    int catchUpMaxHeldBytes,
    int maxAcknowledgmentHolesToPersist,
    int statsMaxConsumers,
    boolean exposeTopicLevelHistograms,
    DispatchThreads dispatchExecutor,
    AckThreads ackExecutor) {

  /** Where the fan-out of a subscription runs. */
  public enum DispatchThreads {
    /** Each connection's on its event loop. */
    CONNECTION,
    /** All of a subscription on one thread. */
    SUBSCRIPTION,
    /** All of a topic on one thread. */
    TOPIC
  }

  /** Where acknowledgements are taken. */
  public enum AckThreads {
    /** On the event loop that they arrive on. */
    IO,
    /** On any thread of the broker's ordered executor. */
    RANDOM,
    /** On the subscription's thread. */
    SUBSCRIPTION,
    /** On the topic's thread. */
    TOPIC
  }

  /** The key of {@link #maxPositionsPerSubscription}, for those who are refused. */
  public static final String MAX_POSITIONS = "broadcastMaxPositionsPerSubscription";

  /** The key of {@link #maxNewNamesPerConnectionPerMinute}, for those who are refused. */
  public static final String MAX_NEW_NAMES = "broadcastMaxNewNamesPerConnectionPerMinute";

  private static final String PREFIX = "broadcast";

  /**
   * Reads and checks the settings.
   *
   * @throws IllegalArgumentException naming the key, the value and what is allowed
   */
  public static BroadcastConfig from(Properties properties) {
    Reader reader = new Reader(properties);
    BroadcastConfig config =
        new BroadcastConfig(
            reader.integer("broadcastPositionFlushIntervalMillis", 1_000, 1, 60_000),
            reader.integer("broadcastCursorTimeToLiveSeconds", 7 * 24 * 3600, 0, Integer.MAX_VALUE),
            reader.integer(MAX_POSITIONS, 1_000_000, 0, Integer.MAX_VALUE),
            reader.integer(MAX_NEW_NAMES, 0, 0, Integer.MAX_VALUE),
            reader.integer("broadcastMarkDeleteIntervalMillis", 100, 1, 60_000),
            reader.integer("broadcastConnectionMaxPendingBytes", 16 << 20, 1 << 16, 1 << 30),
            reader.integer("broadcastCatchUpReadMaxEntries", 100, 1, 10_000),
            reader.integer("broadcastCatchUpReadMaxBytes", 1 << 20, 1 << 10, 1 << 28),
            reader.integer("broadcastCatchUpMaxHeldBytes", 64 << 20, 1 << 20, 1 << 30),
            reader.integer("broadcastMaxAcknowledgmentHolesToPersist", 50_000, 0, 500_000),
            reader.integer("broadcastStatsMaxConsumers", 1_000, 0, 10_000),
            reader.flag("broadcastExposeTopicLevelHistograms", false),
            reader.choice("broadcastDispatchExecutor", DispatchThreads.CONNECTION),
            reader.choice("broadcastAckExecutor", AckThreads.IO));
    reader.refuseUnknown();
    return config;
  }

  /** By key, in the order of their declaration and with defaults; values as in broker.conf. */
  public Map<String, Object> settings() {
    Map<String, Object> settings = new LinkedHashMap<>();
    for (RecordComponent component : BroadcastConfig.class.getRecordComponents()) {
      String name = component.getName();
      settings.put(
          PREFIX + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1),
          value(component));
    }
    return settings;
  }

  private Object value(RecordComponent component) {
    try {
      Object value = component.getAccessor().invoke(this);
      return value instanceof Enum<?> choice ? written(choice) : value;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String written(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  private static final class Reader {
    private final Properties properties;
    private final List<String> known = new ArrayList<>();

    Reader(Properties properties) {
      this.properties = properties;
    }

    int integer(String key, int defaultValue, int min, int max) {
      known.add(key);
      Object value = properties.get(key);
      if (value == null) {
        return defaultValue;
      }
      try {
        int number = Integer.parseInt(value.toString().trim());
        if (min <= number && number <= max) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Reported below with what is allowed.
      }
      throw new IllegalArgumentException(
          "Invalid setting "
              + key
              + "="
              + value
              + "; allowed is a whole number from "
              + min
              + " to "
              + max);
    }

    boolean flag(String key, boolean defaultValue) {
      known.add(key);
      Object value = properties.get(key);
      String given = value == null ? String.valueOf(defaultValue) : value.toString().trim();
      if (given.equalsIgnoreCase("true") || given.equalsIgnoreCase("false")) {
        return Boolean.parseBoolean(given);
      }
      throw new IllegalArgumentException(
          "Invalid setting " + key + "=" + value + "; allowed are true, false");
    }

    <E extends Enum<E>> E choice(String key, E defaultValue) {
      known.add(key);
      Object value = properties.get(key);
      if (value == null) {
        return defaultValue;
      }
      E[] allowed = defaultValue.getDeclaringClass().getEnumConstants();
      for (E choice : allowed) {
        if (choice.name().equalsIgnoreCase(value.toString().trim())) {
          return choice;
        }
      }
      throw new IllegalArgumentException(
          "Invalid setting "
              + key
              + "="
              + value
              + "; allowed are "
              + Arrays.stream(allowed)
                  .map(BroadcastConfig::written)
                  .collect(Collectors.joining(", ")));
    }

    void refuseUnknown() {
      for (Object key : properties.keySet()) {
        if (key.toString().startsWith(PREFIX) && !known.contains(key.toString())) {
          throw new IllegalArgumentException(
              "Unknown setting "
                  + key
                  + "="
                  + properties.get(key)
                  + "; known are "
                  + String.join(", ", known));
        }
      }
    }
  }
}
