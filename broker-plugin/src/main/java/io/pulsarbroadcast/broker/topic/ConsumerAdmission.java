/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.TooManyPositionsException;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.ConsumerBusyException;
import org.apache.pulsar.broker.service.BrokerServiceException.PersistenceException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.common.util.FutureUtil;

/**
 * Connects consumers to one Broadcast subscription whose subscribe the broker has accepted. May be
 * called from any thread.
 */
final class ConsumerAdmission {

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final BroadcastSubscription subscription;
  private final SubscriptionParts parts;
  private final ConsumerDirectory<BroadcastConsumer> consumers;
  private final SharedChecks<BroadcastServerCnx> namesakes =
      new SharedChecks<>(this::closeDeadNamesakes);

  ConsumerAdmission(
      BroadcastSubscription subscription,
      SubscriptionParts parts,
      ConsumerDirectory<BroadcastConsumer> consumers) {
    this.subscription = subscription;
    this.parts = parts;
    this.consumers = consumers;
  }

  /**
   * Connects a consumer.
   *
   * <p>A consumer that is connected already under the same name may be a stranger with the same
   * generated name, or the same consumer whose old connection has not been noticed to be dead. So
   * the old connection is asked for a sign of life, as the broker does for Exclusive consumers; a
   * dead one leaves its position to the new consumer.
   */
  CompletableFuture<BroadcastConsumer> admit(
      SubscriptionOption option, BroadcastServerCnx connection) {
    return deadRemoved(option.getConsumerName(), connection)
        .handle((done, e) -> position(option, connection))
        .thenCompose(position -> position)
        .thenApply(position -> connect(option, connection, position))
        .thenCompose(
            consumer ->
                stored(consumer.position())
                    .handle((done, e) -> failure(consumer, e))
                    .thenCompose(
                        failure -> failure == null ? served(consumer) : giveUp(consumer, failure)));
  }

  /** Completed on the event loop of the connection, unless it has no namesakes on others. */
  private CompletableFuture<Void> deadRemoved(String name, BroadcastServerCnx connection) {
    return consumers.anyNamed(name, namesake -> namesake.connection() != connection)
        ? namesakes.ask(name, connection).thenRunAsync(() -> {}, connection.ctx().executor())
        : DONE;
  }

  /**
   * Asks each connection once, however many consumers of that name it has; not the one that
   * subscribes, unless others do too: it may have died since.
   */
  private CompletableFuture<Void> closeDeadNamesakes(
      String name, Set<BroadcastServerCnx> subscribing) {
    Map<BroadcastServerCnx, List<BroadcastConsumer>> byConnection =
        consumers.named(name).stream()
            .filter(each -> subscribing.size() > 1 || !subscribing.contains(each.connection()))
            .collect(Collectors.groupingBy(BroadcastConsumer::connection));
    return FutureUtil.waitForAll(
        byConnection.entrySet().stream()
            .map(each -> closeIfDead(each.getKey(), each.getValue()))
            .toList());
  }

  private static CompletableFuture<Void> closeIfDead(
      BroadcastServerCnx connection, List<BroadcastConsumer> itsConsumers) {
    return BrokerLine.isAlive(connection)
        .thenAccept(
            alive -> {
              if (!alive) {
                itsConsumers.forEach(BroadcastConsumer::close);
              }
            });
  }

  private CompletableFuture<VirtualCursor> position(
      SubscriptionOption option, BroadcastServerCnx connection) {
    // Counted before it is there, so that two who come at once do not both take the last place.
    BrokerServiceException refusal = tooMany(consumers.reserve());
    if (subscription.lifecycle().isFenced()) {
      // Whoever fences it looks for those counted before: from now on nobody registers.
      refusal = fenced();
    }
    CompletableFuture<VirtualCursor> position =
        refusal == null
            // What it throws is undone as what it answers is.
            ? DONE.thenCompose(
                    reserved ->
                        option.isDurable()
                            ? parts.takeover().arrive(option.getConsumerName())
                            : DONE)
                .thenCompose(
                    arrived ->
                        parts
                            .startPositions()
                            .register(
                                option,
                                timeToLiveSeconds(option),
                                () -> connection.sought().take(option.getConsumerId())))
            : CompletableFuture.failedFuture(refusal);
    return position
        .exceptionallyCompose(e -> CompletableFuture.failedFuture(refusal(e)))
        .whenComplete(
            (registered, e) -> {
              if (e != null) {
                consumers.release();
                subscription.refused();
              }
            });
  }

  private Throwable refusal(Throwable failure) {
    if (!(FutureUtil.unwrapCompletionException(failure) instanceof TooManyPositionsException e)) {
      return toldClient(failure);
    }
    String reason =
        "Subscription %s has as many positions, of connected and absent consumers, as %s=%d allows; unsubscribe consumers that do not return, or shorten their time to live"
            .formatted(subscription.getName(), BroadcastConfig.MAX_POSITIONS, e.limit());
    parts.metrics().subscribeRefused();
    ((BroadcastTopic) subscription.getTopic()).refusals().refused(reason);
    return new ConsumerBusyException(reason);
  }

  /** What the broker tells the client, who tries again when storage has failed. */
  static Throwable toldClient(Throwable failure) {
    Throwable cause = FutureUtil.unwrapCompletionException(failure);
    return cause instanceof ManagedLedgerException ? new PersistenceException(cause) : cause;
  }

  /** Why so many consumers are too many, or null: the policies of topic, namespace, broker. */
  private ConsumerBusyException tooMany(int connected) {
    Integer limit =
        subscription.getTopic().getHierarchyTopicPolicies().getMaxConsumersPerSubscription().get();
    return limit == null || limit <= 0 || connected <= limit
        ? null
        : new ConsumerBusyException("Subscription reached max consumers limit");
  }

  private static long timeToLiveSeconds(SubscriptionOption option) {
    return option.isDurable()
        ? BroadcastContract.timeToLiveSeconds(option.getMetadata())
        : CursorRegistry.EPHEMERAL;
  }

  private BroadcastConsumer connect(
      SubscriptionOption option, BroadcastServerCnx connection, VirtualCursor position) {
    auditAddress(position, connection);
    BroadcastConsumer consumer = new BroadcastConsumer(subscription, option, connection, position);
    consumers.add(consumer);
    subscription.getCursor().setActive();
    connection.add(subscription, consumer);
    // Also that it has been seen is to be stored.
    parts.markDelete().positionMoved();
    parts.takeover().came(position);
    return consumer;
  }

  /** Says so when a position is taken that a consumer at another address had left. */
  private void auditAddress(VirtualCursor position, BroadcastServerCnx connection) {
    byte[] now = connection.address();
    byte[] before = position.connectedFrom(now);
    if (before != null && !Arrays.equals(before, now)) {
      parts
          .audit()
          .taken(
              position.name(),
              new String(before, US_ASCII),
              new String(now, US_ASCII),
              roleOf(connection));
    }
  }

  /** Whom the broker takes a client for, and behind a proxy whom that passes on. */
  private static String roleOf(BroadcastServerCnx connection) {
    String role = connection.getAuthRole();
    String client = connection.getPrincipal();
    return role == null || client == null || client.equals(role) ? role : role + " for " + client;
  }

  /** Completed when a crash of the broker would not forget the consumer any more (I1). */
  private CompletableFuture<Void> stored(VirtualCursor position) {
    return parts.cursors().isNameStored(position) ? DONE : parts.markDelete().flushNewNames();
  }

  private BrokerServiceException failure(BroadcastConsumer consumer, Throwable notStored) {
    if (subscription.lifecycle().isFenced() || consumer.isClosed()) {
      // A client that learns that it is closed, and then that it has subscribed, waits for ever.
      return fenced();
    }
    return notStored == null
        ? null
        : new PersistenceException(
            new IOException(
                "Could not store the consumer's position: " + notStored.getMessage(), notStored));
  }

  private CompletableFuture<BroadcastConsumer> served(BroadcastConsumer consumer) {
    if (consumer.position().isDurable()) {
      parts.startPositions().served();
    }
    return CompletableFuture.completedFuture(consumer);
  }

  private static SubscriptionFencedException fenced() {
    return new SubscriptionFencedException("Subscription is being closed or moved, try again");
  }

  private CompletableFuture<BroadcastConsumer> giveUp(
      BroadcastConsumer consumer, BrokerServiceException failure) {
    subscription.removeConsumer(consumer, false);
    return CompletableFuture.failedFuture(failure);
  }
}
