/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.bookkeeper.mledger.AsyncCallbacks;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.PositionImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the lowest virtual cursor to the subscription's managed cursor, at most once per interval
 * and only when some cursor moved. May be called from any thread.
 */
final class PositionPublisher {

  private static final Logger log = LoggerFactory.getLogger(PositionPublisher.class);

  private final ManagedCursor cursor;
  private final Runnable afterReset;
  private final LedgerIndex index;
  private final CursorRegistry cursors;
  private final ScheduledExecutorService timer;
  private final int intervalMillis;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * @param afterReset run when the managed cursor was moved back, which moves its read position too
   */
  PositionPublisher(
      ManagedCursor cursor,
      Runnable afterReset,
      LedgerIndex index,
      CursorRegistry cursors,
      ScheduledExecutorService timer,
      int intervalMillis) {
    this.cursor = cursor;
    this.afterReset = afterReset;
    this.index = index;
    this.cursors = cursors;
    this.timer = timer;
    this.intervalMillis = intervalMillis;
  }

  /** A virtual cursor moved: publish within the interval. */
  void positionMoved() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      timer.schedule(this::publishNow, intervalMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void publishNow() {
    publish()
        .exceptionally(
            e -> {
              log.warn(
                  "[{}][{}] Could not move the position",
                  cursor.getManagedLedger().getName(),
                  cursor.getName(),
                  e);
              return null;
            });
  }

  /**
   * Publishes now.
   *
   * @return completed when the managed cursor has the position
   */
  CompletableFuture<Void> publish() {
    scheduled.set(false);
    long lowest = cursors.lowest();
    PositionImpl current = (PositionImpl) cursor.getMarkDeletedPosition();
    if (lowest <= index.ordinalAfter(current.getLedgerId(), current.getEntryId())) {
      return CompletableFuture.completedFuture(null);
    }
    EntryId last = index.entryAt(lowest - 1);
    CompletableFuture<Void> done = new CompletableFuture<>();
    Position position = PositionImpl.get(last.ledgerId(), last.entryId());
    cursor.asyncMarkDelete(
        position,
        Map.of(),
        new AsyncCallbacks.MarkDeleteCallback() {
          @Override
          public void markDeleteComplete(Object ctx) {
            done.complete(null);
          }

          @Override
          public void markDeleteFailed(ManagedLedgerException exception, Object ctx) {
            done.completeExceptionally(exception);
          }
        },
        null);
    return done;
  }

  /**
   * Moves the managed cursor back to {@code ordinal} when it is ahead, so that storage keeps the
   * entries from there on (I3), before some position goes there.
   */
  CompletableFuture<Void> lowerTo(long ordinal) {
    if (!cursors.lowerFloor(ordinal)) {
      return CompletableFuture.completedFuture(null);
    }
    EntryId next = index.entryAt(ordinal);
    CompletableFuture<Void> done = new CompletableFuture<>();
    cursor.asyncResetCursor(
        PositionImpl.get(next.ledgerId(), next.entryId()),
        true,
        new AsyncCallbacks.ResetCursorCallback() {
          @Override
          public void resetComplete(Object ctx) {
            afterReset.run();
            done.complete(null);
          }

          @Override
          public void resetFailed(ManagedLedgerException exception, Object ctx) {
            done.completeExceptionally(exception);
          }
        });
    return done;
  }
}
