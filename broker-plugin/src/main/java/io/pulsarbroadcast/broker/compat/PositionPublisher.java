/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.PositionsStore;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import org.apache.bookkeeper.mledger.AsyncCallbacks;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.PositionImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the positions of one Broadcast subscription last: hands the lowest virtual cursor to the
 * subscription's managed cursor, writes all of them to the positions log, and drops those whose
 * consumers stay away too long. Each at most once per interval and only when some position moved.
 * May be called from any thread.
 */
final class PositionPublisher {

  private static final Logger log = LoggerFactory.getLogger(PositionPublisher.class);

  /** Marks a cursor whose position comes from virtual cursors; see {@link #isMarked}. */
  private static final Map<String, Long> MARK = Map.of("pulsar.broadcast", 1L);

  private static final long EXPIRY_CHECK_MILLIS = 1_000;

  private final ManagedCursor cursor;
  private final Runnable afterReset;
  private final LedgerIndex index;
  private final CursorRegistry cursors;
  private final PositionsStore store;
  private final Throttled publishing;
  private final Throttled flushing;
  private final Throttled expiring;
  private final LongAdder expiredPositions = new LongAdder();
  private volatile boolean stopped;
  private volatile boolean holesLeftOutReported;

  /** The last hand-over; the managed cursor shows its position before it is on storage. */
  private volatile CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

  /**
   * @param afterReset run when the managed cursor was moved back, which moves its read position too
   * @param store where positions are written, or null when they cannot be
   */
  PositionPublisher(
      ManagedCursor cursor,
      Runnable afterReset,
      LedgerIndex index,
      CursorRegistry cursors,
      PositionsStore store,
      ScheduledExecutorService timer,
      BroadcastConfig config) {
    this.cursor = cursor;
    this.afterReset = afterReset;
    this.index = index;
    this.cursors = cursors;
    this.store = store;
    this.publishing = new Throttled(timer, config.markDeleteIntervalMillis(), this::publishNow);
    this.flushing = new Throttled(timer, config.positionFlushIntervalMillis(), this::flushNow);
    this.expiring = new Throttled(timer, EXPIRY_CHECK_MILLIS, this::expireNow);
  }

  /**
   * Whether a subscription that is being loaded was Broadcast: the mark goes with every position
   * published here, and with the first that a plain consumer publishes it is gone.
   */
  static boolean isMarked(ManagedCursor cursor) {
    return cursor.getProperties().containsKey(MARK.keySet().iterator().next());
  }

  /** Takes the mark off a subscription that becomes plain. */
  static void unmark(ManagedCursor cursor) {
    MARK.keySet().forEach(cursor::removeProperty);
  }

  /** Begins: marks the cursor, and looks after positions whose consumers are away. */
  void start() {
    MARK.forEach(cursor::putProperty);
    positionLeftBehind();
  }

  /** A virtual cursor moved: publish and store within the intervals. */
  void positionMoved() {
    publishing.request();
    if (store != null) {
      flushing.request();
    }
  }

  /** A consumer left its position behind. */
  void positionLeftBehind() {
    positionMoved();
    expiring.request();
  }

  /** Writes the positions now. */
  CompletableFuture<Void> flush() {
    return store == null || stopped ? CompletableFuture.completedFuture(null) : store.flush();
  }

  /** Publishes and writes no more: the subscription is closed or deleted. */
  void stop() {
    stopped = true;
  }

  /** Goes on after {@link #stop}. */
  void resume() {
    stopped = false;
  }

  /** How many positions were dropped because their consumers stayed away. */
  long expiredPositions() {
    return expiredPositions.sum();
  }

  private void flushNow() {
    flush()
        .thenRun(this::reportHolesLeftOut)
        .exceptionally(
            e -> {
              log.warn(
                  "[{}][{}] Could not store positions, trying again: {}",
                  cursor.getManagedLedger().getName(),
                  cursor.getName(),
                  e.toString());
              flushing.request();
              return null;
            });
  }

  /** Says when some consumer has more to be kept than is, each time that it begins. */
  private void reportHolesLeftOut() {
    long leftOut = store == null ? 0 : store.holesLeftOut();
    if (leftOut > 0 && !holesLeftOutReported) {
      log.warn(
          "[{}][{}] {} acknowledgements ahead of their consumers' positions are more than is kept for one"
              + " consumer (broadcastMaxAcknowledgmentHolesToPersist): their messages come again if the broker stops",
          cursor.getManagedLedger().getName(),
          cursor.getName(),
          leftOut);
    }
    holesLeftOutReported = leftOut > 0;
  }

  private void expireNow() {
    if (stopped) {
      return;
    }
    int expired = cursors.expire(System.nanoTime());
    if (expired > 0) {
      expiredPositions.add(expired);
      log.info(
          "[{}][{}] Dropped {} positions whose consumers stayed away longer than their time to live"
              + " (broadcastCursorTimeToLiveSeconds), {} so far",
          cursor.getManagedLedger().getName(),
          cursor.getName(),
          expired,
          expiredPositions.sum());
      positionMoved();
    }
    if (cursors.leftBehindCount() > 0) {
      expiring.request();
    }
  }

  private void publishNow() {
    publish()
        .exceptionally(
            e -> {
              if (!stopped) {
                log.warn(
                    "[{}][{}] Could not move the position, trying again: {}",
                    cursor.getManagedLedger().getName(),
                    cursor.getName(),
                    e.toString());
                publishing.request();
              }
              return null;
            });
  }

  /**
   * Publishes now.
   *
   * @return completed when the managed cursor has the position
   */
  CompletableFuture<Void> publish() {
    if (stopped) {
      return CompletableFuture.completedFuture(null);
    }
    long lowest = cursors.lowest();
    PositionImpl current = (PositionImpl) cursor.getMarkDeletedPosition();
    if (lowest <= index.ordinalAfter(current.getLedgerId(), current.getEntryId())) {
      return underWay;
    }
    EntryId last = index.entryAt(lowest - 1);
    CompletableFuture<Void> done = new CompletableFuture<>();
    underWay = done;
    Position position = PositionImpl.get(last.ledgerId(), last.entryId());
    cursor.asyncMarkDelete(
        position,
        MARK,
        new AsyncCallbacks.MarkDeleteCallback() {
          @Override
          public void markDeleteComplete(Object ctx) {
            done.complete(null);
          }

          @Override
          public void markDeleteFailed(ManagedLedgerException exception, Object ctx) {
            underWay = CompletableFuture.completedFuture(null);
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
