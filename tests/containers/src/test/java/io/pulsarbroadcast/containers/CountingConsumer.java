/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageListener;

/**
 * A listener that acknowledges numbered messages and counts them. The client's thread calls it; the
 * counts may be read from any thread, and one thread tells it of moves. Its consumer asks for
 * receipts of acknowledgements.
 */
@SuppressWarnings("serial")
final class CountingConsumer implements MessageListener<Integer> {

  /** How it acknowledges. */
  enum Acknowledging {
    INDIVIDUALLY,
    CUMULATIVELY,
    /** Individually, and every {@link #HOLE_EVERY}th message only at the end. */
    WITH_HOLES
  }

  static final int HOLE_EVERY = 10;

  private final Acknowledging acknowledging;

  /** All messages below this number have come, each for the first time in this order. */
  private final AtomicInteger next = new AtomicInteger();

  private final AtomicInteger again = new AtomicInteger();
  private final AtomicInteger outOfOrder = new AtomicInteger();

  /**
   * When the broker said last that it had processed the acknowledgement. By message id: a message
   * that the producer sent again is in the topic twice, and the second one is no redelivery.
   */
  private final Map<MessageId, Long> receiptNanos = new ConcurrentHashMap<>();

  /** Received and not acknowledged, on purpose. */
  private final Map<MessageId, Consumer<Integer>> holes = new ConcurrentHashMap<>();

  private volatile boolean leavesHoles;
  private volatile Move move = new Move(System.nanoTime(), Set.of());

  CountingConsumer(Acknowledging acknowledging) {
    this.acknowledging = acknowledging;
    this.leavesHoles = acknowledging == Acknowledging.WITH_HOLES;
  }

  /** What came again after one move although there was a receipt for it. Guarded by itself. */
  static final class Move {
    private final long atNanos;
    private final Set<MessageId> holesToCome = ConcurrentHashMap.newKeySet();
    private int redelivered;
    private long oldestNanos = Long.MIN_VALUE;

    private Move(long atNanos, Set<MessageId> holes) {
      this.atNanos = atNanos;
      holesToCome.addAll(holes);
    }

    private synchronized void add(long receiptAtNanos) {
      redelivered++;
      oldestNanos = Math.max(oldestNanos, atNanos - receiptAtNanos);
    }

    long atNanos() {
      return atNanos;
    }

    synchronized int redelivered() {
      return redelivered;
    }

    /** How long before the move the oldest receipt was; negative when there is none that old. */
    synchronized long oldestNanos() {
      return oldestNanos;
    }

    /** Messages left unacknowledged before the move that have not come again. */
    int holesToCome() {
      return holesToCome.size();
    }
  }

  @Override
  public void received(Consumer<Integer> consumer, Message<Integer> message) {
    int number = message.getValue();
    if (number == next.get()) {
      next.incrementAndGet();
    } else if (number < next.get()) {
      again.incrementAndGet();
    } else {
      outOfOrder.incrementAndGet();
    }
    MessageId id = message.getMessageId();
    Long before = receiptNanos.get(id);
    if (before != null) {
      move.add(before);
    }
    move.holesToCome.remove(id);
    if (leavesHoles && number % HOLE_EVERY == 0) {
      holes.put(id, consumer);
    } else {
      acknowledge(consumer, id).thenRun(() -> noteReceipt(consumer, id));
    }
  }

  private CompletableFuture<Void> acknowledge(Consumer<Integer> consumer, MessageId id) {
    return acknowledging == Acknowledging.CUMULATIVELY
        ? consumer.acknowledgeCumulativeAsync(id)
        : consumer.acknowledgeAsync(id);
  }

  /** The stock client reports what it acknowledged without a connection as done. */
  private void noteReceipt(Consumer<Integer> consumer, MessageId id) {
    if (consumer.isConnected()) {
      receiptNanos.put(id, System.nanoTime());
    }
  }

  /** Leaves no more holes, and acknowledges those there are. */
  void closeHoles() {
    leavesHoles = false;
    holes.forEach(
        (id, consumer) -> acknowledge(consumer, id).thenRun(() -> noteReceipt(consumer, id)));
  }

  /** The topic moves now: what comes again from here on is booked on the returned one. */
  Move moving() {
    move = new Move(System.nanoTime(), holes.keySet());
    return move;
  }

  /** Messages received without a gap. */
  int count() {
    return next.get();
  }

  /** Messages that came more than once. */
  int again() {
    return again.get();
  }

  /** Messages that came before an earlier one had. */
  int outOfOrder() {
    return outOfOrder.get();
  }

  /** Acknowledgements that the broker has processed. */
  int receipts() {
    return receiptNanos.size();
  }

  /** Messages received and not acknowledged, on purpose. */
  int holes() {
    return holes.size();
  }
}
