/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.impl.ManagedCursorImpl;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;

/**
 * What the dispatcher that a subscription had leaves on its managed cursor, when the subscription
 * changes its type. Stateless; may be called from any thread.
 *
 * <p>A cursor has one place for a read that waits for an entry: a second one is refused. And a read
 * moves the cursor's read position when it ends, past entries that the next dispatcher would miss.
 */
public final class CursorReads {

  private static final long LOOK_AGAIN_MILLIS = 5;
  private static final long MAX_WAIT_MILLIS = 20_000;

  private CursorReads() {}

  /**
   * Takes back the read that waits, if any.
   *
   * @return completed when no other is under way, and the cursor has been put back to its first
   *     unacknowledged entry; fails when that takes too long
   */
  public static CompletableFuture<Void> end(ManagedCursor cursor, ScheduledExecutorService timer) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    look((ManagedCursorImpl) cursor, timer, MAX_WAIT_MILLIS / LOOK_AGAIN_MILLIS, ended);
    return ended;
  }

  private static void look(
      ManagedCursorImpl cursor,
      ScheduledExecutorService timer,
      long looksLeft,
      CompletableFuture<Void> ended) {
    cursor.cancelPendingReadRequest();
    if (cursor.getPendingReadOpsCount() == 0) {
      cursor.rewind();
      ended.complete(null);
    } else if (looksLeft == 0) {
      ended.completeExceptionally(
          new SubscriptionFencedException(
              "Subscription " + cursor.getName() + " is still being read, try again"));
    } else {
      timer.schedule(
          () -> look(cursor, timer, looksLeft - 1, ended),
          LOOK_AGAIN_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }
}
