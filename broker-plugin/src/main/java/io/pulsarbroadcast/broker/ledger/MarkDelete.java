/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.Throttled;
import io.pulsarbroadcast.broker.compat.CursorMetadata;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.CursorRegistry.Move;
import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.PositionsStore;
import io.pulsarbroadcast.broker.cursor.SeekTarget;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.cursor.Waiting;
import io.pulsarbroadcast.broker.cursor.WaitingDrop;
import io.pulsarbroadcast.broker.metrics.SkipCause;
import io.pulsarbroadcast.broker.metrics.SkipCounters;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.AsyncCallbacks;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionBusyException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the managed cursor of one Broadcast subscription and its virtual cursors together, and
 * makes the positions last. May be called from any thread.
 *
 * <ul>
 *   <li>Virtual cursors move on: the lowest is handed to the managed cursor, and all are written to
 *       the positions log; each at most once per interval and only when some position moved.
 *   <li>A virtual cursor is to go back, or to start, before the managed cursor: that one moves
 *       first ({@link #lowerTo}), so that storage keeps what is needed (I3).
 *   <li>The broker or an operator moves the managed cursor on (skip, expiry, quota): the virtual
 *       cursors follow ({@link #follow}), and what their consumers miss is counted (I6).
 * </ul>
 *
 * <p>While the managed cursor is being moved back, by {@link #lowerTo} or by an operator, it is
 * <em>held</em>: nothing is handed to it, and nothing is taken for moved on.
 */
public final class MarkDelete {

  private static final Logger log = LoggerFactory.getLogger(MarkDelete.class);
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** Marks a cursor whose position comes from virtual cursors; see {@link #isMarked}. */
  private static final String MARK = "pulsar.broadcast";

  private static final long FOR_DURABLE = 1;

  /** Of a subscription that no durable consumer has used yet, and that ends with the last other. */
  private static final long FOR_NON_DURABLE = 2;

  /** Which position it was; see {@link #isElsewhere}. */
  private static final String MARKED_LEDGER = MARK + ".ledger";

  private static final String MARKED_ENTRY = MARK + ".entry";

  /** Whether entries followed it in its ledger; see {@link #isElsewhere}. */
  private static final String MARKED_FOLLOWED = MARK + ".followed";

  private final ManagedCursor cursor;
  private final Runnable afterLowering;
  private final LongConsumer afterMove;
  private final LongConsumer afterSkip;
  private final LedgerIndex index;
  private final CursorRegistry cursors;
  private final PositionsStore store;
  private final SkipCounters skips;
  private final Supplier<CompletableFuture<Void>> afterDecision;
  private final SourceHold source;
  private final Throttled handingOver;
  private final Throttled flushing;
  private volatile boolean stopped;
  private volatile boolean holesLeftOutReported;

  /** What moves the managed cursor on, if anything is known to. */
  private volatile SkipCause moving = SkipCause.OTHER;

  /** How many moves back are under way. */
  @GuardedBy("this")
  private int holds;

  /** How many seeks are not on storage yet; until then what is behind them is not given up. */
  @GuardedBy("this")
  private int seeks;

  /**
   * The last hand-over; the managed cursor shows its position before it is on storage. Written
   * under this object's monitor.
   */
  private volatile CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

  /** The last move of the managed cursor that was asked for, see {@link #inTurn}. */
  @GuardedBy("this")
  private CompletableFuture<?> lastMove = DONE;

  /**
   * @param afterLowering run when the managed cursor was moved back, which moves its read position
   *     too
   * @param afterMove takes the ordinal that the managed cursor was moved on to, and with it its
   *     read position
   * @param afterSkip takes the ordinal up to which all virtual cursors were moved
   * @param store where positions are written
   * @param afterDecision has it on storage that an operator has decided about lost positions
   * @param source of a shadow topic
   */
  public MarkDelete(
      ManagedCursor cursor,
      Runnable afterLowering,
      LongConsumer afterMove,
      LongConsumer afterSkip,
      LedgerIndex index,
      CursorRegistry cursors,
      PositionsStore store,
      SkipCounters skips,
      ScheduledExecutorService timer,
      BroadcastConfig config,
      Supplier<CompletableFuture<Void>> afterDecision,
      SourceHold source) {
    this.cursor = cursor;
    this.afterLowering = afterLowering;
    this.afterMove = afterMove;
    this.afterSkip = afterSkip;
    this.index = index;
    this.cursors = cursors;
    this.store = store;
    this.skips = skips;
    this.afterDecision = afterDecision;
    this.source = source;
    this.handingOver = new Throttled(timer, config.markDeleteIntervalMillis(), this::handOverNow);
    this.flushing = new Throttled(timer, config.positionFlushIntervalMillis(), this::flushNow);
  }

  /**
   * Whether a subscription that is being loaded was Broadcast: the mark goes with every position
   * handed over here, and with the first that a plain consumer moves it is gone.
   */
  static boolean isMarked(ManagedCursor cursor) {
    return cursor.getProperties().containsKey(MARK);
  }

  /**
   * Whether the metadata of a cursor whose topic is not loaded here leaves room for a mark. A
   * cursor that was closed has it there; of one that is open elsewhere, or whose broker crashed,
   * nobody knows what its ledger says by now.
   */
  static boolean mayBeMarked(CursorMetadata cursor) {
    return cursor.ledgerId() >= 0
        || cursor.marks().contains(MARK)
        || DeclaredLog.isDeclared(cursor);
  }

  /**
   * Whether somebody else has moved a cursor since a position was handed over here: a broker
   * without the plugin, which may take the mark away or leave it with another position. The ledger
   * of the marked position may be trimmed by then. If entries followed that position in it, the
   * cursor was moved over them.
   */
  public static boolean isElsewhere(ManagedCursor cursor, LedgerIndex index) {
    Map<String, Long> mark = cursor.getProperties();
    if (!mark.containsKey(MARKED_LEDGER) || !mark.containsKey(MARKED_ENTRY)) {
      // Nobody has said where, or a former version of the plugin, which does not.
      return true;
    }
    long ledgerId = mark.get(MARKED_LEDGER);
    Position position = cursor.getMarkDeletedPosition();
    return index.ordinalAfter(ledgerId, mark.get(MARKED_ENTRY))
            != index.ordinalAfter(position.getLedgerId(), position.getEntryId())
        || (index.isTrimmed(ledgerId) && mark.getOrDefault(MARKED_FOLLOWED, 0L) > 0);
  }

  private Map<String, Long> markOf(long consumers, Position position) {
    return markOf(consumers, position, isFollowed(position));
  }

  private static Map<String, Long> markOf(long consumers, Position position, boolean followed) {
    return Map.of(
        MARK,
        consumers,
        MARKED_LEDGER,
        position.getLedgerId(),
        MARKED_ENTRY,
        position.getEntryId(),
        MARKED_FOLLOWED,
        followed ? 1L : 0L);
  }

  /** Whether the ledger of a position has entries after it. */
  private boolean isFollowed(Position position) {
    Position last = cursor.getManagedLedger().getLastConfirmedEntry();
    return last.getLedgerId() == position.getLedgerId()
        ? last.getEntryId() > position.getEntryId()
        : last.getLedgerId() > position.getLedgerId()
            && !index.isEmpty()
            && index.entryAt(ordinalAfter(position)).ledgerId() == position.getLedgerId();
  }

  /** Whether a subscription that is being loaded was Broadcast, and of non-durable consumers. */
  public static boolean isOfNonDurable(ManagedCursor cursor) {
    return Long.valueOf(FOR_NON_DURABLE).equals(cursor.getProperties().get(MARK));
  }

  /** Takes the mark off a subscription that becomes plain; completed when it is off storage. */
  public static CompletableFuture<Void> unmark(ManagedCursor cursor) {
    return mark(cursor, Map.of());
  }

  /** Marks a cursor that no consumer has used yet as that of non-durable ones. */
  static CompletableFuture<Void> markForNonDurable(ManagedCursor cursor) {
    // No entry follows it that anybody was to be sent.
    return mark(cursor, markOf(FOR_NON_DURABLE, cursor.getMarkDeletedPosition(), false));
  }

  /** Gives a cursor another mark, or none; completed when that is on storage. */
  static CompletableFuture<Void> mark(ManagedCursor cursor, Map<String, Long> mark) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    // A limited one is answered at once, and stored within a minute.
    cursor.setThrottleMarkDelete(0);
    cursor.asyncMarkDelete(
        cursor.getMarkDeletedPosition(),
        mark,
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
    cursor.setThrottleMarkDelete(cursor.getManagedLedger().getConfig().getThrottleMarkDelete());
    return done;
  }

  /** Begins: the first hand-over marks the cursor, also when there is no position to hand over. */
  public void start() {
    positionMoved();
  }

  /** A virtual cursor moved: hand over and store within the intervals. */
  public void positionMoved() {
    handingOver.request();
    flushing.request();
  }

  /**
   * The subscription's position may have moved without a durable one: hand over within the
   * interval.
   */
  public void endMoved() {
    handingOver.request();
  }

  /** Writes the positions now. */
  public CompletableFuture<Void> flush() {
    return stopped ? CompletableFuture.completedFuture(null) : store.flush();
  }

  /**
   * Writes the positions now, for somebody who is told that they are on storage: fails when they
   * are not written any more.
   */
  public CompletableFuture<Void> store() {
    return stopped
        ? CompletableFuture.failedFuture(
            new SubscriptionBusyException("Subscription is being closed or moved, try again"))
        : store.flush();
  }

  /** Hands over, writes and follows no more: the subscription is closed or deleted. */
  public void stop() {
    stopped = true;
    skips.explain(SkipCause.OTHER);
  }

  /** Goes on after {@link #stop}, with what moved meanwhile. */
  public void resume() {
    stopped = false;
    positionMoved();
  }

  /** Writes the names of consumers that are new now, with their positions. */
  public CompletableFuture<Void> flushNewNames() {
    return stopped ? CompletableFuture.completedFuture(null) : store.flushNewNames();
  }

  private void flushNow() {
    flush()
        .thenRun(this::reportHolesLeftOut)
        .exceptionally(
            e -> {
              warn("store positions", e);
              flushing.request();
              return null;
            });
  }

  /** Says when some consumer has more to be kept than is, each time that it begins. */
  private void reportHolesLeftOut() {
    long leftOut = store.holesLeftOut();
    if (leftOut > 0 && !holesLeftOutReported) {
      log.warn(
          "[{}][{}] {} acknowledgements ahead of their consumers' positions are more than is kept"
              + " for one consumer (broadcastMaxAcknowledgmentHolesToPersist): their messages come"
              + " again if the broker stops",
          cursor.getManagedLedger().getName(),
          cursor.getName(),
          leftOut);
    }
    holesLeftOutReported = leftOut > 0;
  }

  /** Hands the lowest position over, for which nobody waits. */
  public void handOverNow() {
    handOver()
        .exceptionally(
            e -> {
              if (!stopped) {
                warn("move the position", e);
                handingOver.request();
              }
              return null;
            });
  }

  private void warn(String what, Throwable cause) {
    log.warn(
        "[{}][{}] Could not {}, trying again: {}",
        cursor.getManagedLedger().getName(),
        cursor.getName(),
        what,
        cause.toString());
  }

  /**
   * Hands the lowest position to the managed cursor now; not while it is held, nor during a seek,
   * but then soon after.
   *
   * @return completed when the managed cursor has the position
   */
  public CompletableFuture<Void> handOver() {
    source.moved();
    follow();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Position position;
    long consumers;
    long lowest;
    synchronized (this) {
      consumers = cursors.isKeptForDurable() ? FOR_DURABLE : FOR_NON_DURABLE;
      if (stopped || holds > 0 || seeks > 0) {
        return CompletableFuture.completedFuture(null);
      }
      Position current = cursor.getMarkDeletedPosition();
      lowest = cursors.lowest();
      if (lowest > ordinalAfter(current)) {
        EntryId last = index.entryAt(lowest - 1);
        position = BROKER.position(last.ledgerId(), last.entryId());
      } else if (!cursor
          .getProperties()
          .entrySet()
          .containsAll(markOf(consumers, current).entrySet())) {
        // It has just become Broadcast, whoever else moved the cursor has taken the mark away, or
        // the first entry has been published after the position.
        markOf(consumers, current).forEach(cursor::putProperty);
        position = current;
      } else {
        return underWay;
      }
      underWay = done;
    }
    cursor.asyncMarkDelete(
        position,
        markOf(consumers, position),
        new AsyncCallbacks.MarkDeleteCallback() {
          @Override
          public void markDeleteComplete(Object ctx) {
            done.complete(null);
          }

          @Override
          public void markDeleteFailed(ManagedLedgerException exception, Object ctx) {
            handedOver(done);
            done.completeExceptionally(exception);
          }
        },
        null);
    afterMove.accept(lowest);
    return done;
  }

  private synchronized void handedOver(CompletableFuture<Void> failed) {
    if (underWay == failed) {
      underWay = CompletableFuture.completedFuture(null);
    }
  }

  /**
   * Runs an operation that moves the managed cursor on; the virtual cursors follow.
   *
   * @return completed when they have, on storage too
   */
  public CompletableFuture<Void> moveOn(
      SkipCause cause, Supplier<CompletableFuture<Void>> operation) {
    return inTurn(
            () -> {
              skips.explain(SkipCause.OTHER);
              moving = cause;
              return DONE.thenCompose(begun -> operation.get())
                  .whenComplete(
                      (moved, e) -> {
                        follow(cause);
                        moving = SkipCause.OTHER;
                      });
            })
        .thenCompose(moved -> cause == SkipCause.CLEARED ? decided() : DONE)
        .thenCompose(moved -> flush());
  }

  /**
   * Moves the managed cursor when every move that was asked for before has ended: one that goes on
   * would find the cursor held, and move nobody.
   */
  private <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> move) {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    CompletableFuture<T> moved;
    synchronized (this) {
      moved =
          lastMove
              .handle((ended, e) -> null)
              .thenCombine(asked, (ended, now) -> now)
              .thenCompose(ready -> move.get());
      lastMove = moved;
    }
    // Outside the monitor: storage may answer at once.
    asked.complete(null);
    return moved;
  }

  /** Follows the managed cursor, whoever moved it. */
  public void follow() {
    follow(moving);
  }

  /**
   * Moves the virtual cursors up to the managed cursor when the broker or an operator moved that
   * one on. Of an expiry the broker says so after the move, which they may have followed by then.
   */
  public void follow(SkipCause cause) {
    long position;
    synchronized (this) {
      if (stopped || holds > 0) {
        return;
      }
      position = ordinalAfter(cursor.getMarkDeletedPosition());
      if (position <= cursors.floor()) {
        if (cause != SkipCause.OTHER) {
          skips.explain(cause);
        }
        return;
      }
      Skipped skipped = cursors.skipTo(position);
      if (cause == SkipCause.OTHER) {
        skips.addUnexplained(skipped);
      } else {
        skips.add(cause, skipped);
      }
    }
    afterSkip.accept(position);
    positionMoved();
  }

  /**
   * Moves every virtual cursor to the managed cursor, which an operator has moved, back or forward.
   * To be called while it is held.
   *
   * @return completed when it is on storage that nothing is held for lost positions any more
   */
  public CompletableFuture<Void> followReset() {
    CompletableFuture<Void> decided = decided();
    skips.add(SkipCause.RESET, cursors.resetAll(ordinalAfter(cursor.getMarkDeletedPosition())));
    positionMoved();
    return decided;
  }

  /**
   * Everybody has a place now: nothing is held any more for those whose positions are lost.
   *
   * @return completed when that is on storage
   */
  public CompletableFuture<Void> decided() {
    if (!cursors.isFloorHeld()) {
      return DONE;
    }
    cursors.releaseFloor();
    return afterDecision
        .get()
        .whenComplete(
            (done, e) -> {
              if (e == null) {
                log.info(
                    "[{}][{}] Nothing is held any more for consumers whose positions are lost",
                    cursor.getManagedLedger().getName(),
                    cursor.getName());
              } else {
                // It will be, for the next load of the topic is to find them lost.
                cursors.holdFloor();
                warn("note that lost positions are decided about", e);
              }
            });
  }

  /**
   * Holds the managed cursor, until {@link #release}.
   *
   * @return completed when the last hand-over is on storage, or failed: what moves the managed
   *     cursor before may be overtaken by it there
   */
  public synchronized CompletableFuture<Void> hold() {
    holds++;
    return underWay.handle((done, e) -> null);
  }

  /** Ends what {@link #hold} began. */
  public void release() {
    synchronized (this) {
      holds--;
    }
    positionMoved();
  }

  /**
   * Moves the managed cursor back to {@code ordinal} when it is ahead, so that storage keeps the
   * entries from there on (I3), and then a virtual cursor.
   *
   * @param move puts a virtual cursor to {@code ordinal} or after it
   * @return what {@code move} returned; fails when the managed cursor could not be moved
   */
  <T> CompletableFuture<T> lowerTo(long ordinal, Supplier<T> move) {
    return inTurn(
        () -> {
          return hold()
              .thenCompose(held -> lowerNow(ordinal))
              .thenApply(done -> move.get())
              .whenComplete((moved, e) -> release());
        });
  }

  /**
   * Moves a virtual cursor back or forward (seek).
   *
   * @param hasLeft whether the consumer that asks is gone
   * @return completed when the new place is on storage. Fails when it cannot be brought there, and
   *     then the virtual cursor is not after the place where it was (I6).
   */
  CompletableFuture<Void> move(VirtualCursor position, BooleanSupplier hasLeft, SeekTarget target) {
    return move(
        target.ordinal(),
        () -> {
          Move move = cursors.move(position, hasLeft, target);
          return move == null ? List.of() : List.of(move);
        });
  }

  /**
   * Moves every position that waits under a name, back or forward, as {@link #move} does. Fails
   * when none waits there any more.
   */
  public CompletableFuture<Void> moveWaiting(String name, long ordinal) {
    return move(ordinal, () -> cursors.moveWaiting(name, ordinal));
  }

  /**
   * @param move puts virtual cursors to {@code ordinal}; none, when their consumers have left or
   *     returned
   */
  private CompletableFuture<Void> move(long ordinal, Supplier<List<Move>> move) {
    synchronized (this) {
      seeks++;
    }
    return lowerTo(
            ordinal,
            () -> {
              List<Move> moves = move.get();
              if (moves.isEmpty()) {
                throw new CompletionException(consumerLeft());
              }
              return moves;
            })
        .thenCompose(
            moves -> store().handle((stored, e) -> ended(moves, e)).thenCompose(ended -> ended))
        .whenComplete((stored, e) -> sought());
  }

  private CompletableFuture<Void> ended(List<Move> moves, Throwable notStored) {
    boolean holds = true;
    for (Move move : moves) {
      if (notStored != null || !cursors.settle(move)) {
        holds = false;
        skips.add(SkipCause.OTHER, cursors.putBack(move));
      }
    }
    return holds
        ? DONE
        : CompletableFuture.failedFuture(notStored == null ? consumerLeft() : notStored);
  }

  /**
   * Drops what waits under those names that {@code which} accepts, and hands the lowest position of
   * those that are left to the managed cursor.
   *
   * @param name the only name to look at; null: all
   * @param end the ordinal after the topic's last entry
   * @param missed whether their consumers miss what they had not acknowledged
   * @return what was dropped, on storage too; but not what was given to consumers that returned
   *     meanwhile. Fails when it cannot be stored, and then the positions wait again.
   */
  public CompletableFuture<List<Waiting>> drop(
      String name, Predicate<Waiting> which, long end, boolean missed) {
    if (stopped) {
      return store().thenApply(stored -> List.of());
    }
    WaitingDrop drop = cursors.dropWaiting(name, which, end);
    return (drop.isEmpty() ? DONE : store())
        .whenComplete(
            (stored, e) -> {
              if (e != null) {
                cursors.keep(drop);
                positionMoved();
              }
            })
        .thenApply(
            stored -> {
              List<Waiting> dropped = cursors.dropped(drop, end);
              if (missed) {
                skips.add(SkipCause.POSITION_DROPPED, Waiting.sum(dropped));
              }
              positionMoved();
              handOverNow();
              return dropped;
            });
  }

  private static SubscriptionBusyException consumerLeft() {
    return new SubscriptionBusyException("The consumer has been disconnected, try again");
  }

  private void sought() {
    synchronized (this) {
      seeks--;
    }
    positionMoved();
  }

  private CompletableFuture<Void> lowerNow(long ordinal) {
    boolean ahead = ordinalAfter(cursor.getMarkDeletedPosition()) > ordinal;
    return (ahead ? lowerSourceAndResetTo(ordinal) : DONE)
        .thenRun(() -> cursors.lowerFloor(ordinal));
  }

  private CompletableFuture<Void> lowerSourceAndResetTo(long ordinal) {
    EntryId before = index.entryBefore(ordinal);
    return source.holding(
        BROKER.position(before.ledgerId(), before.entryId()), () -> resetTo(ordinal));
  }

  private CompletableFuture<Void> resetTo(long ordinal) {
    EntryId next = index.entryAt(ordinal);
    CompletableFuture<Void> done = new CompletableFuture<>();
    cursor.asyncResetCursor(
        BROKER.position(next.ledgerId(), next.entryId()),
        true,
        new AsyncCallbacks.ResetCursorCallback() {
          @Override
          public void resetComplete(Object ctx) {
            afterLowering.run();
            done.complete(null);
          }

          @Override
          public void resetFailed(ManagedLedgerException exception, Object ctx) {
            done.completeExceptionally(exception);
          }
        });
    return done;
  }

  private long ordinalAfter(Position position) {
    return index.ordinalAfter(position.getLedgerId(), position.getEntryId());
  }
}
