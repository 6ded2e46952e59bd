/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * What is counted per subscription, unless the broker exposes no series per topic. Nothing of it is
 * registered: {@link SubscriptionCollector} looks at it when metrics are asked for. May be used
 * from any thread.
 */
final class SubscriptionCounts extends LabelGroup {
  private final Map<SubscriptionCounter, LongAdder> counters =
      adders(SubscriptionCounter.class, SubscriptionCounter.values());
  private final Map<SkipCause, LongAdder> skipped = adders(SkipCause.class, SkipCause.values());

  SubscriptionCounts(Tags tags) {
    super(tags);
  }

  private static <K extends Enum<K>> Map<K, LongAdder> adders(Class<K> type, K[] keys) {
    Map<K, LongAdder> adders = new EnumMap<>(type);
    for (K key : keys) {
      adders.put(key, new LongAdder());
    }
    return adders;
  }

  /** A number of messages is what their producer says, who may say a negative one: not counted. */
  void add(SubscriptionCounter counter, long count) {
    if (count > 0) {
      counters.get(counter).add(count);
    }
  }

  long count(SubscriptionCounter counter) {
    return counters.get(counter).sum();
  }

  void skipped(SkipCause cause, long entries) {
    skipped.get(cause).add(entries);
  }

  long skipped(SkipCause cause) {
    return skipped.get(cause).sum();
  }
}
