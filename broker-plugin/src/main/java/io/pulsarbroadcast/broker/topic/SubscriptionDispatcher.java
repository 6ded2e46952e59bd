/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.compat.Line;
import io.pulsarbroadcast.broker.stats.ConsumerLogFilter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.impl.PositionImpl;
import org.apache.pulsar.broker.delayed.BucketDelayedDeliveryTrackerFactory;
import org.apache.pulsar.broker.delayed.DelayedDeliveryTrackerFactory;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLookupData;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.Dispatcher;
import org.apache.pulsar.broker.service.EntryFilterSupport;
import org.apache.pulsar.broker.service.RedeliveryTracker;
import org.apache.pulsar.broker.service.RedeliveryTrackerDisabled;
import org.apache.pulsar.broker.service.persistent.DispatchRateLimiter;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The face that a Broadcast subscription shows where the broker expects a dispatcher: who is
 * connected, and how to close. The dispatching itself is elsewhere; permits, acknowledgements and
 * redelivery go from each {@link BroadcastConsumer} straight to its connection. Called by the
 * broker, from any thread.
 */
final class SubscriptionDispatcher extends EntryFilterSupport implements Dispatcher {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionDispatcher.class);

  private final SubscriptionLifecycle lifecycle;
  private final ConsumerDirectory<?> consumers;
  private final DispatchRates rates;
  private final Runnable afterReset;
  private final EntryFilters filters;
  private final ManagedCursor cursor;
  private final DelayedDeliveryTrackerFactory delayed;
  private volatile boolean closed;

  /**
   * @param afterReset run when an operator has moved the managed cursor
   */
  SubscriptionDispatcher(
      PersistentSubscription subscription,
      SubscriptionLifecycle lifecycle,
      ConsumerDirectory<?> consumers,
      DispatchRates rates,
      Runnable afterReset) {
    super(subscription);
    this.lifecycle = lifecycle;
    this.consumers = consumers;
    this.rates = rates;
    this.afterReset = afterReset;
    this.filters = new EntryFilters(subscription, entryFilters);
    this.cursor = subscription.getCursor();
    this.delayed =
        ((PersistentTopic) subscription.getTopic())
            .getBrokerService()
            .getDelayedDeliveryTrackerFactory();
    rates.makeOwn();
  }

  EntryFilters filters() {
    return filters;
  }

  /**
   * Takes the broker's stand-in for a Broadcast consumer, see {@link BroadcastTopic}; the consumer
   * itself follows, and {@link ConsumerAdmission} says whether there is room for it.
   */
  @Override
  public CompletableFuture<Void> addConsumer(Consumer standIn) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void removeConsumer(Consumer consumer) {
    // The subscription removes its consumers itself.
  }

  @Override
  public void consumerFlow(Consumer consumer, int additionalNumberOfMessages) {
    // A BroadcastConsumer takes its permits itself.
  }

  /**
   * Who is still coming counts only while the subscription takes consumers. Afterwards they are
   * refused, and must not keep the broker from deleting the subscription or closing the topic.
   */
  @Override
  public boolean isConsumerConnected() {
    if (closed) {
      return false;
    }
    return lifecycle.isFenced() ? !consumers.isEmpty() : consumers.count() > 0;
  }

  @Override
  public List<Consumer> getConsumers() {
    return consumers.asList();
  }

  @Override
  public boolean canUnsubscribe(Consumer consumer) {
    return consumers.count() == 0;
  }

  @Override
  public CompletableFuture<Void> close() {
    return close(true, Optional.empty());
  }

  @Line(from = "3.2")
  public CompletableFuture<Void> close(
      boolean disconnectClients, Optional<BrokerLookupData> newOwner) {
    closed = true;
    rates.close();
    lifecycle.close();
    if (disconnectClients) {
      disconnectAllConsumers(false, newOwner);
    }
    // Whatever fails: a log left open would stay in the broker's cache, and be stale when the topic
    // comes back.
    return lifecycle
        .stop()
        .handle((stopped, e) -> lifecycle.closeLog())
        .thenCompose(closing -> closing);
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public CompletableFuture<Void> disconnectActiveConsumers(boolean isResetCursor) {
    return disconnectAllConsumers(isResetCursor);
  }

  @Override
  public CompletableFuture<Void> disconnectAllConsumers(boolean isResetCursor) {
    return disconnectAllConsumers(isResetCursor, Optional.empty());
  }

  @Line(from = "3.2")
  public CompletableFuture<Void> disconnectAllConsumers(
      boolean isResetCursor, Optional<BrokerLookupData> newOwner) {
    ConsumerLogFilter.quietly(
        () -> {
          for (ConsumerDirectory.Member consumer : consumers.snapshot()) {
            consumer.disconnectOnceAnswered(isResetCursor, newOwner);
          }
        });
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void resetCloseFuture() {
    closed = false;
  }

  @Override
  public void reset() {
    closed = false;
    rates.makeOwn();
    lifecycle.resume();
  }

  @Override
  public void cursorIsReset() {
    afterReset.run();
  }

  /**
   * Deletes the buckets of delayed messages that the broker has stored while the subscription was
   * Shared, and that nobody reads any more. What asks for it does not depend on that: those that
   * cannot be deleted are left.
   */
  @Override
  public CompletableFuture<Void> clearDelayedMessages() {
    return delayed instanceof BucketDelayedDeliveryTrackerFactory buckets
        ? buckets
            .cleanResidualSnapshots(cursor)
            .exceptionally(
                e -> {
                  log.warn("[{}] Stored delayed messages are left", cursor.getName(), e);
                  return null;
                })
        : CompletableFuture.completedFuture(null);
  }

  /** What the broker takes the subscription for: one whose consumers acknowledge cumulatively. */
  @Override
  public SubType getType() {
    return SubType.Exclusive;
  }

  @Override
  public void redeliverUnacknowledgedMessages(Consumer consumer, long consumerEpoch) {
    // A BroadcastConsumer redelivers itself.
  }

  /** In 4.0 a list of {@code Position}; no class is loaded for a type argument. */
  @Override
  public void redeliverUnacknowledgedMessages(Consumer consumer, List<PositionImpl> positions) {
    // A BroadcastConsumer redelivers itself.
  }

  @Override
  public void addUnAckedMessages(int unAckMessages) {
    // Counted per consumer.
  }

  @Override
  public RedeliveryTracker getRedeliveryTracker() {
    return RedeliveryTrackerDisabled.REDELIVERY_TRACKER_DISABLED;
  }

  @Override
  public Optional<DispatchRateLimiter> getRateLimiter() {
    return rates.own();
  }

  @Override
  public boolean initializeDispatchRateLimiterIfNeeded() {
    return rates.makeOwn();
  }

  @Override
  public void updateRateLimiter() {
    rates.update();
  }

  @Override
  public long getFilterProcessedMsgCount() {
    return filters.processed();
  }

  @Override
  public long getFilterAcceptedMsgCount() {
    return filters.accepted();
  }

  @Override
  public long getFilterRejectedMsgCount() {
    return filters.rejected();
  }

  @Override
  public long getFilterRescheduledMsgCount() {
    return filters.rescheduled();
  }
}
