/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Messages of one connection that their publisher wants delivered at a later time, each for one
 * consumer of the unordered contract. Holds one timer, whatever their number.
 *
 * <p>Confined to the connection's event loop.
 */
final class DelayedDeliveries {

  private static final int MIN_TO_DROP = 16;

  private final PriorityQueue<Delivery> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Delivery::atMillis));
  private final FrameWriter writer;
  private final Consumer<FanoutConsumer> whenDue;
  private ScheduledFuture<?> timer;
  private long timerAtMillis;

  /** About how many wait for consumers that are gone. */
  private int forNobody;

  private record Delivery(long atMillis, FanoutConsumer consumer, long ordinal) {}

  /**
   * @param whenDue told of each consumer that has something due
   */
  DelayedDeliveries(FrameWriter writer, Consumer<FanoutConsumer> whenDue) {
    this.writer = writer;
    this.whenDue = whenDue;
  }

  /** Has an entry delivered at {@code atMillis}, by the wall clock. */
  void add(long atMillis, FanoutConsumer consumer, long ordinal) {
    consumer.delay(ordinal);
    waiting.add(new Delivery(atMillis, consumer, ordinal));
    startTimer();
  }

  /**
   * A consumer is gone. What waits for it is dropped together with that for others, when it is most
   * of all: so consumers that come and go leave a bounded amount behind.
   */
  void forget(FanoutConsumer consumer) {
    forNobody += consumer.delayedEntries();
    if (forNobody > MIN_TO_DROP && forNobody > waiting.size() / 2) {
      waiting.removeIf(delivery -> delivery.consumer.isGone());
      forNobody = 0;
    }
  }

  /** How many deliveries are held. */
  int size() {
    return waiting.size();
  }

  /** Forgets everything. */
  void close() {
    waiting.clear();
    if (timer != null) {
      timer.cancel(false);
    }
  }

  private void startTimer() {
    Delivery first = waiting.peek();
    if (first == null || timer != null && timerAtMillis <= first.atMillis) {
      return;
    }
    if (timer != null) {
      timer.cancel(false);
    }
    timerAtMillis = first.atMillis;
    timer =
        writer.schedule(
            this::deliver, first.atMillis - System.currentTimeMillis(), TimeUnit.MILLISECONDS);
  }

  private void deliver() {
    timer = null;
    long now = System.currentTimeMillis();
    while (!waiting.isEmpty() && waiting.peek().atMillis <= now) {
      Delivery due = waiting.poll();
      if (due.consumer.isGone()) {
        forNobody--;
      } else {
        due.consumer.endDelay(due.ordinal);
        whenDue.accept(due.consumer);
      }
    }
    startTimer();
  }
}
