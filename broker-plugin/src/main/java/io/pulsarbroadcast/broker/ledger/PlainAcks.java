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

/**
 * What plain consumers acknowledged out of order: whole entries after the mark-delete position, of
 * which the managed cursor has a set. Immutable.
 *
 * <p>The managed cursor of a Broadcast subscription is to have no such set. It would read none of
 * these entries, also for a consumer that is set back before them, and its mark-delete position
 * would jump over them.
 */
public final class PlainAcks {

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** Takes ordinals, {@code from} to {@code to} exclusive. */
  public interface Visitor {
    void acknowledged(long from, long to);
  }

  /** From the first position, exclusive, to the last one, inclusive. */
  private record Range(long firstLedger, long firstEntry, long lastLedger, long lastEntry) {}

  private final List<Range> ranges;

  private PlainAcks(List<Range> ranges) {
    this.ranges = List.copyOf(ranges);
  }

  /**
   * Takes them off the cursor of a subscription that nobody uses, nor reads.
   *
   * @return completed when they are off storage, too: after a crash they are forgotten, and the
   *     messages come again. Fails with a PersistenceException, and they are still there.
   */
  public static CompletableFuture<PlainAcks> takeFrom(ManagedCursor cursor) {
    List<Range> ranges = new ArrayList<>();
    ((ManagedCursorImpl) cursor)
        .getIndividuallyDeletedMessagesSet()
        .forEachRawRange(
            (firstLedger, firstEntry, lastLedger, lastEntry) ->
                ranges.add(new Range(firstLedger, firstEntry, lastLedger, lastEntry)));
    PlainAcks taken = new PlainAcks(ranges);
    if (ranges.isEmpty()) {
      return CompletableFuture.completedFuture(taken);
    }
    // A reset drops the mark of a subscription that was Broadcast before another broker's plain
    // consumers came.
    Map<String, Long> mark = Map.copyOf(cursor.getProperties());
    return reset(cursor)
        .thenCompose(done -> mark.isEmpty() ? DONE : MarkDelete.mark(cursor, mark))
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

  /** Shows them all. */
  public void forEach(LedgerIndex index, Visitor visitor) {
    for (Range range : ranges) {
      long from = index.ordinalAfter(range.firstLedger, range.firstEntry);
      long to = index.ordinalAfter(range.lastLedger, range.lastEntry);
      if (from < to) {
        visitor.acknowledged(from, to);
      }
    }
  }
}
