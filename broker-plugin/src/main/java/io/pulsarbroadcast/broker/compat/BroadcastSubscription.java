/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.compat.SubscriptionPast.Origin;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.dispatch.BroadcastDispatcher;
import io.pulsarbroadcast.broker.dispatch.ConnectionFanout;
import io.pulsarbroadcast.broker.dispatch.FrameWriter;
import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.apache.bookkeeper.mledger.AsyncCallbacks;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.PositionImpl;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.PersistenceException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.persistent.PersistentMessageFinder;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;
import org.apache.pulsar.common.util.FutureUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Broadcast subscription as the broker sees it: a PersistentSubscription with one cursor, whose
 * mark-delete position is the lowest of its consumers' virtual cursors (I3). Called by the broker
 * and by its consumers, from any thread.
 *
 * <p>It joins the parts: {@link CursorRegistry} (who stands where), {@link BroadcastDispatcher}
 * (who is sent what), {@link PositionPublisher} (what the broker keeps) and {@link
 * ConsumerDirectory} (who is connected).
 */
final class BroadcastSubscription extends LineNeutralSubscription {

  private static final Logger log = LoggerFactory.getLogger(BroadcastSubscription.class);

  private static final String CLOSING = "Subscription is being closed, try again";

  private final SubscriptionParts parts;
  private final ConsumerDirectory consumers = new ConsumerDirectory();
  private final ShownStats shownStats = new ShownStats(this, consumers);
  private final LongAdder refusedAcks = new LongAdder();
  private volatile boolean closed;
  private volatile boolean discarded;

  /**
   * Makes a Broadcast subscription at the position of a plain one, on the same cursor.
   *
   * @param past what is known of the subscription's past
   */
  static BroadcastSubscription create(
      BroadcastTopic topic,
      PersistentSubscription plain,
      BroadcastConfig config,
      SubscriptionPast past) {
    SubscriptionParts parts = SubscriptionParts.of(topic, plain, config, past);
    return BrokerLine.subscriptionTakesBoxed()
        ? new BroadcastSubscription(topic, plain, parts, Boolean.FALSE)
        : new BroadcastSubscription(topic, plain, parts);
  }

  private BroadcastSubscription(
      BroadcastTopic topic, PersistentSubscription plain, SubscriptionParts parts) {
    super(topic, plain.getName(), plain.getCursor(), false, plain.getSubscriptionProperties());
    this.parts = parts;
    this.dispatcher = new SubscriptionDispatcher(this, consumers, parts.rates());
  }

  private BroadcastSubscription(
      BroadcastTopic topic,
      PersistentSubscription plain,
      SubscriptionParts parts,
      Boolean replicated) {
    super(topic, plain.getName(), plain.getCursor(), replicated, plain.getSubscriptionProperties());
    this.parts = parts;
    this.dispatcher = new SubscriptionDispatcher(this, consumers, parts.rates());
  }

  /**
   * Connects a consumer whose subscribe the broker has accepted.
   *
   * <p>A consumer that is connected already under the same name may be a stranger with the same
   * generated name, or the same consumer whose old connection has not been noticed to be dead. So
   * the old connection is asked for a sign of life, as the broker does for Exclusive consumers; a
   * dead one leaves its position to the new consumer.
   */
  CompletableFuture<BroadcastConsumer> register(
      SubscriptionOption option, BroadcastServerCnx connection) {
    CompletableFuture<Void> deadRemoved =
        FutureUtil.waitForAll(
            consumers.named(option.getConsumerName()).stream()
                .filter(consumer -> consumer.cnx() != connection)
                .map(BroadcastConsumer::closeIfDead)
                .toList());
    return deadRemoved
        .handle((done, e) -> connect(option, connection))
        .thenCompose(
            consumer ->
                stored(consumer)
                    .handle((done, e) -> closed ? new SubscriptionFencedException(CLOSING) : e)
                    .thenCompose(
                        failure ->
                            failure == null
                                ? CompletableFuture.completedFuture(consumer)
                                : giveUp(consumer, failure)));
  }

  private BroadcastConsumer connect(SubscriptionOption option, BroadcastServerCnx connection) {
    VirtualCursor position =
        parts
            .cursors()
            .connect(
                option.getConsumerName(),
                option.isDurable()
                    ? BroadcastContract.timeToLiveSeconds(
                        option.getMetadata(), parts.config().cursorTimeToLiveSeconds())
                    : CursorRegistry.EPHEMERAL,
                startOf(option),
                parts.past().origin() == Origin.LOST ? end() : 0);
    BroadcastConsumer consumer = new BroadcastConsumer(this, option, connection, position);
    consumers.add(consumer);
    getCursor().setActive();
    connection.add(this, consumer);
    return consumer;
  }

  /** Where a consumer starts that has no position here. */
  private LongSupplier startOf(SubscriptionOption option) {
    return () -> {
      boolean inherits =
          switch (parts.past().origin()) {
            case LOST -> true;
            case PLAIN -> parts.cursors().floor() == parts.originalPosition();
            case NEW, STORED -> parts.cursors().isEmpty();
          };
      return inherits || option.getInitialPosition() == InitialPosition.Earliest
          ? parts.cursors().floor()
          : end();
    };
  }

  /** The ordinal after the last message that was published. */
  long end() {
    return parts.ordinalAfter(topic.getManagedLedger().getLastConfirmedEntry());
  }

  /** Completed when a crash of the broker would not forget the consumer any more (I1). */
  private CompletableFuture<Void> stored(BroadcastConsumer consumer) {
    return parts.cursors().isNameStored(consumer.position())
        ? CompletableFuture.completedFuture(null)
        : parts.publisher().flush();
  }

  private CompletableFuture<BroadcastConsumer> giveUp(BroadcastConsumer consumer, Throwable cause) {
    removeConsumer(consumer, false);
    return CompletableFuture.failedFuture(
        cause instanceof BrokerServiceException
            ? cause
            : new PersistenceException(
                new IOException(
                    "Could not store the consumer's position: " + cause.getMessage(), cause)));
  }

  /** What this subscription sends down one connection. On the connection's event loop. */
  ConnectionFanout newFanout(FrameWriter writer) {
    ConnectionFanout fanout =
        new ConnectionFanout(writer, parts.fanout(), parts.config().connectionMaxPendingBytes());
    parts.fanout().connect(fanout);
    return fanout;
  }

  /** Ends what {@link #newFanout} began. On the connection's event loop. */
  void closed(ConnectionFanout fanout) {
    parts.fanout().disconnect(fanout);
    fanout.close();
  }

  /** Whether consumers are connected. */
  boolean isInUse() {
    return consumers.count() > 0;
  }

  int consumerCount() {
    return consumers.count();
  }

  SubscriptionParts parts() {
    return parts;
  }

  /** The connected consumers; none when the broker asks in order to make a series of each. */
  @Override
  public List<Consumer> getConsumers() {
    return shownStats.hidesConsumers() ? List.of() : consumers.asList();
  }

  /** Lists some consumers only, see {@link ShownStats}. */
  @Override
  SubscriptionStatsImpl shown(SubscriptionStatsImpl stats) {
    return shownStats.shown(stats);
  }

  ShownStats shownStats() {
    return shownStats;
  }

  SubscriptionMetrics metrics() {
    return parts.metrics();
  }

  EntryFilters filters() {
    return ((SubscriptionDispatcher) dispatcher).filters();
  }

  /** Whether the broker takes acknowledgements of single messages of a batch. */
  boolean acknowledgesPartsOfBatches() {
    return brokerConfig().isAcknowledgmentAtBatchIndexLevelEnabled();
  }

  /** Whether messages are delivered at the time that their publisher set. */
  boolean delaysDeliveries() {
    return ((PersistentTopic) topic).isDelayedDeliveryEnabled();
  }

  /** Runs a task after the time for which an entry filter puts an entry off. */
  void afterRescheduleDelay(Runnable task) {
    topic
        .getBrokerService()
        .getPulsar()
        .getExecutor()
        .schedule(
            task,
            brokerConfig().getDispatcherEntryFilterRescheduledMessageDelay(),
            TimeUnit.MILLISECONDS);
  }

  private ServiceConfiguration brokerConfig() {
    return topic.getBrokerService().getPulsar().getConfiguration();
  }

  /** A consumer's position moved. */
  void positionMoved() {
    parts.publisher().positionMoved();
  }

  /** Hands the lowest position to the managed cursor now. */
  CompletableFuture<Void> publishPosition() {
    return parts.publisher().publish();
  }

  /** The ordinal of an entry, or {@link LedgerIndex#UNKNOWN}. */
  long ordinalOf(long ledgerId, long entryId) {
    return parts.index().ordinalOf(ledgerId, entryId);
  }

  boolean isTrimmed(long ledgerId) {
    return parts.index().isTrimmed(ledgerId);
  }

  /** The last acknowledged entry of a position. */
  Position positionBefore(long next) {
    long current = parts.ordinalAfter(getCursor().getMarkDeletedPosition());
    if (next <= current) {
      return getCursor().getMarkDeletedPosition();
    }
    EntryId last = parts.index().entryAt(next - 1);
    return PositionImpl.get(last.ledgerId(), last.entryId());
  }

  /** Moves a position to an entry (seek), and the subscription's back when it is ahead of that. */
  CompletableFuture<Void> moveTo(VirtualCursor position, long ledgerId, long entryId) {
    PositionImpl last = (PositionImpl) topic.getManagedLedger().getLastConfirmedEntry();
    long ordinal =
        PositionImpl.get(ledgerId, entryId).compareTo(last) > 0
            ? end()
            : Math.max(0, parts.index().ordinalAfter(ledgerId, entryId - 1));
    return parts.publisher().lowerTo(ordinal).thenRun(() -> position.reset(ordinal));
  }

  /** Moves a position to the first entry published at or after a time (seek). */
  CompletableFuture<Void> moveTo(VirtualCursor position, long publishTimeMillis) {
    CompletableFuture<Void> moved = new CompletableFuture<>();
    new PersistentMessageFinder(getTopicName(), getCursor())
        .findMessages(
            publishTimeMillis,
            new AsyncCallbacks.FindEntryCallback() {
              @Override
              public void findEntryComplete(Position before, Object ctx) {
                FutureUtil.completeAfter(
                    moved,
                    before == null
                        ? moveTo(position, 0, 0)
                        : moveTo(position, before.getLedgerId(), before.getEntryId() + 1));
              }

              @Override
              public void findEntryFailed(
                  ManagedLedgerException exception, Optional<Position> failed, Object ctx) {
                moved.completeExceptionally(exception);
              }
            });
    return moved;
  }

  /** Counts an acknowledgement that was not taken, and logs the first of a connection. */
  void refuseAck(BroadcastConsumer consumer, long ledgerId, long entryId, String reason) {
    refusedAcks.increment();
    metrics().ackRefused();
    if (consumer.connection().isFirstRefusedAck()) {
      log.warn(
          "[{}][{}] Ignored an acknowledgement of {}:{} by consumer {} ({}): {}. Further ones of this connection are only"
              + " counted, {} so far on this subscription",
          getTopicName(),
          getName(),
          ledgerId,
          entryId,
          BroadcastContract.quoted(consumer.consumerName()),
          consumer.cnx().clientAddress(),
          reason,
          refusedAcks.sum());
    }
  }

  /** Removes a consumer; a durable one leaves its position behind. */
  @Override
  public void removeConsumer(Consumer consumer, boolean isResetCursor) {
    if (consumer instanceof BroadcastConsumer connected) {
      if (!connected.markClosed()) {
        return;
      }
      parts.cursors().disconnect(connected.position());
      consumers.remove(connected);
      connected.connection().remove(this, connected);
      bytesOutFromRemovedConsumers.add(connected.bytesOut());
      msgOutFromRemovedConsumer.add(connected.messagesOut());
      parts.publisher().positionLeftBehind();
      if (consumers.count() == 0) {
        deactivateCursor();
        if (parts.cursors().isAbandonedByEphemerals() && !closed) {
          deleteAbandoned();
        }
      }
    }
    topic.decrementUsageCount();
  }

  /**
   * Only ephemeral consumers ever were here: the subscription ends with the last, as a reader's
   * does.
   */
  private void deleteAbandoned() {
    delete()
        .exceptionally(
            e -> {
              log.info(
                  "[{}][{}] Kept after its last ephemeral consumer: {}",
                  getTopicName(),
                  getName(),
                  e.toString());
              return null;
            });
  }

  /** Drops the caller's position, and the subscription with the last one. */
  CompletableFuture<Void> unsubscribe(BroadcastConsumer consumer) {
    boolean last = parts.cursors().forget(consumer.position());
    removeConsumer(consumer, false);
    positionMoved();
    return last ? delete() : CompletableFuture.completedFuture(null);
  }

  /** Takes no further consumers. */
  void fence() {
    closed = true;
  }

  /**
   * Stops dispatch and makes the positions last: the topic is being closed, or the subscription
   * changes its type.
   */
  CompletableFuture<Void> stop() {
    parts.fanout().close();
    return parts
        .publisher()
        .flush()
        .handle((flushed, e) -> publishPosition())
        .thenCompose(published -> published)
        .whenComplete(
            (published, e) -> {
              parts.publisher().stop();
              metrics().close();
            });
  }

  /**
   * Closes the positions log, after {@link #stop}. A log that does not close has all that was
   * flushed.
   */
  CompletableFuture<Void> closeLog() {
    PositionsLedger ledger = parts.past().ledger();
    if (ledger == null || discarded) {
      return CompletableFuture.completedFuture(null);
    }
    return ledger
        .close()
        .exceptionally(
            e -> {
              log.warn("[{}][{}] Could not close the positions log", getTopicName(), getName(), e);
              return null;
            });
  }

  /** Closes the positions log for good: it is about to be deleted. */
  CompletableFuture<Void> discardLog() {
    parts.publisher().stop();
    metrics().close();
    CompletableFuture<Void> closed = closeLog();
    discarded = true;
    return closed;
  }

  /** Takes part again after {@link #stop}, when closing the topic failed. */
  void resume() {
    closed = false;
    metrics().reopen();
    parts.publisher().resume();
    parts.fanout().reopen();
    if (parts.past().ledger() != null && !discarded) {
      parts.past().ledger().reopen();
    }
  }

  /**
   * The broker moved the managed cursor to where an operator wants it; nobody is connected. Every
   * position follows.
   */
  void cursorReset() {
    parts.cursors().resetAll(parts.ordinalAfter(getCursor().getMarkDeletedPosition()));
    parts.source().seekToTail();
  }

  @Override
  public String getTypeString() {
    return BroadcastContract.BROADCAST;
  }
}
