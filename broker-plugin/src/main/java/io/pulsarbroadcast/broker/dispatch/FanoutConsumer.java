/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.pulsarbroadcast.broker.cursor.VirtualCursor;

/**
 * What dispatch knows of one consumer: how much it may be sent and what comes next. Its
 * acknowledged position is the {@link VirtualCursor}.
 *
 * <p>Confined to its connection's event loop; the counters may be read from anywhere and are then a
 * little old.
 */
public final class FanoutConsumer {

  private final long consumerId;
  private final VirtualCursor cursor;
  private final Runnable closer;

  /** The first ordinal not sent yet. */
  long next;

  /** Messages that may still be sent; negative after a batch that was larger than what was left. */
  int permits;

  /**
   * The consumer's epoch, which tells the client redelivered messages from those in flight before.
   */
  long epoch;

  /** The lane it waits in, or null while it may not be sent anything, and its place there. */
  ConsumerList lane;

  int laneIndex;

  /** Its place among all consumers of the connection. */
  int memberIndex = -1;

  private long messagesOut;
  private long bytesOut;
  private long messagesRedelivered;

  /**
   * @param closer closes the consumer as the broker knows it; called when its connection is gone
   */
  public FanoutConsumer(long consumerId, VirtualCursor cursor, long epoch, Runnable closer) {
    this.consumerId = consumerId;
    this.cursor = cursor;
    this.epoch = epoch;
    this.closer = closer;
    this.next = cursor.next();
  }

  public VirtualCursor cursor() {
    return cursor;
  }

  public int permits() {
    return permits;
  }

  public long messagesOut() {
    return messagesOut;
  }

  public long bytesOut() {
    return bytesOut;
  }

  public long messagesRedelivered() {
    return messagesRedelivered;
  }

  long consumerId() {
    return consumerId;
  }

  void close() {
    closer.run();
  }

  /** Notes that an entry has been written, and moves on. */
  void sent(BroadcastEntry entry, int bytes) {
    permits -= entry.messages();
    messagesOut += entry.messages();
    bytesOut += bytes;
    if (entry.ordinal() < cursor.deliveredEnd()) {
      messagesRedelivered += entry.messages();
    }
    passed(entry);
  }

  /** Moves on past an entry. */
  void passed(BroadcastEntry entry) {
    next = entry.ordinal() + 1;
    cursor.delivered(next);
  }
}
