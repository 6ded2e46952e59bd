/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.compat.CursorState;
import io.pulsarbroadcast.broker.compat.LineNeutralSubscription;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.dispatch.BroadcastDispatcher;
import io.pulsarbroadcast.broker.dispatch.ConnectionFanout;
import io.pulsarbroadcast.broker.dispatch.FrameWriter;
import io.pulsarbroadcast.broker.ledger.DeclaredLog;
import io.pulsarbroadcast.broker.ledger.MarkDelete;
import io.pulsarbroadcast.broker.metrics.SkipCause;
import io.pulsarbroadcast.broker.stats.BroadcastStats;
import io.pulsarbroadcast.broker.stats.ConsumerReport;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.Entry;
import org.apache.bookkeeper.mledger.Position;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionBusyException;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Broadcast subscription as the broker sees it: a PersistentSubscription with one cursor, whose
 * mark-delete position is the lowest of its consumers' virtual cursors (I3). Called by the broker
 * and by its consumers, from any thread.
 *
 * <p>It joins the parts: {@link SubscriptionParts#cursors} (who stands where), {@link
 * BroadcastDispatcher} (who is sent what), {@link MarkDelete} (what the broker keeps) and {@link
 * ConsumerDirectory} (who is connected).
 */
final class BroadcastSubscription extends LineNeutralSubscription implements PositionsAdmin.Holder {

  private static final Logger log = LoggerFactory.getLogger(BroadcastSubscription.class);
  private static final int HOLD_TIMEOUT_SECONDS = 30;
  private static final CompletableFuture<Boolean> NOT_DELETED =
      CompletableFuture.completedFuture(false);

  private final SubscriptionParts parts;
  private final SubscriptionLifecycle lifecycle;
  private final ConsumerReport report;
  private final ConsumerAdmission admission;
  private final ConsumerDirectory<BroadcastConsumer> consumers = new ConsumerDirectory<>();
  private final BroadcastStats broadcastStats;
  private final LongAdder refusedAcks = new LongAdder();

  /** The deletion of a subscription that nobody uses any more, while it is under way. */
  private volatile CompletableFuture<Void> ending;

  /** Of the last reset: completed when what it decided about lost positions is on storage. */
  private volatile CompletableFuture<Void> resetDecided = CompletableFuture.completedFuture(null);

  /**
   * Makes a Broadcast subscription at the position of a plain one, on the same cursor.
   *
   * @param parts what it consists of
   */
  static BroadcastSubscription create(
      PersistentTopic topic, PersistentSubscription plain, SubscriptionParts parts) {
    BroadcastSubscription made =
        BrokerLine.subscriptionTakesBoxed()
            ? new BroadcastSubscription(topic, plain, parts, Boolean.FALSE)
            : new BroadcastSubscription(topic, plain, parts);
    made.lifecycle.start();
    return made;
  }

  private BroadcastSubscription(
      PersistentTopic topic, PersistentSubscription plain, SubscriptionParts parts) {
    super(
        topic,
        plain.getName(),
        plain.getCursor(),
        false,
        DeclaredLog.ofUsers(plain.getSubscriptionProperties()));
    this.parts = parts;
    this.lifecycle = newLifecycle(topic);
    this.report = newReport(topic);
    this.broadcastStats = newStats();
    this.admission = new ConsumerAdmission(this, parts, consumers);
    this.dispatcher = newDispatcher();
  }

  private BroadcastSubscription(
      PersistentTopic topic,
      PersistentSubscription plain,
      SubscriptionParts parts,
      Boolean replicated) {
    super(
        topic,
        plain.getName(),
        plain.getCursor(),
        replicated,
        DeclaredLog.ofUsers(plain.getSubscriptionProperties()));
    this.parts = parts;
    this.lifecycle = newLifecycle(topic);
    this.report = newReport(topic);
    this.broadcastStats = newStats();
    this.admission = new ConsumerAdmission(this, parts, consumers);
    this.dispatcher = newDispatcher();
  }

  private SubscriptionLifecycle newLifecycle(PersistentTopic topic) {
    return new SubscriptionLifecycle(
        topic.getName(),
        getName(),
        parts,
        new SubscriptionWatch(
            topic.getManagedLedger(),
            parts,
            this::isUsedSoon,
            () -> consumers.snapshot().forEach(Consumer::reachedEndOfTopic),
            this::deleteAbandoned,
            this::endMovedAway,
            topic.getBrokerService().getPulsar().getExecutor()));
  }

  private SubscriptionDispatcher newDispatcher() {
    return new SubscriptionDispatcher(this, lifecycle, consumers, parts.rates(), this::cursorReset);
  }

  private ConsumerReport newReport(PersistentTopic topic) {
    return new ConsumerReport(
        topic.getName(),
        getName(),
        consumers::count,
        topic.getBrokerService().getPulsar().getExecutor());
  }

  private BroadcastStats newStats() {
    return new BroadcastStats(
        parts.cursors(), parts.startPositions(), consumers, parts.config().statsMaxConsumers());
  }

  /** Connects a consumer whose subscribe the broker has accepted. */
  CompletableFuture<BroadcastConsumer> register(
      SubscriptionOption option, BroadcastServerCnx connection) {
    return admission
        .admit(option, connection)
        .thenApply(
            consumer -> {
              report.came();
              return consumer;
            });
  }

  /** A consumer that the broker has accepted is not connected after all. */
  void refused() {
    topic.decrementUsageCount();
  }

  /** Whether it is being closed, alone or with its topic: its positions are stored a last time. */
  boolean isClosing() {
    return lifecycle.isClosing() || ((BroadcastTopic) topic).isClosing();
  }

  /** How it is stopped, and resumed. */
  SubscriptionLifecycle lifecycle() {
    return lifecycle;
  }

  /** What this subscription sends down one connection. On the connection's event loop. */
  ConnectionFanout newFanout(FrameWriter writer) {
    ConnectionFanout fanout =
        new ConnectionFanout(
            writer,
            parts.fanout(),
            ((SubscriptionDispatcher) dispatcher).filters(),
            parts.config().connectionMaxPendingBytes());
    parts.fanout().connect(fanout);
    return fanout;
  }

  /** Ends what {@link #newFanout} began. On the connection's event loop. */
  void closed(ConnectionFanout fanout) {
    parts.fanout().disconnect(fanout);
    fanout.execute(fanout::close);
  }

  /** Whether consumers are connected. */
  boolean isInUse() {
    return consumers.count() > 0;
  }

  /** Whether consumers are connected, or one is subscribing. */
  private boolean isUsedSoon() {
    return isInUse() || ((BroadcastTopic) topic).isSubscribing(getName());
  }

  /** Why it cannot become plain, or null, see {@link PlainSubscribe#refusal}. */
  BrokerServiceException refusalToBecomePlain() {
    return PlainSubscribe.refusal(getName(), parts.cursors(), this::isInUse);
  }

  SubscriptionParts parts() {
    return parts;
  }

  @Override
  public PositionsAdmin positions() {
    return new PositionsAdmin(
        getTopicName(),
        getName(),
        getCursor(),
        parts,
        consumers,
        () -> isClosing() || lifecycle.isFenced());
  }

  /** The connected consumers; none when the broker asks in order to make a series of each. */
  @Override
  public List<Consumer> getConsumers() {
    return broadcastStats.hidesConsumers() ? List.of() : consumers.asList();
  }

  /** What all have been sent since the topic was loaded. The broker's own asks every consumer. */
  @Override
  public long getMsgOutCounter() {
    return parts.metrics().messagesOut();
  }

  @Override
  public long getBytesOutCounter() {
    return parts.metrics().bytesOut();
  }

  /** Lists some consumers only, see {@link BroadcastStats}. */
  @Override
  protected SubscriptionStatsImpl shown(SubscriptionStatsImpl stats) {
    return broadcastStats.shown(stats);
  }

  BroadcastStats broadcastStats() {
    return broadcastStats;
  }

  /** Without the broker's own, which it shows from 4.2 on. */
  @Override
  public Map<String, String> getSubscriptionProperties() {
    return DeclaredLog.ofUsers(super.getSubscriptionProperties());
  }

  /** Whether messages are delivered at the time that their publisher set. */
  boolean delaysDeliveries() {
    return ((PersistentTopic) topic).isDelayedDeliveryEnabled();
  }

  /** Runs a task after the time for which an entry filter puts an entry off. */
  void afterRescheduleDelay(Runnable task) {
    PulsarService broker = topic.getBrokerService().getPulsar();
    broker
        .getExecutor()
        .schedule(
            task,
            broker.getConfiguration().getDispatcherEntryFilterRescheduledMessageDelay(),
            TimeUnit.MILLISECONDS);
  }

  /** Hands the lowest position to the managed cursor now. */
  CompletableFuture<Void> handOverPosition() {
    return parts.markDelete().handOver();
  }

  /** Whether a position has everything that was published. */
  boolean isAtEnd(VirtualCursor position) {
    return parts.cursors().isAtEnd(position, parts.startPositions().end());
  }

  /** Skips so many messages after the slowest consumer's position, for everybody. */
  @Override
  public CompletableFuture<Void> skipMessages(int numMessagesToSkip) {
    return handOverPosition()
        .handle(
            (published, e) ->
                parts
                    .markDelete()
                    .moveOn(SkipCause.SKIPPED, () -> super.skipMessages(numMessagesToSkip)))
        .thenCompose(skipped -> skipped);
  }

  /** Shows an entry after the slowest consumer's position. */
  @Override
  public CompletableFuture<Entry> peekNthMessage(int messagePosition) {
    return handOverPosition()
        .handle((published, e) -> super.peekNthMessage(messagePosition))
        .thenCompose(peeked -> peeked);
  }

  @Override
  public CompletableFuture<Void> clearBacklog() {
    return parts.markDelete().moveOn(SkipCause.CLEARED, super::clearBacklog);
  }

  /** The broker's expiry of messages has moved the managed cursor; nobody else calls this here. */
  @Override
  public void updateLastMarkDeleteAdvancedTimestamp() {
    super.updateLastMarkDeleteAdvancedTimestamp();
    parts.markDelete().follow(SkipCause.EXPIRED);
  }

  /**
   * Moves everybody, back or forward: the consumers are disconnected meanwhile, and nobody connects
   * whose acknowledgements would count for the new place.
   */
  @Override
  public CompletableFuture<Void> resetCursor(Position position) {
    return parts.startPositions().hasNoLedger()
        ? stayAtTheEnd()
        : holding(before(position), () -> moving(() -> super.resetCursor(position)));
  }

  private static Position before(Position position) {
    return position.getEntryId() < 0 || position.getEntryId() == Long.MAX_VALUE
        ? position
        : BROKER.position(position.getLedgerId(), position.getEntryId() - 1);
  }

  /** The broker looks for the position, and goes on as above; from 4.2 on without asking here. */
  @Override
  public CompletableFuture<Void> resetCursor(long timestamp) {
    if (parts.startPositions().hasNoLedger()) {
      return stayAtTheEnd();
    }
    return BrokerLine.resetsByTimeItself()
        ? holding(BROKER.earliest(), () -> moving(() -> super.resetCursor(timestamp)))
        : super.resetCursor(timestamp);
  }

  /**
   * Moves nobody: a topic that was terminated without a message has one place only, and no ledger,
   * without which the broker fails or never answers.
   */
  private CompletableFuture<Void> stayAtTheEnd() {
    return parts.markDelete().decided().thenCompose(decided -> parts.markDelete().store());
  }

  /** Has the source of a shadow topic keep what follows a position, and goes on then. */
  private CompletableFuture<Void> holding(Position before, Supplier<CompletableFuture<Void>> move) {
    return ((BroadcastTopic) topic).sourceHold().holding(before, move);
  }

  private CompletableFuture<Void> moving(Supplier<CompletableFuture<Void>> reset) {
    if (!lifecycle.fence()) {
      return CompletableFuture.failedFuture(
          new SubscriptionBusyException("Subscription is being closed or moved, try again"));
    }
    // Of a cursor that is closed meanwhile, that may never end; the reset is refused then.
    CompletableFuture<Void> held =
        parts.markDelete().hold().completeOnTimeout(null, HOLD_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    List<BroadcastConsumer> moved =
        consumers.snapshot().stream().filter(BroadcastConsumer::beginMove).toList();
    // What it throws is undone as what it answers is.
    return held.thenCompose(done -> reset.get())
        .whenComplete(
            (done, e) -> {
              parts.markDelete().release();
              if (e != null) {
                lifecycle.unfence();
                moved.forEach(BroadcastConsumer::endMove);
              }
            })
        .thenCompose(done -> resetDecided)
        .thenCompose(decided -> parts.markDelete().store());
  }

  /**
   * Refuses to be replicated: one position for all clusters cannot be that of many consumers. The
   * broker asks for it also before it refuses a plain consumer.
   */
  @Override
  public boolean setReplicated(boolean replicated) {
    if (replicated) {
      log.warn(
          "[{}][{}] The state of a Broadcast subscription is not replicated", topicName, subName);
      return false;
    }
    return super.setReplicated(false);
  }

  /**
   * Comes from another cluster, where a subscription of this name is replicated; its consumers'
   * acknowledgements say nothing of those here, who acknowledge to their own positions.
   */
  @Override
  public void acknowledgeMessage(
      List<Position> positions, AckType ackType, Map<String, Long> properties) {
    log.debug("[{}][{}] Ignored a position of another cluster: {}", topicName, subName, positions);
  }

  /** Counts an acknowledgement that was not taken, and logs the first of a connection. */
  void refuseAck(BroadcastConsumer consumer, long ledgerId, long entryId, String reason) {
    refusedAcks.increment();
    parts.metrics().ackRefused();
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

  /**
   * Removes a consumer; a durable one leaves its position behind. With the last one ends what only
   * ephemeral ones used, unless they are disconnected to be moved and will be back. If somebody is
   * subscribing, {@link SubscriptionWatch} looks later.
   */
  @Override
  public void removeConsumer(Consumer consumer, boolean isResetCursor) {
    if (!(consumer instanceof BroadcastConsumer connected)) {
      topic.decrementUsageCount();
    } else if (remove(connected)
        && !isResetCursor
        && parts.cursors().isAbandonedByEphemerals()
        && !isUsedSoon()
        && !lifecycle.isFenced()) {
      deleteAbandoned();
    }
  }

  /** Takes a consumer off; false when that was done already. */
  private boolean remove(BroadcastConsumer connected) {
    if (!connected.markClosed()) {
      return false;
    }
    getCursor().updateLastActive();
    report.went();
    if (!connected.isAnswered()) {
      parts.cursors().disconnectUnanswered(connected.position());
    } else if (connected.isBeingMoved()) {
      parts.cursors().disconnectMoved(connected.position());
    } else {
      parts.cursors().disconnect(connected.position());
    }
    consumers.remove(connected);
    connected.connection().remove(this, connected);
    bytesOutFromRemovedConsumers.add(connected.bytesOut());
    msgOutFromRemovedConsumer.add(connected.messagesOut());
    parts.markDelete().positionMoved();
    parts.takeover().changed();
    if (consumers.count() == 0) {
      deactivateCursor();
    }
    topic.decrementUsageCount();
    return true;
  }

  /** Only ephemeral consumers are left: the subscription ends with the last, as a reader's does. */
  private void deleteAbandoned() {
    deleteIf(parts.cursors()::isAbandonedByEphemerals)
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

  /**
   * Its consumers have taken their positions to other topics: it ends, lest it holds the backlog;
   * if only ephemeral ones are left, with the last of them. What an operator has made stays, and
   * goes to the end of the topic.
   *
   * @return whether it has
   */
  private CompletableFuture<Boolean> endMovedAway(BooleanSupplier allMoved) {
    boolean declared = BroadcastContract.isDeclared(getSubscriptionProperties());
    if (isUsedSoon()) {
      if (!declared) {
        parts.cursors().letGoUnlessDurable();
      }
      return NOT_DELETED;
    }
    return (declared ? goToTheEndIf(allMoved) : deleteIf(allMoved))
        .exceptionally(
            e -> {
              log.info(
                  "[{}][{}] Kept after its positions have moved, trying again: {}",
                  getTopicName(),
                  getName(),
                  e.toString());
              return false;
            });
  }

  /** Drops all positions, and goes on without any; whoever is just coming is refused. */
  private CompletableFuture<Boolean> goToTheEndIf(BooleanSupplier unused) {
    if (!lifecycle.fence()) {
      return SubscriptionLifecycle.refused();
    }
    return (isInUse() || !unused.getAsBoolean()
            ? NOT_DELETED
            : parts
                .markDelete()
                .drop(null, waiting -> true, parts.startPositions().end(), false)
                .thenCompose(dropped -> clearBacklog())
                .thenApply(cleared -> true))
        .whenComplete((done, e) -> lifecycle.unfence());
  }

  /**
   * Drops the caller's position, and the subscription with the last one. When that cannot be
   * brought to storage, the position waits for the consumer's return.
   *
   * @return completed when it is on storage: else a crash would bring the position back
   */
  CompletableFuture<Void> unsubscribe(BroadcastConsumer consumer) {
    VirtualCursor position = consumer.position();
    if (lifecycle.isClosing()) {
      return SubscriptionLifecycle.refused();
    }
    // First: of two who leave at once, who drops the last position must not find the other one.
    consumers.remove(consumer);
    Optional<Boolean> last = parts.cursors().drop(position);
    if (last.isEmpty()) {
      return CompletableFuture.failedFuture(
          new SubscriptionBusyException("The consumer has been disconnected, try again"));
    }
    remove(consumer);
    return (last.get() ? deleteIf(parts.cursors()::isEmpty) : NOT_DELETED)
        .thenCompose(
            deleted ->
                deleted || !position.isDurable()
                    ? CompletableFuture.<Void>completedFuture(null)
                    : parts.markDelete().store())
        .exceptionallyCompose(this::notDropped)
        .whenComplete(
            (dropped, e) -> {
              if (e == null) {
                parts.cursors().dropped(position);
              } else {
                parts.cursors().keep(position);
              }
              parts.markDelete().positionMoved();
            });
  }

  /** Unless the subscription is deleted meanwhile, and the position with it. */
  private CompletableFuture<Void> notDropped(Throwable failure) {
    CompletableFuture<Void> deletion = ending;
    if (lifecycle.isDiscarded()) {
      return CompletableFuture.completedFuture(null);
    }
    return deletion == null
        ? CompletableFuture.failedFuture(ConsumerAdmission.toldClient(failure))
        : deletion.exceptionallyCompose(
            e -> CompletableFuture.failedFuture(ConsumerAdmission.toldClient(e)));
  }

  /**
   * Disconnects everybody, and deletes the subscription. When that fails, the broker takes
   * consumers again, but does not resume what it has closed.
   */
  @Override
  public CompletableFuture<Void> deleteForcefully() {
    boolean closedByOthers = lifecycle.isClosing();
    return super.deleteForcefully()
        .whenComplete(
            (deleted, e) -> {
              // With its cursor closed, the topic is loaded anew.
              if (e != null && lifecycle.isClosing() && !closedByOthers && !cursor.isClosed()) {
                ((BroadcastTopic) topic).unlessClosing(this::resumeAfterDeletion);
              }
            });
  }

  private void resumeAfterDeletion() {
    // It resumes only what is still fenced; but without it the next close would find it closed.
    resumeAfterFence();
    dispatcher.reset();
  }

  /**
   * Deletes the subscription when nobody uses it. Whoever is just coming is counted, or refused and
   * tries again: nobody is left on a subscription that is gone.
   *
   * @return whether it is deleted
   */
  private CompletableFuture<Boolean> deleteIf(BooleanSupplier unused) {
    if (!lifecycle.fence()) {
      return SubscriptionLifecycle.refused();
    }
    CompletableFuture<Void> deletion = new CompletableFuture<>();
    // First: whoever fails to drop a position is in time to keep it, or it goes with the others.
    ending = deletion;
    if (isInUse() || !unused.getAsBoolean()) {
      ending = null;
      lifecycle.unfence();
      deletion.completeExceptionally(new SubscriptionBusyException("It is in use, try again"));
      return NOT_DELETED;
    }
    // The next owner knows better who uses it.
    CursorState.owned(getCursor().getManagedLedger())
        .thenCompose(owned -> delete())
        .whenComplete(
            (deleted, e) -> {
              if (e == null) {
                deletion.complete(null);
              } else {
                ending = null;
                lifecycle.unfence();
                deletion.completeExceptionally(e);
              }
            });
    return deletion.thenApply(deleted -> true);
  }

  /**
   * The broker moved the managed cursor to where an operator wants it. Every position follows; a
   * consumer that was just connecting is sent what follows from there.
   */
  private void cursorReset() {
    resetDecided = parts.markDelete().followReset();
    parts.source().seekToTail();
    lifecycle.unfence();
    consumers.snapshot().forEach(BroadcastConsumer::startAgain);
  }

  /** Has the consumer that has a position now, if any, sent everything from there on. */
  void startAgain(VirtualCursor position) {
    for (BroadcastConsumer consumer : consumers.named(position.name())) {
      if (consumer.position() == position) {
        consumer.startAgain();
      }
    }
  }

  /**
   * Counts the entries after the position, whatever is asked for: the broker's running count still
   * has those that plain consumers acknowledged out of order, and nobody acknowledges any there
   * now.
   */
  @Override
  public long getNumberOfEntriesInBacklog(boolean precise) {
    return super.getNumberOfEntriesInBacklog(true);
  }

  @Override
  public String getTypeString() {
    return BroadcastContract.BROADCAST;
  }
}
