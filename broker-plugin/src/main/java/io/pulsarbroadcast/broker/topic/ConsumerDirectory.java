/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.stats.BroadcastStats;
import java.util.AbstractSequentialList;
import java.util.ArrayList;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.broker.service.Consumer;

/**
 * The connected consumers of a Broadcast subscription, by name; names may collide. Adding,
 * removing, counting and looking up are O(1). May be called from any thread.
 */
final class ConsumerDirectory implements BroadcastStats.Connected {

  /** Name to the consumer that came last under it; the others hang on it. */
  private final Map<String, BroadcastConsumer> byName = new ConcurrentHashMap<>();

  private final AtomicInteger count = new AtomicInteger();

  /**
   * Counts a consumer that is about to be added.
   *
   * @return how many there are with it
   */
  int reserve() {
    return count.incrementAndGet();
  }

  /** A consumer that was counted is not added. */
  void release() {
    count.decrementAndGet();
  }

  /** Adds a consumer that was counted by {@link #reserve}. */
  void add(BroadcastConsumer consumer) {
    byName.compute(
        consumer.consumerName(),
        (name, others) -> {
          consumer.sameName = others;
          return consumer;
        });
  }

  void remove(BroadcastConsumer consumer) {
    byName.computeIfPresent(consumer.consumerName(), (name, first) -> without(consumer, first));
  }

  private BroadcastConsumer without(BroadcastConsumer consumer, BroadcastConsumer first) {
    if (first == consumer) {
      count.decrementAndGet();
      return consumer.sameName;
    }
    for (BroadcastConsumer other = first; other != null; other = other.sameName) {
      if (other.sameName == consumer) {
        other.sameName = consumer.sameName;
        count.decrementAndGet();
        break;
      }
    }
    return first;
  }

  /** How many consumers there are, with those about to be added. */
  @Override
  public int count() {
    return count.get();
  }

  /** Whether no consumer is connected; those about to be added do not count. */
  boolean isEmpty() {
    return byName.isEmpty();
  }

  /** The consumers connected under a name. */
  List<BroadcastConsumer> named(String name) {
    List<BroadcastConsumer> named = new ArrayList<>(1);
    byName.computeIfPresent(
        name,
        (key, first) -> {
          addChain(first, named);
          return first;
        });
    return named;
  }

  /** A copy of all consumers. */
  @Override
  public List<Consumer> snapshot() {
    List<Consumer> all = new ArrayList<>(count());
    byName.values().forEach(first -> addChain(first, all));
    return all;
  }

  @Override
  public long next(Consumer consumer) {
    return ((BroadcastConsumer) consumer).position().next();
  }

  /** All consumers as the broker asks for them; its size is known without making a copy. */
  List<Consumer> asList() {
    return new AbstractSequentialList<>() {
      @Override
      public ListIterator<Consumer> listIterator(int index) {
        return snapshot().listIterator(index);
      }

      @Override
      public int size() {
        return count();
      }

      @Override
      public boolean isEmpty() {
        return count() == 0;
      }
    };
  }

  private static void addChain(BroadcastConsumer first, List<? super BroadcastConsumer> to) {
    for (BroadcastConsumer consumer = first; consumer != null; consumer = consumer.sameName) {
      to.add(consumer);
    }
  }
}
