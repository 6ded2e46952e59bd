/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.BrokerServiceException.ConsumerBusyException;
import org.apache.pulsar.broker.service.BrokerServiceException.NotAllowedException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionBusyException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.BrokerServiceException.TopicFencedException;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.Subscription;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.util.FutureUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A persistent topic that can also carry Broadcast subscriptions. Called by the broker, from any
 * thread.
 *
 * <p>A Broadcast subscribe takes the broker's own path, with all its checks, as an Exclusive one:
 * the broker opens the cursor, makes a consumer object and adds it to the subscription. Here the
 * subscription is exchanged for a {@link BroadcastSubscription} on the way (a plain one that nobody
 * uses becomes Broadcast from its position), and the consumer object for a {@link
 * BroadcastConsumer} at the end. Everything that is not Broadcast is left to the broker.
 */
final class BroadcastTopic extends MeteredTopic {

  private static final Logger log = LoggerFactory.getLogger(BroadcastTopic.class);

  /** Storing positions must not keep a topic from being closed when storage does not answer. */
  private static final int STORE_TIMEOUT_SECONDS = 5;

  /** The superclass's {@code close(boolean, boolean)}, from 3.2 on. */
  private static final MethodHandle SUPER_CLOSE =
      BrokerLine.superClose(MethodHandles.lookup(), BroadcastTopic.class);

  /** Time enough to come back over the same connection after an unload or a seek. */
  private static final String NAMELESS_TIME_TO_LIVE_SECONDS = "60";

  private final BroadcastConfig config;
  private final PositionsLogs logs = new PositionsLogs(this);

  /** Names of subscriptions that a Broadcast subscribe under way is making. */
  private final Set<String> newSubscriptions = ConcurrentHashMap.newKeySet();

  /** Subscriptions whose positions are stored in a format that is not known. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  private final Map<String, CompletableFuture<BroadcastSubscription>> beingMade =
      new ConcurrentHashMap<>();

  private final PlainSubscribe.UnderWay plainSubscribes = new PlainSubscribe.UnderWay();

  BroadcastTopic(
      String topic,
      ManagedLedger ledger,
      BrokerService broker,
      BroadcastConfig config,
      BroadcastMetrics metrics) {
    super(topic, ledger, broker, metrics);
    this.config = config;
  }

  /**
   * Loads the positions of Broadcast subscriptions with the topic. While they cannot be read it
   * fails to load, as it does while a cursor cannot be recovered, and clients try again.
   */
  @Override
  public CompletableFuture<Void> initialize() {
    return super.initialize().thenCompose(initialized -> loadBroadcastSubscriptions());
  }

  private CompletableFuture<Void> loadBroadcastSubscriptions() {
    List<CompletableFuture<BroadcastSubscription>> loaded = new ArrayList<>();
    getSubscriptions()
        .forEach(
            (name, subscription) -> {
              if (PositionsLogs.isBroadcast(subscription.getCursor())) {
                loaded.add(
                    makeBroadcast(subscription).exceptionallyCompose(e -> unlessRefused(name, e)));
              }
            });
    return FutureUtil.waitForAll(loaded);
  }

  /** A format that is not known concerns those who subscribe, not the whole topic. */
  private CompletableFuture<BroadcastSubscription> unlessRefused(String name, Throwable failure) {
    Throwable cause = FutureUtil.unwrapCompletionException(failure);
    if (cause instanceof NotAllowedException) {
      refused.add(name);
      log.error("[{}] A Broadcast subscription cannot be used: {}", getName(), cause.getMessage());
      return CompletableFuture.completedFuture(null);
    }
    return CompletableFuture.failedFuture(cause);
  }

  /**
   * Stores positions before the broker closes the topic. It may be told not to wait for its
   * subscriptions, and then closes the topic's ledger, and lets the next owner in, at once.
   */
  @Override
  public CompletableFuture<Void> close(boolean closeWithoutWaitingClientDisconnect) {
    return positionsStored()
        .thenCompose(stored -> super.close(closeWithoutWaitingClientDisconnect));
  }

  /** From 3.2 on; not an override in 3.0. */
  public CompletableFuture<Void> close(
      boolean disconnectClients, boolean closeWithoutWaitingClientDisconnect) {
    return positionsStored()
        .thenCompose(
            stored ->
                BrokerLine.superClose(
                    SUPER_CLOSE, this, disconnectClients, closeWithoutWaitingClientDisconnect));
  }

  private CompletableFuture<Void> positionsStored() {
    List<CompletableFuture<Void>> stored = new ArrayList<>();
    getSubscriptions()
        .forEach(
            (name, subscription) -> {
              if (subscription instanceof BroadcastSubscription broadcast) {
                stored.add(broadcast.lifecycle().storePositions());
              }
            });
    if (stored.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return FutureUtil.waitForAll(stored)
        .completeOnTimeout(null, STORE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .exceptionally(
            e -> {
              log.debug("[{}] Positions are not stored before closing", getName(), e);
              return null;
            });
  }

  @Override
  public CompletableFuture<Consumer> subscribe(SubscriptionOption option) {
    if (option.getSubscriptionProperties().orElse(Map.of()).containsKey(DeclaredLog.PROPERTY)) {
      return CompletableFuture.failedFuture(
          new NotAllowedException(
              "The subscription property " + DeclaredLog.PROPERTY + " is the broker's own"));
    }
    PersistentSubscription existing = getSubscription(option.getSubscriptionName());
    Map<String, String> declared =
        existing != null
            ? existing.getSubscriptionProperties()
            : option.getSubscriptionProperties().orElse(Map.of());
    boolean broadcast;
    try {
      broadcast =
          BroadcastContract.isBroadcast(
              properties(option.getMetadata()), declared, option.getSubType());
      if (broadcast) {
        BroadcastContract.checkNames(option.getSubscriptionName(), option.getConsumerName());
      }
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(new NotAllowedException(e.getMessage()));
    }
    if (broadcast) {
      return subscribeBroadcast(option);
    }
    if (refused.contains(option.getSubscriptionName())) {
      return busy(
          "Subscription "
              + option.getSubscriptionName()
              + " is a Broadcast subscription whose positions this version of pulsar-broadcast cannot read");
    }
    if (existing instanceof BroadcastSubscription unused) {
      return subscribePlain(option, unused);
    }
    return super.subscribe(option);
  }

  /**
   * Subscribes a plain consumer to a Broadcast subscription that has no positions any more, which
   * becomes plain when the broker has accepted the subscribe.
   */
  private CompletableFuture<Consumer> subscribePlain(
      SubscriptionOption option, BroadcastSubscription unused) {
    ConsumerBusyException refusal = PlainSubscribe.refusal(unused);
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    if (option.getStartMessageRollbackDurationSec() > 0) {
      // The broker would move the subscription before it has accepted the subscribe.
      return CompletableFuture.failedFuture(
          new NotAllowedException(
              "Subscription "
                  + unused.getName()
                  + " is a Broadcast subscription, which does not become plain with a subscribe that has a"
                  + " rollback duration; subscribe without it"));
    }
    PlainSubscribe subscribe = plainSubscribes.begin(option);
    return super.subscribe(option)
        .whenComplete(
            (standIn, e) -> {
              plainSubscribes.end(subscribe);
              if (e != null) {
                subscribe.giveUp(this);
              }
            })
        .thenApply(
            standIn -> {
              // The broker has looked at the subscription that was.
              checkBackloggedCursors();
              return subscribe.consumerFor(standIn);
            });
  }

  private CompletableFuture<Consumer> subscribeBroadcast(SubscriptionOption asked) {
    if (asked.isReadCompacted()) {
      return CompletableFuture.failedFuture(
          new NotAllowedException(
              "readCompacted is not supported on a Broadcast subscription; read without it"));
    }
    if (!(asked.getCnx() instanceof BroadcastServerCnx connection)) {
      return CompletableFuture.failedFuture(
          new NotAllowedException(
              "Broadcast subscriptions need a connection made by the pulsar-broadcast plugin"));
    }
    SubscriptionOption option = named(asked, connection);
    String name = option.getSubscriptionName();
    if (getSubscription(name) == null) {
      newSubscriptions.add(name);
    }
    return super.subscribe(asExclusive(option))
        .whenComplete((standIn, e) -> newSubscriptions.remove(name))
        .thenCompose(
            standIn -> {
              BroadcastSubscription subscription =
                  broadcastSubscription(option.getSubscriptionName());
              if (subscription == null) {
                decrementUsageCount();
                return CompletableFuture.failedFuture(
                    new SubscriptionBusyException(
                        "Subscription "
                            + option.getSubscriptionName()
                            + " changed its type meanwhile, try again"));
              }
              return connection.answered(
                  subscription
                      .register(option, connection)
                      .thenApply(consumer -> (Consumer) consumer));
            });
  }

  /**
   * A consumer that sends no name gets one, which is its own for as long as it has its connection.
   */
  private static SubscriptionOption named(
      SubscriptionOption option, BroadcastServerCnx connection) {
    return option.getConsumerName() != null && !option.getConsumerName().isBlank()
        ? option
        : copy(option)
            .consumerName(connection.nameOf(option.getConsumerId()))
            .subType(option.getSubType())
            .isDurable(option.isDurable())
            .metadata(briefly(option.getMetadata()))
            .startMessageId(option.getStartMessageId())
            .startMessageRollbackDurationSec(option.getStartMessageRollbackDurationSec())
            .build();
  }

  /** The name does not come back after the connection: its position need not wait for longer. */
  private static Map<String, String> briefly(Map<String, String> metadata) {
    Map<String, String> brief = new HashMap<>(properties(metadata));
    brief.putIfAbsent(BroadcastContract.TTL_PROPERTY, NAMELESS_TIME_TO_LIVE_SECONDS);
    return brief;
  }

  /**
   * What the broker's own path is asked for: durable, because the one cursor is, and Exclusive,
   * which is the type that the subscription shows it.
   */
  private static SubscriptionOption asExclusive(SubscriptionOption option) {
    return copy(option)
        .subType(SubType.Exclusive)
        .isDurable(true)
        .metadata(Map.of(BroadcastContract.TYPE_PROPERTY, BroadcastContract.BROADCAST))
        .build();
  }

  /** What all copies of a subscribe have; its state is not replicated. */
  private static SubscriptionOption.SubscriptionOptionBuilder copy(SubscriptionOption option) {
    return SubscriptionOption.builder()
        .cnx(option.getCnx())
        .subscriptionName(option.getSubscriptionName())
        .consumerId(option.getConsumerId())
        .priorityLevel(option.getPriorityLevel())
        .consumerName(option.getConsumerName())
        .initialPosition(option.getInitialPosition())
        .keySharedMeta(option.getKeySharedMeta())
        .subscriptionProperties(option.getSubscriptionProperties())
        .consumerEpoch(option.getConsumerEpoch())
        .schemaType(option.getSchemaType());
  }

  @Override
  protected CompletableFuture<Void> addConsumerToSubscription(
      Subscription subscription, Consumer consumer) {
    boolean broadcast = consumer.getMetadata().containsKey(BroadcastContract.TYPE_PROPERTY);
    if (!broadcast) {
      if (subscription instanceof BroadcastSubscription unused) {
        PlainSubscribe subscribe = plainSubscribes.of(consumer);
        return subscribe == null
            ? busy("Subscription " + unused.getName() + " changed its type meanwhile, try again")
            : makePlain(unused, subscribe);
      }
      return super.addConsumerToSubscription(subscription, consumer);
    }
    return makeBroadcast((PersistentSubscription) subscription)
        .thenCompose(made -> super.addConsumerToSubscription(made, consumer));
  }

  /** Exchanges a plain subscription that nobody uses for a Broadcast one at its position. */
  private CompletableFuture<BroadcastSubscription> makeBroadcast(PersistentSubscription plain) {
    String name = plain.getName();
    BroadcastSubscription already = broadcastSubscription(name);
    if (already != null) {
      return CompletableFuture.completedFuture(already);
    }
    CompletableFuture<BroadcastSubscription> making = new CompletableFuture<>();
    CompletableFuture<BroadcastSubscription> underWay = beingMade.putIfAbsent(name, making);
    if (underWay != null) {
      return underWay;
    }
    exchange(plain)
        .whenComplete(
            (made, e) -> {
              beingMade.remove(name);
              if (e == null) {
                making.complete(made);
              } else {
                making.completeExceptionally(FutureUtil.unwrapCompletionException(e));
              }
            });
    return making;
  }

  private CompletableFuture<BroadcastSubscription> exchange(PersistentSubscription plain) {
    String name = plain.getName();
    if (getSubscription(name) != plain || isCompactionSubscription(name)) {
      return busy("Subscription " + name + " is busy, try again");
    }
    if (!plain.getConsumers().isEmpty()) {
      return busy(
          "Subscription "
              + name
              + " is of type "
              + plain.getTypeString()
              + " and in use; it can become Broadcast when its consumers are gone");
    }
    // A plain consumer that comes now finds the subscription fenced and tries again.
    return BrokerLine.close(plain)
        .thenCompose(closed -> readingEnded(plain))
        .thenCompose(ended -> logs.pastOf(name, plain.getCursor(), newSubscriptions.contains(name)))
        .thenCompose(past -> exchange(plain, past))
        .whenComplete(
            (made, e) -> {
              if (e != null) {
                plain.resumeAfterFence();
              }
            });
  }

  private CompletableFuture<BroadcastSubscription> exchange(
      PersistentSubscription plain, SubscriptionPast past) {
    String name = plain.getName();
    BroadcastSubscription made = null;
    // Closing the topic fences it under the write lock, and then closes the subscriptions there
    // are: one that comes later would be nobody's, and its consumers would wait for ever.
    lock.readLock().lock();
    try {
      if (getSubscription(name) != plain) {
        // It has been deleted meanwhile, and its cursor with it.
        made = null;
      } else if (!isFenced) {
        made = BroadcastSubscription.create(this, plain, config, past);
        getSubscriptions().put(name, made);
      } else {
        // It is closed; whoever subscribes to a topic that goes on after all makes it anew.
        getSubscriptions().remove(name, plain);
      }
    } finally {
      lock.readLock().unlock();
    }
    if (made != null) {
      log.info("[{}][{}] Subscription is Broadcast now, {}", getName(), name, past);
      return CompletableFuture.completedFuture(made);
    }
    return past.ledger()
        .close()
        .handle((done, e) -> null)
        .thenCompose(
            done ->
                CompletableFuture.failedFuture(
                    new TopicFencedException("Topic is temporarily unavailable")));
  }

  /**
   * Exchanges a Broadcast subscription that has no positions for a plain one with a first consumer.
   * What refuses the consumer leaves the subscription as it was.
   */
  private CompletableFuture<Void> makePlain(
      BroadcastSubscription unused, PlainSubscribe subscribe) {
    // Whoever registers a position from now on is refused; who has registered one is counted.
    if (!unused.lifecycle().fence()) {
      return CompletableFuture.failedFuture(
          new SubscriptionFencedException(
              "Subscription " + unused.getName() + " is being closed, try again"));
    }
    ConsumerBusyException refusal = PlainSubscribe.refusal(unused);
    if (refusal != null) {
      unused.lifecycle().unfence();
      return CompletableFuture.failedFuture(refusal);
    }
    ManagedCursor cursor = unused.getCursor();
    DeclaredLog declared = DeclaredLog.of(cursor);
    return BrokerLine.close(unused)
        .thenCompose(closed -> readingEnded(unused))
        // Without the mark and declared it is Broadcast without positions; the reverse would be
        // lost.
        .thenCompose(ended -> PositionPublisher.unmark(cursor))
        .thenCompose(unmarked -> DeclaredLog.revoke(cursor))
        .thenCompose(revoked -> exchange(unused, subscribe))
        .handle(
            (exchanged, e) ->
                e == null
                    ? logs.delete(unused.getName(), declared)
                    : declared
                        .declare(cursor)
                        .handle((again, notAgain) -> resumed(unused, e))
                        .thenCompose(failed -> failed))
        .thenCompose(done -> done);
  }

  /** A subscription goes on as it was; a topic that is being closed resumes its own if need be. */
  private CompletableFuture<Void> resumed(BroadcastSubscription kept, Throwable failure) {
    if (!isFenced) {
      kept.resumeAfterFence();
    }
    return CompletableFuture.failedFuture(failure);
  }

  private CompletableFuture<Void> exchange(BroadcastSubscription unused, PlainSubscribe subscribe) {
    PersistentSubscription plain = subscribe.newSubscription(this, unused);
    return super.addConsumerToSubscription(plain, subscribe.newConsumer(plain))
        .thenCompose(
            added -> {
              if (!replaced(unused, plain)) {
                return CompletableFuture.failedFuture(
                    new TopicFencedException("Topic is temporarily unavailable"));
              }
              log.info("[{}][{}] Subscription is plain now", getName(), plain.getName());
              return CompletableFuture.<Void>completedFuture(null);
            })
        .whenComplete(
            (exchanged, e) -> {
              if (e != null) {
                subscribe.giveUp(this);
                BrokerLine.close(plain);
              }
            });
  }

  private CompletableFuture<Void> readingEnded(PersistentSubscription closed) {
    return CursorReads.end(closed.getCursor(), getBrokerService().getPulsar().getExecutor());
  }

  /** Puts a subscription in the place of another, unless the topic is being closed. */
  private boolean replaced(PersistentSubscription old, PersistentSubscription made) {
    // Closing the topic fences it under the write lock, and then closes the subscriptions there
    // are: one that comes later would be nobody's, and its consumers would wait for ever.
    lock.readLock().lock();
    try {
      if (isFenced || getSubscription(old.getName()) != old) {
        return false;
      }
      getSubscriptions().put(old.getName(), made);
      return true;
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Deletes a subscription, and its positions with it. */
  @Override
  public CompletableFuture<Void> unsubscribe(String subscriptionName) {
    refused.remove(subscriptionName);
    PersistentSubscription subscription = getSubscription(subscriptionName);
    DeclaredLog declared = subscription == null ? null : DeclaredLog.of(subscription.getCursor());
    if (declared == null) {
      return super.unsubscribe(subscriptionName);
    }
    return super.unsubscribe(subscriptionName)
        .thenCompose(
            unsubscribed ->
                subscription instanceof BroadcastSubscription broadcast
                    ? broadcast.lifecycle().discardLog()
                    : CompletableFuture.completedFuture(null))
        .thenCompose(discarded -> logs.delete(subscriptionName, declared));
  }

  private static <T> CompletableFuture<T> busy(String message) {
    return CompletableFuture.failedFuture(new SubscriptionBusyException(message));
  }

  private BroadcastSubscription broadcastSubscription(String name) {
    return getSubscription(name) instanceof BroadcastSubscription broadcast ? broadcast : null;
  }

  private static Map<String, String> properties(Map<String, String> metadata) {
    return Optional.ofNullable(metadata).orElse(Map.of());
  }
}
