/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Messages of one connection that their publisher wants delivered at a later time, each for one
 * consumer of the unordered contract. Holds one timer, whatever their number.
 *
 * <p>Their number is bounded over all connections of the subscription (I8): a consumer for which
 * there is no room waits, in front of the message, until there is.
 *
 * <p>Confined to the connection's event loop.
 */
final class DelayedDeliveries {

  private static final int MIN_TO_DROP = 16;

  /** How often to look whether there is room for consumers that wait for it. */
  private static final long LOOK_AGAIN_MILLIS = 1_000;

  private final PriorityQueue<Delivery> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Delivery::atMillis));
  private final FrameWriter writer;
  private final Consumer<FanoutConsumer> whenDue;
  private final Room room;

  /** Those that wait for room. */
  private final Set<FanoutConsumer> paused = new LinkedHashSet<>();

  private ScheduledFuture<?> timer;
  private long timerAtMillis;

  /** How many wait for consumers that are gone. They take no room. */
  private int forNobody;

  private record Delivery(long atMillis, FanoutConsumer consumer, long ordinal) {}

  /**
   * The deliveries that may be held for one subscription. May be used from any thread.
   *
   * @param max how many in all
   * @param each how many of each consumer in any case, so that nobody waits for others only
   */
  record Room(long max, int each, AtomicLong held) {
    Room(long max, int each) {
      this(max, each, new AtomicLong());
    }
  }

  /**
   * @param whenDue told of each consumer that has something due, or room again
   */
  DelayedDeliveries(FrameWriter writer, Room room, Consumer<FanoutConsumer> whenDue) {
    this.writer = writer;
    this.room = room;
    this.whenDue = whenDue;
  }

  /**
   * Has an entry delivered at {@code atMillis}, by the wall clock.
   *
   * @return false when there is no room: the consumer is paused, and told of later
   */
  boolean add(long atMillis, FanoutConsumer consumer, long ordinal) {
    if (consumer.delayedEntries() >= room.each && room.held.get() >= room.max) {
      consumer.paused = true;
      paused.add(consumer);
      startTimer();
      return false;
    }
    consumer.delay(ordinal);
    waiting.add(new Delivery(atMillis, consumer, ordinal));
    room.held.incrementAndGet();
    startTimer();
    return true;
  }

  /**
   * A consumer is gone, and its room free. What waits for it is dropped together with that for
   * others, when it is most of all: so consumers that come and go leave a bounded amount behind.
   */
  void forget(FanoutConsumer consumer) {
    paused.remove(consumer);
    if (waiting.isEmpty()) {
      return;
    }
    forNobody += consumer.delayedEntries();
    room.held.addAndGet(-consumer.delayedEntries());
    if (forNobody > MIN_TO_DROP && forNobody > waiting.size() / 2) {
      waiting.removeIf(delivery -> delivery.consumer.isGone());
      forNobody = 0;
    }
  }

  /** A consumer starts again, and what waits for it waits no more. */
  void drop(FanoutConsumer consumer) {
    resume(consumer);
    paused.remove(consumer);
    if (consumer.delayedEntries() > 0) {
      int before = waiting.size();
      waiting.removeIf(delivery -> delivery.consumer == consumer);
      room.held.addAndGet(waiting.size() - before);
    }
  }

  /** What is before {@code ordinal} is skipped, and delivered to nobody. */
  void skipTo(long ordinal) {
    for (Delivery delivery : waiting) {
      if (delivery.ordinal < ordinal) {
        takenOff(delivery);
      }
    }
    waiting.removeIf(delivery -> delivery.ordinal < ordinal);
  }

  /**
   * @return whether there is somebody to deliver it to
   */
  private boolean takenOff(Delivery delivery) {
    if (delivery.consumer.isGone()) {
      forNobody--;
      return false;
    }
    room.held.decrementAndGet();
    delivery.consumer.endDelay(delivery.ordinal);
    return true;
  }

  private static void resume(FanoutConsumer consumer) {
    consumer.paused = false;
  }

  /** How many deliveries are held. */
  int size() {
    return waiting.size();
  }

  /** Forgets everything. */
  void close() {
    room.held.addAndGet(forNobody - waiting.size());
    waiting.clear();
    forNobody = 0;
    paused.clear();
    if (timer != null) {
      timer.cancel(false);
    }
  }

  private void startTimer() {
    long atMillis = waiting.isEmpty() ? Long.MAX_VALUE : waiting.peek().atMillis;
    if (!paused.isEmpty()) {
      atMillis = Math.min(atMillis, System.currentTimeMillis() + LOOK_AGAIN_MILLIS);
    }
    if (atMillis == Long.MAX_VALUE || (timer != null && timerAtMillis <= atMillis)) {
      return;
    }
    if (timer != null) {
      timer.cancel(false);
    }
    timerAtMillis = atMillis;
    timer =
        writer.schedule(
            this::deliver, atMillis - System.currentTimeMillis(), TimeUnit.MILLISECONDS);
  }

  private void deliver() {
    timer = null;
    long now = System.currentTimeMillis();
    while (!waiting.isEmpty() && waiting.peek().atMillis <= now) {
      Delivery due = waiting.poll();
      if (takenOff(due)) {
        whenDue.accept(due.consumer);
      }
    }
    List<FanoutConsumer> waited = List.copyOf(paused);
    paused.clear();
    for (FanoutConsumer consumer : waited) {
      resume(consumer);
      whenDue.accept(consumer);
    }
    startTimer();
  }
}
