/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.pulsarbroadcast.broker.cursor.VirtualCursor;

/**
 * What dispatch knows of one consumer: how much it may be sent and what comes next. Its
 * acknowledged position is the {@link VirtualCursor}.
 *
 * <p>Confined to its connection's event loop, but for methods that say otherwise; the counters may
 * be read from anywhere and are then a little old.
 */
public final class FanoutConsumer {

  private final long consumerId;
  private final VirtualCursor cursor;
  private final ConsumerOwner owner;

  /**
   * What is to be sent again; null for the ordered contract, which starts again from a position.
   */
  private final Redeliveries redeliveries;

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

  /** Whether it waits in front of a delayed message; owned by {@link DelayedDeliveries}. */
  boolean paused;

  /** Whether it has so much to acknowledge that it is sent nothing until it does. */
  private volatile boolean blocked;

  private long messagesOut;
  private long bytesOut;
  private long messagesRedelivered;

  /**
   * @param ordered the contract: in order, redelivered from the position on; or redelivered singly
   */
  public FanoutConsumer(
      long consumerId, VirtualCursor cursor, long epoch, boolean ordered, ConsumerOwner owner) {
    this.consumerId = consumerId;
    this.cursor = cursor;
    this.epoch = epoch;
    this.owner = owner;
    this.redeliveries = ordered ? null : new Redeliveries(cursor);
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

  /** How many entries it has been sent on this connection and not acknowledged. From any thread. */
  public long unacknowledgedEntries() {
    long outstanding = cursor.outstandingBefore(next);
    // Some of what it asked for again it may have acknowledged since.
    return redeliveries == null ? outstanding : Math.max(0, outstanding - redeliveries.size());
  }

  /** Whether it may be sent something now. */
  boolean mayBeSent() {
    return permits > 0 && !blocked && !paused;
  }

  /** Whether it is sent nothing until it acknowledges. From any thread. */
  public boolean isBlocked() {
    return blocked;
  }

  /**
   * Whether it was blocked and has acknowledged enough to go on: half of what blocked it, as the
   * broker does it. From any thread.
   */
  public boolean mayUnblock() {
    if (!blocked) {
      return false;
    }
    int max = owner.maxUnacknowledgedEntries();
    return max <= 0 || unacknowledgedEntries() <= max / 2;
  }

  long consumerId() {
    return consumerId;
  }

  ConsumerOwner owner() {
    return owner;
  }

  /** Goes back, or on, to its position. */
  void startAgain() {
    next = cursor.next();
    blocked = false;
    if (redeliveries != null) {
      redeliveries.clear();
    }
  }

  /**
   * Moves on to {@code ordinal}, or stays if it is further: nothing before is sent, or again. Who
   * has come, or gone back, since its position was to move on is sent everything from there.
   */
  void skipTo(long ordinal) {
    long skipped = Math.min(ordinal, cursor.next());
    if (next < skipped) {
      next = skipped;
      cursor.delivered(skipped);
    }
    if (redeliveries != null) {
      redeliveries.dropBefore(skipped);
    }
  }

  /** Whether it was removed from its connection. */
  boolean isGone() {
    return memberIndex < 0;
  }

  /** How many entries it is to be sent later. */
  int delayedEntries() {
    return redeliveries == null ? 0 : redeliveries.delayedEntries();
  }

  void delay(long ordinal) {
    redeliveries.delay(ordinal);
  }

  void endDelay(long ordinal) {
    redeliveries.endDelay(ordinal);
  }

  boolean isOrdered() {
    return redeliveries == null;
  }

  /** Asks for an entry again that was sent and is not acknowledged; unordered contract. */
  void redeliver(long ordinal) {
    if (ordinal < next) {
      redeliveries.add(ordinal);
    }
  }

  /** Asks for everything again that was sent and is not acknowledged; unordered contract. */
  void redeliverAll() {
    for (long ordinal = cursor.nextGiven(cursor.next());
        ordinal < next;
        ordinal = cursor.nextGiven(ordinal + 1)) {
      redeliveries.add(ordinal);
    }
  }

  /** Whether there are entries to send that have gone by at the tail. */
  boolean hasRedeliveries() {
    return redeliveries != null && !redeliveries.isEmpty();
  }

  /** The first entry to read for it. */
  long wanted() {
    return hasRedeliveries() ? redeliveries.first() : next;
  }

  /** The end, exclusive, of what to read for it. */
  long wantedEnd() {
    return hasRedeliveries() ? redeliveries.endOfRun() : Long.MAX_VALUE;
  }

  /** Whether it takes an entry now; asked once per entry. */
  boolean takes(BroadcastEntry entry) {
    if (entry.isNextFor(next)) {
      return true;
    }
    if (!hasRedeliveries()) {
      return false;
    }
    redeliveries.removeRange(entry.from(), entry.ordinal());
    return redeliveries.remove(entry.ordinal());
  }

  /** An entry that it was to take is put off after all; one not sent yet stays its next anyway. */
  void keep(BroadcastEntry entry) {
    if (entry.ordinal() < next) {
      redeliveries.keep(entry.ordinal());
    }
  }

  /** How often the client has asked for an entry again. */
  int redeliveriesOf(BroadcastEntry entry) {
    return redeliveries == null ? 0 : redeliveries.countOf(entry.ordinal());
  }

  /**
   * Notes that an entry has been written, and moves on.
   *
   * @return whether the consumer had been sent it before
   */
  boolean sent(BroadcastEntry entry, int messages, int bytes) {
    permits -= messages;
    messagesOut += messages;
    bytesOut += bytes;
    boolean again = entry.ordinal() < cursor.deliveredEnd();
    if (again) {
      messagesRedelivered += messages;
    }
    passed(entry);
    if (redeliveries != null) {
      blockIfFull();
    }
    return again;
  }

  /** Moves on past an entry. */
  void passed(BroadcastEntry entry) {
    if (entry.ordinal() >= next) {
      next = entry.ordinal() + 1;
      cursor.delivered(next);
    }
  }

  void unblock() {
    blocked = false;
  }

  private void blockIfFull() {
    int max = owner.maxUnacknowledgedEntries();
    if (max > 0 && next - cursor.next() >= max && unacknowledgedEntries() >= max) {
      blocked = true;
      // An acknowledgement on another thread may have come between: it did not see the block.
      if (mayUnblock()) {
        blocked = false;
      }
    }
  }
}
