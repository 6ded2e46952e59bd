/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import io.pulsarbroadcast.broker.metrics.ConnectionGauges;
import java.util.ArrayList;
import java.util.List;

/**
 * The consumers of one Broadcast subscription on one connection, and what is being sent to them.
 *
 * <p>Everything in here is confined to one thread, by default the connection's event loop, where
 * acknowledgements, permits and writability events arrive anyway: the dispatcher hands over one
 * task per batch of entries and connection, never one per consumer, and there is no lock. Methods
 * that the dispatcher calls hop there; for the others there is {@link #execute}.
 *
 * <p>A consumer with permits waits in one of two lanes; one without waits in none and costs
 * nothing:
 *
 * <ul>
 *   <li>at the tail: it takes every entry the tail reader brings, while the entries are still
 *       queued here;
 *   <li>behind: it needs entries that have gone by. The connection asks the dispatcher for a batch
 *       from the place of one such consumer, in turn, and gives it to all whom it fits, until they
 *       are back at the tail.
 * </ul>
 *
 * <p>When the socket is full a pass over a lane stops and goes on at the next writability event.
 * Tail entries queue up to a bound, which all connections share because they share the entries;
 * past it, everybody here is behind. So a stuck connection costs the others nothing and the broker
 * bounded memory (I8). No consumer with permits on a writable connection is in no lane, and each
 * event that could let one go on drains (I7).
 */
public final class ConnectionFanout {

  private final FrameWriter writer;
  private final BroadcastDispatcher dispatcher;
  private final long maxPendingBytes;
  private final ConnectionGauges gauges;

  private final List<FanoutConsumer> members = new ArrayList<>();
  private final ConsumerList atTail = new ConsumerList();
  private final ConsumerList behind = new ConsumerList();
  private final TailQueue tail = new TailQueue();
  private final CatchUpBatch catchUp;
  private final DelayedDeliveries delayed;
  private final EntrySender sender;

  private boolean countedAtTail;
  private boolean started;
  private boolean draining;
  private boolean closed;

  public ConnectionFanout(
      FrameWriter writer,
      BroadcastDispatcher dispatcher,
      ConsumerOwner.Filters filters,
      long maxPendingBytes) {
    this.writer = writer;
    this.dispatcher = dispatcher;
    this.maxPendingBytes = maxPendingBytes;
    this.catchUp = new CatchUpBatch(dispatcher);
    this.delayed = new DelayedDeliveries(writer, dispatcher.delayedRoom(), this::replace);
    this.sender = new EntrySender(writer, delayed, filters, dispatcher);
    this.gauges = new ConnectionGauges(dispatcher.metrics());
  }

  /**
   * Takes part from the tail position {@code tailOrdinal} on. Called by the dispatcher, before any
   * batch.
   */
  void start(long tailOrdinal) {
    writer.execute(
        () -> {
          started = true;
          tail.moveEndTo(tailOrdinal);
          members.forEach(this::place);
          drain();
        });
  }

  /**
   * Adds a consumer, which starts from where its position is now. A reset or a namesake's seek may
   * have moved it since the consumer was made, and told only those that were connected.
   */
  public void add(FanoutConsumer consumer) {
    consumer.startAgain();
    consumer.memberIndex = members.size();
    members.add(consumer);
    if (!writer.isActive()) {
      // The connection went away while the consumer was being created.
      consumer.owner().close();
    }
  }

  /** Removes a consumer, if it is here. */
  public void remove(FanoutConsumer consumer) {
    if (consumer.memberIndex < 0) {
      return;
    }
    leaveLane(consumer);
    updateTailCount();
    updateGauges();
    FanoutConsumer last = members.remove(members.size() - 1);
    if (last != consumer) {
      members.set(consumer.memberIndex, last);
      last.memberIndex = consumer.memberIndex;
    }
    consumer.memberIndex = -1;
    delayed.forget(consumer);
  }

  /**
   * Runs a task on the thread that this is confined to; at once when that is the event loop, and
   * the caller's.
   */
  public void execute(Runnable task) {
    writer.execute(task);
  }

  /** Lets a consumer be sent {@code messages} more. */
  public void flow(FanoutConsumer consumer, int messages) {
    consumer.permits += messages;
    place(consumer);
    drain();
  }

  /**
   * Sends a consumer again what it has not acknowledged, from its position.
   *
   * @param epoch what the client wants these deliveries marked with
   */
  public void rewind(FanoutConsumer consumer, long epoch) {
    if (consumer.isOrdered()) {
      consumer.epoch = Math.max(consumer.epoch, epoch);
      startAgain(consumer);
    } else {
      consumer.redeliverAll();
      consumer.unblock();
      replace(consumer);
    }
  }

  /**
   * Sends a consumer of the unordered contract single entries again that it was sent and has not
   * acknowledged.
   */
  public void redeliver(FanoutConsumer consumer, long[] ordinals) {
    for (long ordinal : ordinals) {
      consumer.redeliver(ordinal);
    }
    consumer.unblock();
    replace(consumer);
  }

  /** A consumer has acknowledged enough to be sent more. */
  public void unblock(FanoutConsumer consumer) {
    consumer.unblock();
    place(consumer);
    drain();
  }

  /** Sends a consumer everything from its position on, as if it had just come. */
  public void startAgain(FanoutConsumer consumer) {
    delayed.drop(consumer);
    consumer.startAgain();
    replace(consumer);
  }

  /**
   * Moves everybody who has not come so far on to {@code ordinal}, and nobody back: what is before
   * is skipped. Called by the dispatcher.
   */
  void skipTo(long ordinal) {
    writer.execute(
        () -> {
          if (ordinal > tail.end()) {
            // Who starts in what is queued would wait at its end.
            releaseTail();
          }
          // The tail reader goes on from there at the earliest: who seeks back is behind.
          tail.moveEndTo(ordinal);
          delayed.skipTo(ordinal);
          for (FanoutConsumer consumer : members) {
            if (consumer.wanted() < ordinal) {
              leaveLane(consumer);
              consumer.skipTo(ordinal);
            }
            if (consumer.mayUnblock()) {
              consumer.unblock();
            }
            place(consumer);
          }
          drain();
        });
  }

  /** The socket takes more. */
  public void writabilityChanged() {
    drain();
  }

  /** Gives up everything held, and closes the consumers that are still here. */
  public void close() {
    closed = true;
    delayed.close();
    releaseTail();
    releaseCatchUp();
    writer.discard();
    updateTailCount();
    gauges.close();
    for (FanoutConsumer consumer : List.copyOf(members)) {
      consumer.owner().close();
    }
  }

  /**
   * Hands over what the tail reader brought. Called by the dispatcher.
   *
   * @param entries one reference to each is taken over
   * @param next the ordinal after the last
   * @param taken run when this connection has them
   */
  void offerTail(List<BroadcastEntry> entries, long next, Runnable taken) {
    writer.execute(
        () -> {
          taken.run();
          tail.moveEndTo(next);
          if (closed || atTail.isEmpty()) {
            // Nobody here takes them now; who comes later is behind.
            entries.forEach(BroadcastEntry::release);
            releaseTail();
            return;
          }
          tail.add(entries);
          drain();
          if (tail.bytes() > maxPendingBytes) {
            dropTail();
          }
        });
  }

  /**
   * Hands over a batch for consumers that are behind. Called by the dispatcher; takes over one
   * reference to each.
   */
  void offerCatchUp(List<BroadcastEntry> entries) {
    writer.execute(
        () -> {
          catchUp.hold(entries);
          if (closed) {
            releaseCatchUp();
            return;
          }
          drain();
          if (catchUp.isHeld() && !dispatcher.mayHold()) {
            // The socket is full and enough memory waits already: read it again when there is room.
            releaseCatchUp();
          }
        });
  }

  /** What was asked for cannot be read for now: asks anew, in turn. Called by the dispatcher. */
  void askAgain() {
    writer.execute(
        () -> {
          catchUp.forgetRequest();
          drain();
        });
  }

  /**
   * Nothing from {@code ordinal} on, which was asked for, can be read for now: asks for a consumer
   * that is before it. Called by the dispatcher.
   *
   * @param nobody run when there is none
   */
  void askBefore(long ordinal, Runnable nobody) {
    writer.execute(
        () -> {
          FanoutConsumer other = behind.any(consumer -> consumer.wanted() < ordinal);
          if (closed || other == null) {
            nobody.run();
          } else {
            catchUp.request(this, other);
          }
        });
  }

  /** The tail reader goes on at {@code ordinal}. Called by the dispatcher. */
  void tailLeapt(long ordinal) {
    writer.execute(
        () -> {
          tail.moveEndTo(ordinal);
          dropTail();
        });
  }

  private void drain() {
    if (draining || closed || !started) {
      return;
    }
    draining = true;
    try {
      while (writer.isWritable() && (!tail.isEmpty() || catchUp.isHeld())) {
        if (!tail.isEmpty()) {
          fanOutTail();
        }
        if (catchUp.isHeld() && writer.isWritable()) {
          fanOutCatchUp();
        }
        writer.flush();
      }
    } catch (Throwable e) {
      // Also an Error: direct memory may be exhausted. Who had been passed would be served no more.
      writer.abandon(e);
    } finally {
      draining = false;
    }
    sender.report();
    if (writer.isWritable()) {
      requestCatchUp();
    }
    updateTailCount();
    updateGauges();
  }

  private void requestCatchUp() {
    while (catchUp.isAbsent() && !behind.isEmpty()) {
      FanoutConsumer consumer = behind.nextInTurn();
      // What is acknowledged or skipped is perhaps not stored any more, and would count as lost.
      consumer.skipTo(consumer.cursor().next());
      if (fitsTail(consumer)) {
        leaveLane(consumer);
        place(consumer);
      } else {
        catchUp.request(this, consumer);
      }
    }
  }

  private void fanOutTail() {
    while (!tail.isEmpty()) {
      BroadcastEntry entry = tail.first();
      while (atTail.hasNext()) {
        if (!writer.isWritable()) {
          return;
        }
        FanoutConsumer consumer = atTail.next();
        if (entry.isNextFor(consumer.next)) {
          give(consumer, entry, true);
        } else if (consumer.next < entry.from()) {
          // The tail reader went on from a later place.
          leaveLane(consumer);
          behind.add(consumer);
        }
      }
      atTail.endPass();
      tail.releaseFirst();
    }
  }

  private void fanOutCatchUp() {
    while (catchUp.hasEntry()) {
      BroadcastEntry entry = catchUp.entry();
      while (behind.hasNext()) {
        if (!writer.isWritable()) {
          return;
        }
        FanoutConsumer consumer = behind.next();
        if (consumer.takes(entry)) {
          give(consumer, entry, false);
        }
      }
      behind.endPass();
      catchUp.nextEntry();
    }
    releaseCatchUp();
    behind.moveTo(atTail, this::fitsTail);
  }

  private void give(FanoutConsumer consumer, BroadcastEntry entry, boolean fromTail) {
    sender.give(consumer, entry, fromTail);
    if (!consumer.mayBeSent()) {
      leaveLane(consumer);
    }
  }

  /** Puts a consumer into the lane that fits, after what it wants has changed. */
  private void replace(FanoutConsumer consumer) {
    leaveLane(consumer);
    place(consumer);
    drain();
  }

  private void place(FanoutConsumer consumer) {
    if (started && consumer.lane == null && consumer.mayBeSent() && consumer.memberIndex >= 0) {
      (fitsTail(consumer) ? atTail : behind).add(consumer);
      dispatcher.wantTailAt(consumer.next, tail.end());
      updateTailCount();
    }
  }

  /** Whether the tail reader brings what it is to be sent next, or the tail's queue has it. */
  private boolean fitsTail(FanoutConsumer consumer) {
    return consumer.next >= tail.start() && !consumer.hasRedeliveries();
  }

  private static void leaveLane(FanoutConsumer consumer) {
    if (consumer.lane != null) {
      consumer.lane.remove(consumer);
    }
  }

  private void dropTail() {
    releaseTail();
    atTail.moveTo(behind, consumer -> consumer.next < tail.end());
    updateTailCount();
    drain();
  }

  private void releaseTail() {
    tail.release();
    atTail.endPass();
  }

  private void releaseCatchUp() {
    catchUp.release();
    behind.endPass();
  }

  private void updateTailCount() {
    boolean now = !closed && !atTail.isEmpty();
    if (now != countedAtTail) {
      countedAtTail = now;
      dispatcher.atTail(now);
    }
  }

  private void updateGauges() {
    if (!closed) {
      gauges.update(behind.size(), !writer.isWritable());
    }
  }
}
