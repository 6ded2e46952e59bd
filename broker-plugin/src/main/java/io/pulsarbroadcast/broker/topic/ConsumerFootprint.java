/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.common.policies.data.stats.ConsumerStatsImpl;
import org.apache.pulsar.common.stats.Rate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes Broadcast consumers share what the broker's Consumer allocates for each and they do not
 * use, or have alike: its counters, rates and statistics, which are a third of what a consumer
 * takes, and properties. Stateless but for that; may be called from any thread.
 */
final class ConsumerFootprint {

  private static final Logger log = LoggerFactory.getLogger(ConsumerFootprint.class);

  private static final Map<Field, Object> UNUSED = unusedFields();

  /** Weak, for properties are clients' data: kept as long as some consumer has them. */
  private static final Interner<Map<String, String>> PROPERTIES = Interners.newWeakInterner();

  private ConsumerFootprint() {}

  /** One map for all consumers with the same properties. */
  static Map<String, String> shared(Map<String, String> properties) {
    return properties == null ? Map.of() : PROPERTIES.intern(properties);
  }

  /** Gives up what a consumer that has just been made does not use. */
  static void reduce(Consumer consumer) {
    try {
      for (Map.Entry<Field, Object> field : UNUSED.entrySet()) {
        field.getKey().set(consumer, field.getValue());
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<Field, Object> unusedFields() {
    Map<Field, Object> fields = new HashMap<>();
    try {
      for (Field field : Consumer.class.getDeclaredFields()) {
        Object shared = sharedValue(field.getType());
        if (shared != null && !Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          fields.put(field, shared);
        }
      }
      return fields;
    } catch (RuntimeException e) {
      log.info("Broadcast consumers take more memory than they need: {}", e.toString());
      return Map.of();
    }
  }

  private static Object sharedValue(Class<?> type) {
    if (type == Rate.class) {
      return new Rate();
    }
    if (type == LongAdder.class) {
      return new LongAdder();
    }
    return type == ConsumerStatsImpl.class ? new ConsumerStatsImpl() : null;
  }
}
