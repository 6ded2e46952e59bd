/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.dispatch.ConsumerOwner.Verdict;

/**
 * Gives one entry to one consumer of a connection: leaves out what is acknowledged already, asks
 * filters and delivery times, writes the frame, and counts it. Confined to the connection's event
 * loop.
 */
final class EntrySender {

  private final FrameWriter writer;
  private final DelayedDeliveries delayed;
  private final ConsumerOwner.Filters filters;
  private final SentCounts sentAtTail;
  private final SentCounts sentBehind;

  EntrySender(
      FrameWriter writer,
      DelayedDeliveries delayed,
      ConsumerOwner.Filters filters,
      BroadcastDispatcher dispatcher) {
    this.writer = writer;
    this.delayed = delayed;
    this.filters = filters;
    this.sentAtTail = new SentCounts(dispatcher, true);
    this.sentBehind = new SentCounts(dispatcher, false);
  }

  /**
   * Moves a consumer past an entry, written to it or not. The frame is not flushed.
   *
   * @param fromTail whether the tail reader brought the entry; for the counts
   */
  void give(FanoutConsumer consumer, BroadcastEntry entry, boolean fromTail) {
    VirtualCursor cursor = consumer.cursor();
    if (!entry.isDelivered() || cursor.isAcknowledged(entry.ordinal())) {
      consumer.passed(entry);
      return;
    }
    Verdict verdict =
        cursor.cutPart(entry.ordinal(), entry.messages())
            ? Verdict.REJECT
            : filters.test(consumer.owner(), entry);
    if (verdict != Verdict.ACCEPT) {
      consumer.passed(entry);
      consumer.owner().filtered(entry, verdict);
      return;
    }
    if (!consumer.isOrdered() && isDelayed(consumer, entry)) {
      return;
    }
    long[] ackSet = cursor.remaining(entry.ordinal());
    int messages = ackSet == null ? entry.messages() : countOf(ackSet);
    int bytes = writer.write(consumer, entry, consumer.redeliveriesOf(entry), ackSet);
    boolean again = consumer.sent(entry, messages, bytes);
    (fromTail ? sentAtTail : sentBehind).add(messages, bytes, again);
  }

  /** Tells rate limits and metrics what was written since the last time. */
  void report() {
    sentAtTail.report();
    sentBehind.report();
  }

  private boolean isDelayed(FanoutConsumer consumer, BroadcastEntry entry) {
    long atMillis = consumer.owner().deliverAtMillis(entry);
    if (atMillis <= 0 || atMillis <= System.currentTimeMillis()) {
      return false;
    }
    if (delayed.add(atMillis, consumer, entry.ordinal())) {
      consumer.passed(entry);
    } else {
      consumer.keep(entry);
    }
    return true;
  }

  private static int countOf(long[] bits) {
    int count = 0;
    for (long word : bits) {
      count += Long.bitCount(word);
    }
    return count;
  }
}
