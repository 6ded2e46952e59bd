/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.stats.BroadcastStats;
import java.util.AbstractSequentialList;
import java.util.ArrayList;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.pulsar.broker.service.Consumer;

/**
 * The connected consumers of a Broadcast subscription, by name; names may collide. Adding,
 * removing, counting and looking up are O(1). May be called from any thread.
 *
 * @param <C> the consumers
 */
final class ConsumerDirectory<C extends Consumer & ConsumerDirectory.Member>
    implements BroadcastStats.Connected {

  /** A consumer that can be in a directory. */
  interface Member {

    /** The next consumer of the same name, which the directory keeps there. */
    Member sameName();

    /** Changes {@link #sameName}; called by the directory only. */
    void sameName(Member next);

    /** Where it is. */
    VirtualCursor position();

    /** Its client's address, behind a proxy too if that passes it on. */
    String address();

    /**
     * Moves it, and lets its client reconnect, as a seek does.
     *
     * @return completed when a durable position is there, on storage too
     */
    CompletableFuture<Void> moveTo(long ordinal);

    /**
     * Disconnects it, once its subscribe has been answered.
     *
     * @param newOwner the broker that has the topic from now on, if known
     */
    void disconnectOnceAnswered(boolean isResetCursor, Optional<?> newOwner);
  }

  /** Name to the consumer that came last under it; the others hang on it. */
  private final Map<String, C> byName = new ConcurrentHashMap<>();

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
  void add(C consumer) {
    byName.compute(
        consumer.consumerName(),
        (name, others) -> {
          consumer.sameName(others);
          return consumer;
        });
  }

  void remove(C consumer) {
    byName.computeIfPresent(consumer.consumerName(), (name, first) -> without(consumer, first));
  }

  private C without(C consumer, C first) {
    if (first == consumer) {
      count.decrementAndGet();
      return after(consumer);
    }
    for (C other = first; other != null; other = after(other)) {
      if (other.sameName() == consumer) {
        other.sameName(consumer.sameName());
        count.decrementAndGet();
        break;
      }
    }
    return first;
  }

  @SuppressWarnings("unchecked") // Only what was added hangs on one another.
  private C after(C consumer) {
    return (C) consumer.sameName();
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

  /** Whether some consumer is connected under a name; looks at those that came last first. */
  boolean anyNamed(String name, Predicate<C> which) {
    boolean[] found = {false};
    byName.computeIfPresent(
        name,
        (key, first) -> {
          for (C consumer = first; consumer != null && !found[0]; consumer = after(consumer)) {
            found[0] = which.test(consumer);
          }
          return first;
        });
    return found[0];
  }

  /** The consumers connected under a name. */
  List<C> named(String name) {
    List<C> named = new ArrayList<>(1);
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
  public List<C> snapshot() {
    List<C> all = new ArrayList<>(count());
    copyTo(all);
    return all;
  }

  @Override
  public long next(Consumer consumer) {
    return ((Member) consumer).position().next();
  }

  @Override
  public boolean isDurable(Consumer consumer) {
    return ((Member) consumer).position().isDurable();
  }

  /** All consumers as the broker asks for them; its size is known without making a copy. */
  List<Consumer> asList() {
    return new AbstractSequentialList<>() {
      @Override
      public ListIterator<Consumer> listIterator(int index) {
        List<Consumer> all = new ArrayList<>(count());
        copyTo(all);
        return all.listIterator(index);
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

  private void copyTo(List<? super C> to) {
    byName.values().forEach(first -> addChain(first, to));
  }

  private void addChain(C first, List<? super C> to) {
    for (C consumer = first; consumer != null; consumer = after(consumer)) {
      to.add(consumer);
    }
  }
}
