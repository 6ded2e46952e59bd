/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import java.util.Arrays;
import java.util.function.Predicate;

/**
 * The consumers of one lane of a connection, in the order of their arrival. Adding and removing are
 * O(1) and never move another consumer, so that a pass over the list that was interrupted by a full
 * socket goes on where it stopped: a removed consumer leaves a gap until {@link #compact()}.
 *
 * <p>Confined to its connection's event loop.
 */
final class ConsumerList {

  private FanoutConsumer[] consumers = new FanoutConsumer[8];
  private int end;
  private int gaps;
  private int turn;

  /** How many places there are, gaps included. */
  int end() {
    return end;
  }

  /** How many consumers there are. */
  int size() {
    return end - gaps;
  }

  boolean isEmpty() {
    return end == gaps;
  }

  /** The consumer at a place, or null for a gap. */
  FanoutConsumer get(int index) {
    return consumers[index];
  }

  /** The consumer after the one that was last in turn; there is one. */
  FanoutConsumer nextInTurn() {
    while (true) {
      turn = turn + 1 < end ? turn + 1 : 0;
      FanoutConsumer consumer = consumers[turn];
      if (consumer != null) {
        return consumer;
      }
    }
  }

  void add(FanoutConsumer consumer) {
    if (end == consumers.length) {
      consumers = Arrays.copyOf(consumers, end * 2);
    }
    consumer.lane = this;
    consumer.laneIndex = end;
    consumers[end++] = consumer;
  }

  void remove(FanoutConsumer consumer) {
    consumers[consumer.laneIndex] = null;
    consumer.lane = null;
    gaps++;
  }

  /** Closes the gaps. Only between passes. */
  void compact() {
    if (gaps == 0) {
      return;
    }
    int kept = 0;
    for (int i = 0; i < end; i++) {
      FanoutConsumer consumer = consumers[i];
      if (consumer != null) {
        consumer.laneIndex = kept;
        consumers[kept++] = consumer;
      }
    }
    Arrays.fill(consumers, kept, end, null);
    end = kept;
    gaps = 0;
  }

  /**
   * Closes the gaps when most places are gaps, so that consumers that come and go leave nothing.
   * Only between passes.
   */
  void compactIfSparse() {
    if (gaps > 16 && gaps > end / 2) {
      compact();
    }
  }

  /** Moves the consumers that match to another list. Only between passes of this one. */
  void moveTo(ConsumerList target, Predicate<FanoutConsumer> which) {
    for (int i = 0; i < end; i++) {
      FanoutConsumer consumer = consumers[i];
      if (consumer != null && which.test(consumer)) {
        remove(consumer);
        target.add(consumer);
      }
    }
    compact();
  }
}
