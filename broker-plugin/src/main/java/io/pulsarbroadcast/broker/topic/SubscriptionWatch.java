/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.Throttled;
import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import io.pulsarbroadcast.broker.metrics.SkipCause;
import io.pulsarbroadcast.broker.stats.AuditLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.bookkeeper.mledger.ManagedLedger;

/**
 * Looks after one Broadcast subscription once a second, for what nobody tells it: positions whose
 * consumers stayed away too long or went to another topic, a managed cursor that was moved behind
 * its back, and the end of a terminated topic. Runs on the broker's timer.
 */
final class SubscriptionWatch {

  private static final long INTERVAL_MILLIS = 1_000;

  /** How long a subscription of non-durable consumers waits for them when it has been loaded. */
  private static final long ABANDONED_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ManagedLedger ledger;
  private final SubscriptionParts parts;
  private final BooleanSupplier inUse;
  private final Runnable announceEnd;
  private final Runnable deleteAbandoned;
  private final Function<BooleanSupplier, CompletableFuture<Boolean>> endMovedAway;
  private final AuditLog.Dropped expiry;
  private final Throttled looking;
  private volatile boolean stopped = true;

  /** Since when nobody uses a subscription that is to end then. Confined to {@link #look}. */
  private long abandonedSinceNanos;

  private boolean abandoned;

  /**
   * @param inUse whether consumers are connected, or subscribing
   * @param announceEnd tells all consumers that the topic has ended
   * @param deleteAbandoned deletes the subscription
   * @param endMovedAway ends the subscription, whose positions are in other topics now, as long as
   *     that holds; whether it has
   */
  SubscriptionWatch(
      ManagedLedger ledger,
      SubscriptionParts parts,
      BooleanSupplier inUse,
      Runnable announceEnd,
      Runnable deleteAbandoned,
      Function<BooleanSupplier, CompletableFuture<Boolean>> endMovedAway,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.parts = parts;
    this.inUse = inUse;
    this.announceEnd = announceEnd;
    this.deleteAbandoned = deleteAbandoned;
    this.endMovedAway = endMovedAway;
    this.expiry = parts.audit().expiry();
    parts.cursors().whenExpired(expiry);
    this.looking = new Throttled(timer, INTERVAL_MILLIS, this::look);
  }

  /** Begins, or goes on after {@link #stop}. */
  void start() {
    stopped = false;
    looking.request();
  }

  void stop() {
    stopped = true;
  }

  private void look() {
    if (stopped) {
      return;
    }
    try {
      parts.takeover().look(endMovedAway);
      if (parts.takeover().mayExpire()) {
        expirePositions();
      }
      parts.markDelete().follow();
      endWhenAbandoned();
      if (ledger.isTerminated()) {
        announceEnd.run();
      }
    } finally {
      looking.request();
    }
  }

  private void endWhenAbandoned() {
    if (!parts.cursors().isKeptForDurable()) {
      // It goes with what non-durable consumers are sent, acknowledged or not.
      parts.markDelete().endMoved();
    }
    if (inUse.getAsBoolean() || !parts.cursors().isAbandonedByEphemerals()) {
      abandoned = false;
    } else if (!abandoned) {
      abandoned = true;
      abandonedSinceNanos = System.nanoTime();
    } else if (System.nanoTime() - abandonedSinceNanos > ABANDONED_NANOS) {
      abandoned = false;
      deleteAbandoned.run();
    }
  }

  private void expirePositions() {
    parts.timeToLive().limit(parts.cursors());
    Skipped expired =
        parts.cursors().expire(System.currentTimeMillis(), parts.startPositions().end());
    if (expired.positions() > 0) {
      expiry.write();
      parts.skips().add(SkipCause.POSITION_EXPIRED, expired);
      parts.markDelete().positionMoved();
    }
  }
}
