/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import com.google.common.collect.Maps;
import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.dispatch.BroadcastDispatcher;
import io.pulsarbroadcast.broker.dispatch.ConnectionFanout;
import io.pulsarbroadcast.broker.dispatch.FrameWriter;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.AsyncCallbacks;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.bookkeeper.mledger.impl.PositionImpl;
import org.apache.bookkeeper.mledger.proto.MLDataFormats.ManagedLedgerInfo.LedgerInfo;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.persistent.PersistentMessageFinder;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
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

  private final Parts parts;
  private final ConsumerDirectory consumers = new ConsumerDirectory();
  private final LongAdder refusedAcks = new LongAdder();
  private volatile boolean closed;

  /**
   * Makes a Broadcast subscription at the position of a plain one, on the same cursor.
   *
   * @param origin what is known of the subscription's past
   */
  static BroadcastSubscription create(
      BroadcastTopic topic, PersistentSubscription plain, BroadcastConfig config, Origin origin) {
    Parts parts = Parts.of(topic, plain, config, origin);
    return BrokerLine.subscriptionTakesBoxed()
        ? new BroadcastSubscription(topic, plain, parts, Boolean.FALSE)
        : new BroadcastSubscription(topic, plain, parts);
  }

  private BroadcastSubscription(BroadcastTopic topic, PersistentSubscription plain, Parts parts) {
    super(topic, plain.getName(), plain.getCursor(), false, plain.getSubscriptionProperties());
    this.parts = parts;
    this.dispatcher = new SubscriptionDispatcher(this, consumers);
  }

  private BroadcastSubscription(
      BroadcastTopic topic, PersistentSubscription plain, Parts parts, Boolean replicated) {
    super(topic, plain.getName(), plain.getCursor(), replicated, plain.getSubscriptionProperties());
    this.parts = parts;
    this.dispatcher = new SubscriptionDispatcher(this, consumers);
  }

  /** Where a subscription was before it became Broadcast. */
  enum Origin {
    /** Made by the Broadcast subscribe itself. */
    NEW,
    /** A plain subscription that nobody used any more. */
    PLAIN,
    /** There since the topic was loaded: consumers unknown here may have positions from before. */
    LOADED
  }

  /** What a subscription consists of, made before the broker's own constructor runs. */
  private record Parts(
      LedgerIndex index,
      CursorRegistry cursors,
      ManagedLedgerEntrySource source,
      BroadcastDispatcher fanout,
      PositionPublisher publisher,
      BroadcastConfig config,
      Origin origin,
      long originalPosition,
      long loadedEnd) {

    static Parts of(
        BroadcastTopic topic, PersistentSubscription plain, BroadcastConfig config, Origin origin) {
      ManagedLedgerImpl ledger = (ManagedLedgerImpl) topic.getManagedLedger();
      LedgerIndex index = new LedgerIndex(entriesByLedger(ledger));
      long position = after(index, plain.getCursor().getMarkDeletedPosition());
      SkippedEntries skipped = new SkippedEntries();
      CursorRegistry cursors = new CursorRegistry(skipped, position);
      BrokerService broker = topic.getBrokerService();
      String name = topic.getName() + "/" + plain.getName();
      ManagedLedgerEntrySource source =
          new ManagedLedgerEntrySource(topic, plain.getCursor(), index, skipped, position, config);
      BroadcastDispatcher fanout =
          new BroadcastDispatcher(
              name,
              source,
              position,
              broker.getTopicOrderedExecutor().chooseThread(name),
              broker.getPulsar().getExecutor(),
              config.catchUpMaxHeldBytes());
      PositionPublisher publisher =
          new PositionPublisher(
              plain.getCursor(),
              source::seekToTail,
              index,
              cursors,
              broker.getPulsar().getExecutor(),
              config.markDeleteIntervalMillis());
      long loadedEnd = origin == Origin.LOADED ? after(index, ledger.getLastConfirmedEntry()) : 0;
      return new Parts(
          index, cursors, source, fanout, publisher, config, origin, position, loadedEnd);
    }

    private static Supplier<NavigableMap<Long, Long>> entriesByLedger(ManagedLedgerImpl ledger) {
      return () -> Maps.transformValues(ledger.getLedgersInfo(), LedgerInfo::getEntries);
    }
  }

  private static long after(LedgerIndex index, Position position) {
    return index.ordinalAfter(position.getLedgerId(), position.getEntryId());
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
            consumer -> {
              if (!closed) {
                return CompletableFuture.completedFuture(consumer);
              }
              removeConsumer(consumer, false);
              return CompletableFuture.failedFuture(
                  new SubscriptionFencedException(
                      "Subscription " + getName() + " is being closed, try again"));
            });
  }

  private BroadcastConsumer connect(SubscriptionOption option, BroadcastServerCnx connection) {
    VirtualCursor position =
        parts.cursors.connect(
            option.getConsumerName(),
            option.isDurable() ? Long.MAX_VALUE : -1,
            startOf(option),
            parts.loadedEnd);
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
          parts.cursors.isEmpty()
              || parts.origin == Origin.LOADED
              || parts.origin == Origin.PLAIN && parts.cursors.floor() == parts.originalPosition;
      if (inherits || option.getInitialPosition() == InitialPosition.Earliest) {
        return parts.cursors.floor();
      }
      return after(parts.index, topic.getManagedLedger().getLastConfirmedEntry());
    };
  }

  /** What this subscription sends down one connection. On the connection's event loop. */
  ConnectionFanout newFanout(FrameWriter writer) {
    ConnectionFanout fanout =
        new ConnectionFanout(writer, parts.fanout, parts.config.connectionMaxPendingBytes());
    parts.fanout.connect(fanout);
    return fanout;
  }

  /** Ends what {@link #newFanout} began. On the connection's event loop. */
  void closed(ConnectionFanout fanout) {
    parts.fanout.disconnect(fanout);
    fanout.close();
  }

  /** Whether consumers are connected. */
  boolean isInUse() {
    return consumers.count() > 0;
  }

  int consumerCount() {
    return consumers.count();
  }

  /** A consumer's position moved. */
  void positionMoved() {
    parts.publisher.positionMoved();
  }

  /** Hands the lowest position to the managed cursor now. */
  CompletableFuture<Void> publishPosition() {
    return parts.publisher.publish();
  }

  /** The ordinal of an entry, or {@link LedgerIndex#UNKNOWN}. */
  long ordinalOf(long ledgerId, long entryId) {
    return parts.index.ordinalOf(ledgerId, entryId);
  }

  boolean isTrimmed(long ledgerId) {
    return parts.index.isTrimmed(ledgerId);
  }

  /** The last acknowledged entry of a position. */
  Position positionBefore(long next) {
    long current = after(parts.index, getCursor().getMarkDeletedPosition());
    if (next <= current) {
      return getCursor().getMarkDeletedPosition();
    }
    EntryId last = parts.index.entryAt(next - 1);
    return PositionImpl.get(last.ledgerId(), last.entryId());
  }

  /** Moves a position to an entry (seek), and the subscription's back when it is ahead of that. */
  CompletableFuture<Void> moveTo(VirtualCursor position, long ledgerId, long entryId) {
    long ordinal = Math.max(0, parts.index.ordinalAfter(ledgerId, entryId - 1));
    long end = after(parts.index, topic.getManagedLedger().getLastConfirmedEntry());
    return parts
        .publisher
        .lowerTo(Math.min(ordinal, end))
        .thenRun(() -> position.reset(Math.min(ordinal, end)));
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
      parts.cursors.disconnect(connected.position());
      consumers.remove(connected);
      connected.connection().remove(this, connected);
      bytesOutFromRemovedConsumers.add(connected.bytesOut());
      msgOutFromRemovedConsumer.add(connected.messagesOut());
      positionMoved();
      if (consumers.count() == 0) {
        deactivateCursor();
      }
    }
    topic.decrementUsageCount();
  }

  /** Drops the caller's position, and the subscription with the last one. */
  CompletableFuture<Void> unsubscribe(BroadcastConsumer consumer) {
    boolean last = parts.cursors.forget(consumer.position());
    removeConsumer(consumer, false);
    positionMoved();
    return last ? delete() : CompletableFuture.completedFuture(null);
  }

  /**
   * Stops dispatch and hands the last position over: the topic is being closed, or the subscription
   * changes its type.
   */
  CompletableFuture<Void> stop() {
    closed = true;
    parts.fanout.close();
    return publishPosition();
  }

  /** Takes part again after {@link #stop}, when closing the topic failed. */
  void resume() {
    closed = false;
    parts.fanout.reopen();
  }

  /**
   * The broker moved the managed cursor to where an operator wants it; nobody is connected. Every
   * position follows.
   */
  void cursorReset() {
    parts.cursors.resetAll(after(parts.index, getCursor().getMarkDeletedPosition()));
    parts.source.seekToTail();
  }

  @Override
  public String getTypeString() {
    return BroadcastContract.BROADCAST;
  }
}
