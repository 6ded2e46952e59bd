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

  private final PriorityQueue<Delivery> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Delivery::atMillis));
  private final FrameWriter writer;
  private final Consumer<FanoutConsumer> whenDue;
  private ScheduledFuture<?> timer;
  private long timerAtMillis;

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
      due.consumer.endDelay(due.ordinal);
      whenDue.accept(due.consumer);
    }
    startTimer();
  }
}
