/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import java.util.Arrays;
import java.util.function.Predicate;

/**
 * The consumers of one lane of a connection, in the order of their arrival, and how far a pass over
 * them has come: one that a full socket interrupts goes on where it stopped. Adding and removing
 * are O(1) and move nobody else during a pass; a removed consumer leaves a gap until its end.
 *
 * <p>Confined to its connection's event loop.
 */
final class ConsumerList {

  private static final int MIN_GAPS = 16;

  private FanoutConsumer[] consumers = new FanoutConsumer[8];
  private int end;
  private int gaps;

  /** The next place of the pass; 0 between passes. */
  private int pass;

  private int turn;

  /** How many consumers there are. */
  int size() {
    return end - gaps;
  }

  boolean isEmpty() {
    return end == gaps;
  }

  /** Whether the pass has a consumer left. */
  boolean hasNext() {
    while (pass < end && consumers[pass] == null) {
      pass++;
    }
    return pass < end;
  }

  /** The next consumer of the pass; there is one. */
  FanoutConsumer next() {
    return consumers[pass++];
  }

  /** Ends the pass, wherever it is: the next one begins with the first consumer. */
  void endPass() {
    pass = 0;
    compact();
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

  /** A consumer that matches, or null. */
  FanoutConsumer any(Predicate<FanoutConsumer> which) {
    for (int i = 0; i < end; i++) {
      if (consumers[i] != null && which.test(consumers[i])) {
        return consumers[i];
      }
    }
    return null;
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
    leaveGap(consumer);
    // So consumers that come and go leave nothing, though there is never a pass.
    if (pass == 0 && gaps > MIN_GAPS && gaps > end / 2) {
      compact();
    }
  }

  /** Moves the consumers that match to another list. Only between passes of this one. */
  void moveTo(ConsumerList target, Predicate<FanoutConsumer> which) {
    for (int i = 0; i < end; i++) {
      FanoutConsumer consumer = consumers[i];
      if (consumer != null && which.test(consumer)) {
        leaveGap(consumer);
        target.add(consumer);
      }
    }
    compact();
  }

  private void leaveGap(FanoutConsumer consumer) {
    consumers[consumer.laneIndex] = null;
    consumer.lane = null;
    gaps++;
  }

  private void compact() {
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
}
