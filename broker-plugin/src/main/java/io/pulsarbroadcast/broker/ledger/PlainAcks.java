/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ResetCursorCallback;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedCursorImpl;
import org.apache.pulsar.broker.service.BrokerServiceException.PersistenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What plain consumers acknowledged out of order: whole entries after the mark-delete position, of
 * which the managed cursor has a set. Immutable.
 *
 * <p>The managed cursor of a Broadcast subscription is to have no such set. It would read none of
 * these entries, also for a consumer that is set back before them, and its mark-delete position
 * would jump over them.
 */
public final class PlainAcks {

  /** How many are handed on: each consumer that starts at the position keeps them by itself. */
  static final int MAX_ENTRIES = 1_000;

  private static final Logger log = LoggerFactory.getLogger(PlainAcks.class);

  /** Takes ordinals, {@code from} to {@code to} exclusive. */
  public interface Visitor {
    void acknowledged(long from, long to);
  }

  /** From the first position, exclusive, to the last one, inclusive. */
  record Range(long firstLedger, long firstEntry, long lastLedger, long lastEntry) {}

  private final String subscription;
  private final List<Range> ranges;

  /**
   * @param subscription for the log
   */
  PlainAcks(String subscription, List<Range> ranges) {
    this.subscription = subscription;
    this.ranges = List.copyOf(ranges);
  }

  /**
   * Takes them off the cursor of a subscription that nobody uses, nor reads.
   *
   * @return completed when they are off storage, too: after a crash they are forgotten, and the
   *     messages come again. Fails with a PersistenceException, and they may still be there.
   */
  public static CompletableFuture<PlainAcks> takeFrom(ManagedCursor cursor) {
    List<Range> ranges = new ArrayList<>();
    ((ManagedCursorImpl) cursor)
        .getIndividuallyDeletedMessagesSet()
        .forEachRawRange(
            (firstLedger, firstEntry, lastLedger, lastEntry) ->
                ranges.add(new Range(firstLedger, firstEntry, lastLedger, lastEntry)));
    PlainAcks taken = new PlainAcks(cursor.toString(), ranges);
    if (ranges.isEmpty()) {
      return CompletableFuture.completedFuture(taken);
    }
    // A reset drops the mark of a subscription that was Broadcast before another broker's plain
    // consumers came, and is on storage before it takes them off: what follows it has none.
    Map<String, Long> mark = Map.copyOf(cursor.getProperties());
    return reset(cursor)
        .thenCompose(done -> MarkDelete.mark(cursor, mark))
        .handle(
            (done, e) ->
                e == null
                    ? CompletableFuture.completedFuture(taken)
                    : CompletableFuture.<PlainAcks>failedFuture(new PersistenceException(e)))
        .thenCompose(end -> end);
  }

  /** Resets a cursor to where it is. */
  private static CompletableFuture<Void> reset(ManagedCursor cursor) {
    Position last = cursor.getMarkDeletedPosition();
    CompletableFuture<Void> done = new CompletableFuture<>();
    cursor.asyncResetCursor(
        BROKER.position(last.getLedgerId(), last.getEntryId() + 1),
        true,
        new ResetCursorCallback() {
          @Override
          public void resetComplete(Object ctx) {
            // To an entry that there is: that one may be past the end of its ledger.
            cursor.rewind();
            done.complete(null);
          }

          @Override
          public void resetFailed(ManagedLedgerException exception, Object ctx) {
            done.completeExceptionally(exception);
          }
        });
    return done;
  }

  /**
   * Shows them all; none if there are more than {@link #MAX_ENTRIES}: their messages come again.
   */
  public void forEach(LedgerIndex index, Visitor visitor) {
    long entries = ranges.stream().mapToLong(range -> to(index, range) - from(index, range)).sum();
    if (entries > MAX_ENTRIES) {
      log.warn(
          "{}: {} messages that plain consumers acknowledged out of order come again, because more"
              + " than {} are not kept for each Broadcast consumer",
          subscription,
          entries,
          MAX_ENTRIES);
      return;
    }
    for (Range range : ranges) {
      visitor.acknowledged(from(index, range), to(index, range));
    }
  }

  private static long from(LedgerIndex index, Range range) {
    return index.ordinalAfter(range.firstLedger, range.firstEntry);
  }

  private static long to(LedgerIndex index, Range range) {
    return Math.max(from(index, range), index.ordinalAfter(range.lastLedger, range.lastEntry));
  }
}
