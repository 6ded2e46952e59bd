/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.cursor.AbsentPositions;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.PositionsStore;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.dispatch.BroadcastDispatcher;
import io.pulsarbroadcast.broker.ledger.DeclaredLog;
import io.pulsarbroadcast.broker.ledger.ManagedLedgerEntrySource;
import io.pulsarbroadcast.broker.ledger.MarkDelete;
import io.pulsarbroadcast.broker.ledger.PlainAcks;
import io.pulsarbroadcast.broker.ledger.PositionsElsewhere;
import io.pulsarbroadcast.broker.ledger.SourceHold;
import io.pulsarbroadcast.broker.ledger.StartPositions;
import io.pulsarbroadcast.broker.ledger.SubscriptionPast;
import io.pulsarbroadcast.broker.ledger.SubscriptionPast.Origin;
import io.pulsarbroadcast.broker.metrics.CountingExecutor;
import io.pulsarbroadcast.broker.metrics.Lag;
import io.pulsarbroadcast.broker.metrics.MeteredLog;
import io.pulsarbroadcast.broker.metrics.PersistTimes;
import io.pulsarbroadcast.broker.metrics.SkipCause;
import io.pulsarbroadcast.broker.metrics.SkipCounters;
import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import io.pulsarbroadcast.broker.metrics.SubscriptionSample;
import io.pulsarbroadcast.broker.stats.AuditLog;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;

/**
 * What a Broadcast subscription consists of, made and joined before the broker's own constructor
 * runs. Immutable.
 *
 * @param startPositions where its consumers start, and seek to
 * @param takeover has positions go along with consumers
 * @param timeToLive how long positions may wait
 */
record SubscriptionParts(
    LedgerIndex index,
    CursorRegistry cursors,
    ManagedLedgerEntrySource source,
    DispatchRates rates,
    ExecutorPolicy executors,
    Acknowledgement acknowledgement,
    BroadcastDispatcher fanout,
    MarkDelete markDelete,
    SubscriptionMetrics metrics,
    SkipCounters skips,
    AuditLog audit,
    BroadcastConfig config,
    SubscriptionPast past,
    StartPositions startPositions,
    PositionTakeover takeover,
    TimeToLivePolicy timeToLive) {

  /**
   * Makes the parts of the Broadcast subscription that takes a plain one's place.
   *
   * @param metricsOf makes the metrics of a subscription
   * @param persistTimes when the topic's last entries were persisted, once there are such metrics
   * @param plainAcks what was acknowledged on the plain one after its position
   */
  static SubscriptionParts of(
      PersistentTopic topic,
      Function<String, SubscriptionMetrics> metricsOf,
      Supplier<PersistTimes> persistTimes,
      PersistentSubscription plain,
      BroadcastConfig config,
      SubscriptionPast past,
      PlainAcks plainAcks,
      TimeToLivePolicy timeToLive,
      SourceHold sourceHold) {
    ManagedLedgerImpl ledger = (ManagedLedgerImpl) topic.getManagedLedger();
    SkippedEntries skipped = new SkippedEntries();
    LedgerIndex index = new LedgerIndex(() -> BrokerLine.entriesOfLedgers(ledger), skipped::addGap);
    long position = ordinalAfter(index, plain.getCursor().getMarkDeletedPosition());
    CursorRegistry cursors = new CursorRegistry(skipped, position);
    timeToLive.limit(cursors);
    if (config.maxPositionsPerSubscription() > 0) {
      cursors.limitPositions(config.maxPositionsPerSubscription());
    }
    if (past.origin() != Origin.NEW
        && (!MarkDelete.isOfNonDurable(plain.getCursor())
            || MarkDelete.isElsewhere(plain.getCursor(), index))) {
      // Where somebody else has moved it, that was a plain consumer, who may come back.
      cursors.keepForDurable();
    }
    if (past.origin() == Origin.PLAIN) {
      plainAcks.forEach(index, cursors::inherit);
    }
    if (past.origin() == Origin.LOST) {
      cursors.holdFloor();
    }
    Skipped before =
        past.positions()
            .restore(cursors, index, ordinalAfter(index, ledger.getLastConfirmedEntry()));
    BrokerService broker = topic.getBrokerService();
    ScheduledExecutorService timer = broker.getPulsar().getExecutor();
    String name = topic.getName() + "/" + plain.getName();
    SubscriptionMetrics metrics = metricsOf.apply(plain.getName());
    ExecutorPolicy executors =
        new ExecutorPolicy(
            config, broker.getTopicOrderedExecutor(), topic.getName(), plain.getName());
    CountingExecutor thread = new CountingExecutor(executors.reader());
    ManagedLedgerEntrySource source =
        new ManagedLedgerEntrySource(
            topic,
            persistTimes.get(),
            plain.getCursor(),
            index,
            skipped,
            position,
            config,
            metrics);
    DispatchRates rates = new DispatchRates(topic, plain.getName(), cursors::connectedCount);
    BroadcastDispatcher fanout =
        new BroadcastDispatcher(
            name, source, rates, position, thread, timer, config.catchUpMaxHeldBytes(), metrics);
    PositionsStore store =
        new PositionsStore(
            new MeteredLog(past.ledger(), metrics),
            cursors,
            index,
            config.maxAcknowledgmentHolesToPersist());
    PositionsElsewhere elsewhere = new PositionsElsewhere(topic, plain.getName());
    store.followedIf(elsewhere::isShared);
    SkipCounters skips = new SkipCounters(topic.getName(), plain.getName(), metrics, timer);
    if (!past.takenOver() && MarkDelete.isElsewhere(plain.getCursor(), index)) {
      // Else it is what a crash left behind in the log, and had been acknowledged.
      skips.add(SkipCause.ELSEWHERE, before);
      skips.addUncounted(SkipCause.ELSEWHERE, past.positions().countTrimmed(index));
    }
    MarkDelete markDelete =
        new MarkDelete(
            plain.getCursor(),
            source::seekToTail,
            fanout::passed,
            fanout::skipTo,
            index,
            cursors,
            store,
            skips,
            timer,
            config,
            () -> DeclaredLog.of(plain.getCursor()).decided().declare(plain.getCursor()),
            sourceHold);
    source.whenSkipped(markDelete::positionMoved);
    markDelete.start();
    StartPositions startPositions =
        new StartPositions(
            topic, plain.getCursor(), index, cursors, markDelete, past.origin(), position);
    metrics.sampleFrom(
        () -> {
          long end = startPositions.end();
          AbsentPositions absent = cursors.absent(System.currentTimeMillis(), end);
          return new SubscriptionSample(
              lagOf(cursors, end),
              cursors.leftBehindCount(),
              absent,
              startPositions.backlogBytes(absent),
              fanout.convoys(),
              thread.queued() + executors.queuedAcks(),
              past.ledger().sizeBytes(),
              cursors.isFloorHeld());
        });
    return new SubscriptionParts(
        index,
        cursors,
        source,
        rates,
        executors,
        new Acknowledgement(index, broker.getPulsar().getConfiguration()),
        fanout,
        markDelete,
        metrics,
        skips,
        new AuditLog(topic.getName(), plain.getName(), timer),
        config,
        past,
        startPositions,
        new PositionTakeover(
            topic.getName(), elsewhere, cursors, startPositions, markDelete, timer),
        timeToLive);
  }

  private static Lag lagOf(CursorRegistry cursors, long end) {
    return Lag.of(cursors.connectedPositions(), next -> cursors.lag(next, end));
  }

  private static long ordinalAfter(LedgerIndex index, Position position) {
    return index.ordinalAfter(position.getLedgerId(), position.getEntryId());
  }
}
