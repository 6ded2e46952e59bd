/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.apache.pulsar.common.protocol.Commands.DEFAULT_CONSUMER_EPOCH;

import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.compat.Line;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.SeekTarget;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.dispatch.BroadcastEntry;
import io.pulsarbroadcast.broker.dispatch.ConsumerOwner;
import io.pulsarbroadcast.broker.dispatch.FanoutConsumer;
import io.pulsarbroadcast.broker.stats.BriefStats;
import io.pulsarbroadcast.broker.stats.ConsumerRates;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.NotAllowedException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionBusyException;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.policies.data.stats.ConsumerStatsImpl;
import org.apache.pulsar.common.util.DateFormatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected consumer of a Broadcast subscription. The broker calls it with the client's
 * commands, on the connection's event loop: permits and redelivery go to the connection's fan-out,
 * acknowledgements to the virtual cursor. Closing and statistics may come from any thread.
 */
final class BroadcastConsumer extends Consumer
    implements ConsumerOwner, Acknowledgement.Taker, ConsumerDirectory.Member {

  private static final Logger log = LoggerFactory.getLogger(BroadcastConsumer.class);
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** See {@link #sendBack}. */
  private static final int SENT_BACK_AFTER_MILLIS = 1_000;

  private static final VarHandle CLOSED;

  static {
    try {
      CLOSED =
          MethodHandles.lookup().findVarHandle(BroadcastConsumer.class, "closed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final BroadcastSubscription broadcast;
  private final SubType contract;
  private final FanoutConsumer fanout;

  /** The next consumer of the same name; owned by {@link ConsumerDirectory}. */
  private ConsumerDirectory.Member sameName;

  private final long connectedSinceMillis = System.currentTimeMillis();
  private volatile boolean closed;

  /** Whether its connection counts it. Confined to the connection's event loop. */
  private boolean attached;

  /** Whether its client has been told that it is connected. */
  private volatile boolean answered;

  private volatile boolean endAnnounced;

  /** What its unsubscribe came to, or null: it has not sent one. */
  private CompletableFuture<Void> unsubscribed;

  /** Whether it has been sent to another cluster. A topic that moves is at its end before. */
  private volatile boolean sentAway;

  /**
   * Whether its position is being moved: what its client acknowledges until it learns of that was
   * sent before, and does not count. Written under the position's monitor.
   */
  private volatile boolean moving;

  /** Whether a filter has put off entries that a rewind will send; set on the event loop. */
  private volatile boolean rewindsSoon;

  private long lastAckedTimestamp;
  private long lastFlowTimestamp;
  private ConsumerRates rates;

  BroadcastConsumer(
      BroadcastSubscription subscription,
      SubscriptionOption option,
      BroadcastServerCnx connection,
      VirtualCursor position) {
    super(
        subscription,
        SubType.Exclusive,
        subscription.getTopicName(),
        option.getConsumerId(),
        option.getPriorityLevel(),
        option.getConsumerName(),
        option.isDurable(),
        connection,
        connection.getAuthRole(),
        ConsumerFootprint.shared(option.getMetadata()),
        false,
        option.getKeySharedMeta(),
        option.getStartMessageId(),
        option.getConsumerEpoch(),
        option.getSchemaType());
    this.broadcast = subscription;
    this.contract = option.getSubType();
    this.fanout =
        new FanoutConsumer(
            option.getConsumerId(),
            position,
            option.getConsumerEpoch(),
            contract == SubType.Exclusive,
            this);
    ConsumerFootprint.reduce(this);
  }

  /** The contract that the consumer asked for: Exclusive, in order; or Shared, unordered. */
  @Override
  public SubType subType() {
    return contract;
  }

  BroadcastServerCnx connection() {
    return (BroadcastServerCnx) cnx();
  }

  FanoutConsumer fanout() {
    return fanout;
  }

  @Override
  public VirtualCursor position() {
    return fanout.cursor();
  }

  @Override
  public String address() {
    return cnx().hasHAProxyMessage()
        ? cnx().getHAProxyMessage().sourceAddress() + ":" + cnx().getHAProxyMessage().sourcePort()
        : cnx().clientAddress().toString();
  }

  @Override
  public CompletableFuture<Void> moveTo(long ordinal) {
    return seek(() -> seekTo(SeekTarget.entry(ordinal)));
  }

  @Override
  public void disconnectOnceAnswered(boolean isResetCursor, Optional<?> newOwner) {
    connection().onceAnswered(this, () -> BrokerLine.disconnect(this, isResetCursor, newOwner));
  }

  @Override
  public boolean isBeingMoved() {
    return moving;
  }

  @Override
  public void refuse(long ledgerId, long entryId, String reason) {
    broadcast.refuseAck(this, ledgerId, entryId, reason);
  }

  @Override
  public ConsumerDirectory.Member sameName() {
    return sameName;
  }

  @Override
  public void sameName(ConsumerDirectory.Member next) {
    sameName = next;
  }

  long messagesOut() {
    return fanout.messagesOut();
  }

  long bytesOut() {
    return fanout.bytesOut();
  }

  /** Whether it is closed, by its client, an operator or the broker. */
  boolean isClosed() {
    return closed;
  }

  /** Whether its client has been told that it is connected, or is told now. */
  boolean isAnswered() {
    return answered;
  }

  /** Its client is told that it is connected, unless it is gone, or has given up. */
  BroadcastConsumer answered() {
    answered = connection().isActive() && connection().isAnswerDue(this);
    return this;
  }

  /** Marks the consumer closed; true for the one caller that may remove it. */
  boolean markClosed() {
    return CLOSED.compareAndSet(this, false, true);
  }

  /**
   * Its connection is about to count it; false when it is closed already, and what removes it finds
   * it not attached. On the connection's event loop.
   */
  boolean attach() {
    attached = !closed;
    return attached;
  }

  /** Whether its connection counts it. On the connection's event loop. */
  boolean isAttached() {
    return attached;
  }

  /** Closes the consumer; its connection may be gone. */
  @Override
  public void close() {
    try {
      super.close();
    } catch (BrokerServiceException e) {
      log.debug("Closing {} failed", this, e);
    }
  }

  @Override
  public void flowPermits(int additionalNumberOfMessages) {
    if (additionalNumberOfMessages <= 0) {
      throw new IllegalArgumentException(
          "Permits must be positive, not " + additionalNumberOfMessages);
    }
    lastFlowTimestamp = System.currentTimeMillis();
    connection().flow(broadcast, fanout, additionalNumberOfMessages);
  }

  @Override
  public CompletableFuture<Void> messageAcked(CommandAck ack) {
    if (ack.hasTxnidMostBits() || ack.hasTxnidLeastBits()) {
      return CompletableFuture.failedFuture(
          new NotAllowedException(
              "Acknowledging in a transaction is not supported on a Broadcast subscription"));
    }
    lastAckedTimestamp = System.currentTimeMillis();
    ExecutorPolicy executors = broadcast.parts().executors();
    if (executors.takesAcksAtOnce()) {
      return acknowledge(ack);
    }
    // The command is used again for the connection's next one.
    CommandAck copy = new CommandAck().copyFrom(ack);
    return DONE.thenComposeAsync(taken -> acknowledge(copy), executors::acknowledge);
  }

  /**
   * Takes an acknowledgement.
   *
   * @return failed while the subscription is being closed: its positions may be on storage already,
   *     without this
   */
  private CompletableFuture<Void> acknowledge(CommandAck ack) {
    SubscriptionParts parts = broadcast.parts();
    parts.metrics().acked(ack.getMessageIdsCount());
    if (parts.acknowledgement().take(ack, this)) {
      parts.markDelete().positionMoved();
      if (fanout.mayUnblock()) {
        connection().unblock(broadcast, fanout);
      }
    }
    // Last: what was taken before closing begins is stored by it.
    return broadcast.isClosing() ? SubscriptionLifecycle.refused() : DONE;
  }

  @Override
  public void redeliverUnacknowledgedMessages(long consumerEpoch) {
    connection().rewind(broadcast, fanout, consumerEpoch);
  }

  /**
   * Sends single messages again: the unordered contract; the ordered one starts again from its
   * position.
   */
  @Override
  public void redeliverUnacknowledgedMessages(List<MessageIdData> messageIds) {
    if (contract == SubType.Exclusive) {
      redeliverUnacknowledgedMessages(DEFAULT_CONSUMER_EPOCH);
      return;
    }
    LedgerIndex index = broadcast.parts().index();
    long[] ordinals =
        messageIds.stream()
            .mapToLong(id -> index.ordinalOf(id.getLedgerId(), id.getEntryId()))
            .filter(ordinal -> ordinal != LedgerIndex.UNKNOWN)
            .toArray();
    connection().redeliver(broadcast, fanout, ordinals);
  }

  @Override
  public void filtered(BroadcastEntry entry, Verdict verdict) {
    if (verdict == Verdict.REJECT) {
      position().ackIndividual(entry.ordinal());
      broadcast.parts().markDelete().positionMoved();
      return;
    }
    if (contract != SubType.Exclusive) {
      broadcast.afterRescheduleDelay(
          () -> connection().redeliver(broadcast, fanout, new long[] {entry.ordinal()}));
    } else if (!rewindsSoon) {
      rewindsSoon = true;
      // One for all that is put off until then: a rewind sends everything again.
      broadcast.afterRescheduleDelay(
          () -> {
            rewindsSoon = false;
            connection().rewind(broadcast, fanout, DEFAULT_CONSUMER_EPOCH);
          });
    }
  }

  @Override
  public long deliverAtMillis(BroadcastEntry entry) {
    return entry.metadata().hasDeliverAtTime() && broadcast.delaysDeliveries()
        ? entry.metadata().getDeliverAtTime()
        : 0;
  }

  @Override
  public int maxUnacknowledgedEntries() {
    return getMaxUnackedMessages();
  }

  /**
   * Moves this consumer to a message, which it is sent next, and lets its client reconnect: so
   * nothing sent before is taken for what comes after.
   */
  CompletableFuture<Void> seek(MessageIdData id) {
    SubscriptionParts parts = broadcast.parts();
    return seek(
        () ->
            seekTo(
                parts
                    .startPositions()
                    .at(id.getLedgerId(), id.getEntryId(), parts.acknowledgement().remaining(id))));
  }

  /** Moves this consumer to the first entry published at or after a time. */
  CompletableFuture<Void> seek(long publishTimeMillis) {
    return seek(
        () ->
            broadcast
                .parts()
                .startPositions()
                .at(publishTimeMillis)
                .thenCompose(ordinal -> seekTo(SeekTarget.entry(ordinal))));
  }

  private CompletableFuture<Void> seek(Supplier<CompletableFuture<Void>> move) {
    if (closed) {
      return CompletableFuture.failedFuture(
          new SubscriptionBusyException("The consumer has been disconnected, try again"));
    }
    if (!beginMove()) {
      return CompletableFuture.failedFuture(
          new SubscriptionBusyException("Another seek or reset of this consumer is under way"));
    }
    CompletableFuture<Void> moved;
    try {
      moved = move.get();
    } catch (RuntimeException e) {
      moved = CompletableFuture.failedFuture(e);
    }
    return moved.whenComplete(
        (done, e) -> {
          if (e != null) {
            endMove();
          }
        });
  }

  /**
   * Takes no acknowledgements any more: the position is about to be moved, and the consumer
   * disconnected.
   *
   * @return false when that is so already
   */
  boolean beginMove() {
    synchronized (position()) {
      boolean begun = !moving;
      moving = true;
      return begun;
    }
  }

  /**
   * The position was not moved; what was acknowledged meanwhile is sent again, also to the client's
   * next consumer if it has reconnected.
   */
  void endMove() {
    synchronized (position()) {
      moving = false;
    }
    broadcast.startAgain(position());
  }

  private CompletableFuture<Void> seekTo(SeekTarget target) {
    SubscriptionParts parts = broadcast.parts();
    if (!position().isDurable()) {
      // Its client reconnects, and the position does not outlast that.
      connection().sought().keep(consumerId(), parts.index().entryBefore(target.ordinal()));
    }
    return parts
        .startPositions()
        .move(position(), () -> closed, target)
        .thenRun(this::disconnectAfterSeek);
  }

  private void disconnectAfterSeek() {
    if (closed) {
      // Its client has reconnected meanwhile, and the position with it.
      broadcast.startAgain(position());
    } else {
      disconnectOnceAnswered(true, Optional.empty());
    }
  }

  /** Is sent everything from its position on, which was moved. */
  void startAgain() {
    connection().startAgain(broadcast, fanout);
  }

  /**
   * Tells the client so, once, when this consumer has acknowledged everything; where the topic has
   * moved to another cluster, sends it there. A topic ends before it has moved, so the client may
   * have been told of the end. Asked again while nobody knows where it has moved to.
   */
  @Override
  public void reachedEndOfTopic() {
    if (sentAway || !broadcast.isAtEnd(position())) {
      return;
    }
    PersistentTopic topic = (PersistentTopic) broadcast.getTopic();
    if (topic.isMigrated()) {
      sentAway = true;
      BrokerLine.migratedClusterUrl(topic)
          .whenComplete(
              (url, e) -> {
                if (e == null && url.isPresent()) {
                  connection().onceAnswered(this, () -> topicMigrated(url));
                } else {
                  sentAway = false;
                }
              });
    } else if (!endAnnounced) {
      endAnnounced = true;
      super.reachedEndOfTopic();
    }
  }

  /** The topic's last message, beside this consumer's position. */
  CompletableFuture<LastMessageId> lastMessageId() {
    return LastMessageId.of((PersistentTopic) broadcast.getTopic())
        .thenApply(
            last ->
                last.with(
                    broadcast
                        .parts()
                        .startPositions()
                        .positionBefore(position().next(), position().isDurable())));
  }

  @Line(before = "3.2")
  @Override
  public void doUnsubscribe(long requestId) {
    doUnsubscribe(requestId, false);
  }

  /** Other consumers keep their positions, forced or not. */
  @Line(from = "3.2")
  public void doUnsubscribe(long requestId, boolean force) {
    unsubscribed()
        .whenComplete(
            (done, e) -> {
              if (e == null) {
                cnx().removedConsumer(this);
                cnx().getCommandSender().sendSuccessResponse(requestId);
              } else {
                cnx()
                    .getCommandSender()
                    .sendErrorResponse(
                        requestId, BrokerServiceException.getClientErrorCode(e), e.getMessage());
              }
            });
  }

  /**
   * It is off the subscription, and its client comes back when it is told that it is closed. It
   * would stay away for good if it heard that before it has taken in that its unsubscribe failed:
   * the Java client may do so on the thread that asked, and leaves the state <em>closing</em> only
   * then. Once, however often it asks: its next consumer has the same id.
   */
  private void sendBack() {
    connection()
        .ctx()
        .executor()
        .schedule(
            () -> BrokerLine.disconnect(this, false, Optional.empty()),
            SENT_BACK_AFTER_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  /** A client that has not been answered asks again. */
  private synchronized CompletableFuture<Void> unsubscribed() {
    if (unsubscribed == null) {
      unsubscribed = broadcast.unsubscribe(this);
      unsubscribed.whenComplete(
          (done, e) -> {
            if (e != null) {
              sendBack();
            }
          });
    }
    return unsubscribed;
  }

  /** Asks for nothing that costs more with every consumer. */
  @Line(from = "3.2", before = "4.2")
  public boolean checkAndApplyTopicMigration() {
    return false;
  }

  /** The same, later. */
  @Line(from = "4.2")
  public CompletableFuture<Boolean> checkAndApplyTopicMigrationAsync() {
    return CompletableFuture.completedFuture(false);
  }

  @Override
  public boolean isBlocked() {
    return fanout.isBlocked();
  }

  @Override
  public int getAvailablePermits() {
    return fanout.permits();
  }

  @Override
  public int getUnackedMessages() {
    return (int) Math.min(Integer.MAX_VALUE, fanout.unacknowledgedEntries());
  }

  @Override
  public long getMsgOutCounter() {
    return fanout.messagesOut();
  }

  @Override
  public long getBytesOutCounter() {
    return fanout.bytesOut();
  }

  @Override
  public void updateRates() {
    rates = ConsumerRates.since(rates, fanout);
  }

  /** All that is known, or the numbers alone where the broker only sums them up. */
  @Override
  public ConsumerStatsImpl getStats() {
    ConsumerStatsImpl numbers = BriefStats.numbers(broadcast.broadcastStats());
    if (numbers != null) {
      return withNumbers(numbers);
    }
    ConsumerStatsImpl stats = withNumbers(new ConsumerStatsImpl());
    stats.setAddress(address());
    stats.consumerName = consumerName();
    stats.setConnectedSince(DateFormatter.format(connectedSinceMillis));
    stats.setClientVersion(cnx().getClientVersion());
    stats.metadata = getMetadata();
    return stats;
  }

  /** Fills in every number that a consumer of this type has. */
  private ConsumerStatsImpl withNumbers(ConsumerStatsImpl stats) {
    stats.msgOutCounter = fanout.messagesOut();
    stats.bytesOutCounter = fanout.bytesOut();
    stats.availablePermits = fanout.permits();
    stats.unackedMessages = getUnackedMessages();
    stats.blockedConsumerOnUnackedMsgs = fanout.isBlocked();
    stats.lastAckedTimestamp = lastAckedTimestamp;
    stats.lastConsumedFlowTimestamp = lastFlowTimestamp;
    ConsumerRates current = rates;
    stats.msgRateOut = current == null ? 0 : current.messagesPerSecond();
    stats.msgThroughputOut = current == null ? 0 : current.bytesPerSecond();
    stats.msgRateRedeliver = current == null ? 0 : current.redeliveredPerSecond();
    return stats;
  }

  /** Identity: the broker's equality compares addresses, and is asked once per other consumer. */
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
