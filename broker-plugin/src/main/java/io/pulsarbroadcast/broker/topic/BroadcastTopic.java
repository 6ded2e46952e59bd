/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.compat.CursorState;
import io.pulsarbroadcast.broker.compat.Line;
import io.pulsarbroadcast.broker.ledger.DeclaredLog;
import io.pulsarbroadcast.broker.ledger.EphemeralCursor;
import io.pulsarbroadcast.broker.ledger.PositionsLogs;
import io.pulsarbroadcast.broker.ledger.ShadowLedgers;
import io.pulsarbroadcast.broker.ledger.SourceHold;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.stats.BroadcastStats;
import io.pulsarbroadcast.broker.stats.RefusalReport;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.ConsumerBusyException;
import org.apache.pulsar.broker.service.BrokerServiceException.NotAllowedException;
import org.apache.pulsar.broker.service.BrokerServiceException.ServiceUnitNotReadyException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionBusyException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.BrokerServiceException.TopicBusyException;
import org.apache.pulsar.broker.service.Consumer;
import org.apache.pulsar.broker.service.Subscription;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.policies.data.Policies;
import org.apache.pulsar.common.util.FutureUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A persistent topic that can also carry Broadcast subscriptions. Called by the broker, from any
 * thread.
 *
 * <p>A Broadcast subscribe takes the broker's own path, with all its checks, as an Exclusive one:
 * the broker opens the cursor, makes a consumer object and adds it to the subscription. Here the
 * subscription is exchanged for a {@link BroadcastSubscription} on the way ({@link TypeExchange}),
 * and the consumer object for a {@link BroadcastConsumer} at the end. Everything that is not
 * Broadcast is left to the broker.
 */
final class BroadcastTopic extends MeteredTopic {

  private static final Logger log = LoggerFactory.getLogger(BroadcastTopic.class);

  /** A change of type must not keep a topic from being closed when storage does not answer. */
  private static final int CHANGE_TIMEOUT_SECONDS = 5;

  /** When a topic is looked at again that is just being deleted. */
  private static final int FENCED_SECONDS = 1;

  /** The superclass's {@code close(boolean, boolean)}, from 3.2 on. */
  private static final MethodHandle SUPER_CLOSE =
      BrokerLine.superClose(MethodHandles.lookup(), BroadcastTopic.class);

  private final TimeToLivePolicy timeToLive;
  private final RefusalReport refusals;
  private final NewNameLimit newNames;
  private final PositionsLogs logs = new PositionsLogs(this);
  private final SubscribesUnderWay subscribes = new SubscribesUnderWay();
  private final TypeExchange types;
  private final SourceHold sourceHold;
  private final ShadowLedgers shadows;

  /** Subscriptions whose positions are stored in a format that is not known. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  /** Subscriptions of refused subscribes that are being deleted. */
  private final Set<String> takenAway = ConcurrentHashMap.newKeySet();

  /** How often the broker began to close the topic, less how often it could not. */
  private final AtomicInteger closings = new AtomicInteger();

  private final PlainSubscribe.UnderWay plainSubscribes = new PlainSubscribe.UnderWay();

  BroadcastTopic(
      String topic,
      ManagedLedger ledger,
      BrokerService broker,
      BroadcastConfig config,
      BroadcastMetrics metrics,
      ShadowLedgers shadows) {
    super(topic, ledger, broker, metrics);
    this.timeToLive = TimeToLivePolicy.of(this, config.cursorTimeToLiveSeconds());
    this.refusals = new RefusalReport(topic, broker.getPulsar().getExecutor());
    this.newNames = new NewNameLimit(config.maxNewNamesPerConnectionPerMinute(), refusals);
    this.types = new TypeExchange(this, config, logs, subscribes);
    this.sourceHold = SourceHold.of(this, this::isClosing);
    this.shadows = shadows;
  }

  /**
   * Loads the positions of Broadcast subscriptions with the topic. While they cannot be read it
   * fails to load, as it does while a cursor cannot be recovered, and clients try again.
   */
  @Override
  public CompletableFuture<Void> initialize() {
    return super.initialize()
        .thenCompose(initialized -> loadBroadcastSubscriptions())
        .thenRun(() -> shadows.add(this, sourceHold));
  }

  private CompletableFuture<Void> loadBroadcastSubscriptions() {
    List<CompletableFuture<BroadcastSubscription>> loaded = new ArrayList<>();
    BROKER.forEachSubscription(
        this,
        (name, subscription) -> {
          if (PositionsLogs.isBroadcast(subscription.getCursor())) {
            loaded.add(
                types.toBroadcast(subscription).exceptionallyCompose(e -> unlessRefused(name, e)));
          }
        });
    return FutureUtil.waitForAll(loaded).thenRun(sourceHold::loaded);
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
    return closing(() -> super.close(closeWithoutWaitingClientDisconnect));
  }

  @Line(from = "3.2")
  public CompletableFuture<Void> close(
      boolean disconnectClients, boolean closeWithoutWaitingClientDisconnect) {
    return closing(
        () ->
            BrokerLine.superClose(
                SUPER_CLOSE, this, disconnectClients, closeWithoutWaitingClientDisconnect));
  }

  @Override
  public CompletableFuture<Void> delete() {
    return isShadow() ? deleteShadow(false) : super.delete();
  }

  @Override
  public CompletableFuture<Void> deleteForcefully() {
    return isShadow() ? deleteShadow(true) : super.deleteForcefully();
  }

  /**
   * Deletes it if it has not been used for some time; a shadow topic's ledgers are its source's.
   */
  @Override
  public void checkGC() {
    if (!isShadow()) {
      super.checkGC();
    }
  }

  @Override
  public CompletableFuture<Void> truncate() {
    return isShadow()
        ? CompletableFuture.failedFuture(
            new NotAllowedException(
                "Truncating the shadow topic %s would delete messages of %s; truncate that"
                    .formatted(getName(), getShadowSourceTopic().get())))
        : super.truncate();
  }

  private boolean isShadow() {
    return getShadowSourceTopic().isPresent();
  }

  /**
   * Deletes a shadow topic without the ledgers of its source, which the broker would delete with
   * it: when the metadata store does not list them any more.
   */
  private CompletableFuture<Void> deleteShadow(boolean inUseToo) {
    if (!inUseToo && (!getProducers().isEmpty() || currentUsageCount() > 0)) {
      return CompletableFuture.failedFuture(
          new TopicBusyException("Topic " + getName() + " has connected producers or consumers"));
    }
    List<CompletableFuture<Void>> deleted = new ArrayList<>();
    BROKER.forEachSubscription(
        this, (name, subscription) -> deleted.add(subscription.deleteForcefully()));
    return FutureUtil.waitForAll(deleted)
        .thenCompose(all -> close(true))
        .thenCompose(closed -> sourceHold.forgetLedgers())
        .thenCompose(forgotten -> brokerService.deleteTopic(getName(), inUseToo));
  }

  /** Whether the broker closes the topic, or has closed it. */
  boolean isClosing() {
    return closings.get() > 0;
  }

  private CompletableFuture<Void> closing(Supplier<CompletableFuture<Void>> close) {
    closings.incrementAndGet();
    shadows.remove(this);
    return types
        .ended()
        .completeOnTimeout(null, CHANGE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .thenCompose(ended -> positionsStored())
        .thenCompose(stored -> close.get())
        .whenComplete(
            (closed, e) -> {
              if (e == null) {
                sourceHold.close();
              } else {
                shadows.add(this, sourceHold);
                closings.decrementAndGet();
              }
            });
  }

  private CompletableFuture<Void> positionsStored() {
    List<CompletableFuture<Void>> stored = new ArrayList<>();
    BROKER.forEachSubscription(
        this,
        (name, subscription) -> {
          if (subscription instanceof BroadcastSubscription broadcast) {
            stored.add(broadcast.lifecycle().storePositions());
          }
        });
    if (stored.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return FutureUtil.waitForAll(stored)
        .exceptionally(
            e -> {
              log.debug("[{}] Positions are not stored before closing", getName(), e);
              return null;
            });
  }

  @Override
  public CompletableFuture<Consumer> subscribe(SubscriptionOption option) {
    for (String property : List.of(DeclaredLog.PROPERTY, EphemeralCursor.PROPERTY)) {
      if (option.getSubscriptionProperties().orElse(Map.of()).containsKey(property)) {
        return CompletableFuture.failedFuture(
            new NotAllowedException(
                "The subscription property " + property + " is the broker's own"));
      }
    }
    PersistentSubscription existing = getSubscription(option.getSubscriptionName());
    Map<String, String> declared =
        existing != null
            ? existing.getSubscriptionProperties()
            : option.getSubscriptionProperties().orElse(Map.of());
    if (BroadcastContract.namesType(SubscribeOptions.properties(option))) {
      // Its connection has checked the contract.
      return subscribeBroadcast(option);
    }
    if (BroadcastContract.isDeclared(declared)) {
      return subscribeDeclared(option);
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
    BrokerServiceException refusal = unused.refusalToBecomePlain();
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

  /** Subscribes a consumer that perhaps does not know that the subscription is Broadcast. */
  private CompletableFuture<Consumer> subscribeDeclared(SubscriptionOption option) {
    try {
      BroadcastContract.check(
          SubscribeOptions.properties(option),
          option.getSubType(),
          option.getSubscriptionName(),
          option.getConsumerName());
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(new NotAllowedException(e.getMessage()));
    }
    return subscribeBroadcast(option);
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
    String shadowRefusal = sourceHold.refusal();
    if (shadowRefusal != null) {
      return CompletableFuture.failedFuture(new NotAllowedException(shadowRefusal));
    }
    SubscriptionOption option = SubscribeOptions.named(asked, connection::nameOf);
    String name = option.getSubscriptionName();
    if (isCompactionSubscription(name)) {
      return busy("Subscription " + name + " is the broker's own");
    }
    ServiceUnitNotReadyException refusal =
        newNames.refusal(option, partsOf(name), connection.newNames());
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    boolean isNew = getSubscription(name) == null;
    subscribes.begin(name, isNew);
    return super.subscribe(SubscribeOptions.asExclusive(option, isNew))
        .whenComplete(
            (standIn, e) -> {
              if (isNew) {
                subscribes.madeNew(name);
              }
            })
        .thenCompose(
            standIn -> {
              if (!(getSubscription(name) instanceof BroadcastSubscription subscription)) {
                decrementUsageCount();
                return changedItsType(name);
              }
              return connection
                  .answered(subscription.register(option, connection))
                  .<Consumer>thenApply(BroadcastConsumer::answered);
            })
        .whenComplete((consumer, e) -> subscribes.end(name))
        .exceptionallyCompose(
            e ->
                takenAwayIfUnused(name)
                    .thenCompose(done -> CompletableFuture.<Consumer>failedFuture(e)));
  }

  /** What keeps messages at the source, if this is a shadow topic. */
  SourceHold sourceHold() {
    return sourceHold;
  }

  /** What a Broadcast subscription consists of; null: it is none. */
  private SubscriptionParts partsOf(String name) {
    return getSubscription(name) instanceof BroadcastSubscription known ? known.parts() : null;
  }

  /** Who says which subscribes with new names were refused. */
  RefusalReport refusals() {
    return refusals;
  }

  /**
   * Takes away what the broker has made for a non-durable consumer that is refused after all: a
   * durable subscription, whose backlog nobody would ever acknowledge.
   */
  private CompletableFuture<Void> takenAwayIfUnused(String name) {
    PersistentSubscription left = getSubscription(name);
    if (left == null
        || left instanceof BroadcastSubscription
        || types.isKeptPlain(name)
        || !EphemeralCursor.isUnused(left.getCursor())
        || subscribes.isUnderWay(name)
        || isClosing()
        || !takenAway.add(name)) {
      return CompletableFuture.completedFuture(null);
    }
    // The next owner knows better what it is.
    return CursorState.owned(ledger)
        .thenCompose(owned -> left.delete())
        .exceptionally(
            e -> {
              loadAnew(left, isFenced);
              log.info(
                  "[{}][{}] Kept after a refused subscribe: {}", getName(), name, e.toString());
              return null;
            })
        .whenComplete((done, e) -> takenAway.remove(name));
  }

  /** How long positions may wait. */
  TimeToLivePolicy timeToLive() {
    return timeToLive;
  }

  /** The broker has read the namespace's policies, or they have changed. */
  @Override
  protected void updateTopicPolicyByNamespacePolicy(Policies policies) {
    super.updateTopicPolicyByNamespacePolicy(policies);
    timeToLive.namespaceHas(policies.properties);
  }

  /** Whether a Broadcast subscribe is under way, which may wait for the transaction buffer. */
  boolean isSubscribing(String subscription) {
    return subscribes.isUnderWay(subscription);
  }

  @Override
  protected CompletableFuture<Void> addConsumerToSubscription(
      Subscription subscription, Consumer consumer) {
    boolean broadcast = consumer.getMetadata().containsKey(BroadcastContract.TYPE_PROPERTY);
    if (!broadcast) {
      if (subscription instanceof BroadcastSubscription unused) {
        PlainSubscribe subscribe = plainSubscribes.of(consumer);
        return subscribe == null
            ? changedItsType(unused.getName())
            : types.toPlain(unused, subscribe);
      }
      // First: what is left of a refused subscribe is a plain subscription from now on.
      return EphemeralCursor.keep(((PersistentSubscription) subscription).getCursor())
          .thenCompose(kept -> super.addConsumerToSubscription(subscription, consumer));
    }
    ConsumerBusyException refusal =
        subscription instanceof BroadcastSubscription ? null : refusal(consumer);
    if (refusal != null) {
      // Before it changes the subscription; the broker looks again.
      return CompletableFuture.failedFuture(refusal);
    }
    return types
        .toBroadcast((PersistentSubscription) subscription)
        .thenCompose(made -> super.addConsumerToSubscription(made, consumer));
  }

  /** The broker's own way to add a consumer to a subscription, with its checks. */
  CompletableFuture<Void> addPlainConsumer(PersistentSubscription plain, Consumer consumer) {
    return super.addConsumerToSubscription(plain, consumer);
  }

  /** Why the broker will refuse a consumer of this topic, or null. */
  private ConsumerBusyException refusal(Consumer consumer) {
    if (isConsumersExceededOnTopic()) {
      return new ConsumerBusyException("Topic reached max consumers limit");
    }
    return isSameAddressConsumersExceededOnTopic(consumer)
        ? new ConsumerBusyException("Topic reached max same address consumers limit")
        : null;
  }

  /** Runs a short action that nobody's closing or deleting the topic comes between. */
  void unlessFenced(Runnable action) {
    unless(() -> isFenced, action);
  }

  /** The same also while the topic is fenced because of a failed write, after which it goes on. */
  void unlessClosing(Runnable action) {
    unless(() -> isFenced && isClosing(), action);
  }

  private void unless(BooleanSupplier exception, Runnable action) {
    lock.readLock().lock();
    try {
      if (!exception.getAsBoolean()) {
        action.run();
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Stores what users have set. The broker gives the subscription on an added partition the
   * properties that it shows for the first one: statistics and, when a broker without the plugin
   * shows them, what declares that one's log.
   */
  @Override
  public CompletableFuture<Subscription> createSubscription(
      String name, InitialPosition position, boolean replicated, Map<String, String> properties) {
    Map<String, String> ofUsers =
        properties == null ? null : DeclaredLog.ofUsers(BroadcastStats.withoutShown(properties));
    return types.keptPlain(
        name, () -> super.createSubscription(name, position, replicated, ofUsers));
  }

  /** Deletes a subscription, and its positions with it. */
  @Override
  public CompletableFuture<Void> unsubscribe(String subscriptionName) {
    PersistentSubscription subscription = getSubscription(subscriptionName);
    DeclaredLog declared = subscription == null ? null : DeclaredLog.of(subscription.getCursor());
    if (declared == null) {
      return unsubscribePlain(subscriptionName);
    }
    return logs.deleteAfter(
        subscriptionName,
        declared,
        () ->
            unsubscribePlain(subscriptionName)
                .whenComplete(
                    (deleted, e) -> {
                      if (e != null) {
                        loadAnew(subscription, isFenced);
                      }
                    })
                .thenCompose(
                    deleted ->
                        subscription instanceof BroadcastSubscription broadcast
                            ? broadcast.lifecycle().discardLog()
                            : CompletableFuture.<Void>completedFuture(null))
                .thenCompose(discarded -> sourceHold.endUnlessUsed()));
  }

  /**
   * Has the topic loaded again after a deletion that failed, when that has closed what is not to be
   * opened otherwise: the cursor, from 4.0 on, and of a topic that was to be deleted its
   * transaction buffer. While such a topic is still being deleted it is fenced, and looked at
   * later.
   *
   * @param withTopic whether the topic was to be deleted too
   */
  private void loadAnew(PersistentSubscription notDeleted, boolean withTopic) {
    PersistentSubscription now = getSubscription(notDeleted.getName());
    if (now == null || isClosing() || !(withTopic || now.getCursor().isClosed())) {
      return;
    }
    if (isFenced) {
      brokerService
          .getPulsar()
          .getExecutor()
          .schedule(() -> loadAnew(notDeleted, true), FENCED_SECONDS, TimeUnit.SECONDS);
      return;
    }
    log.warn(
        "[{}] Subscription {} could not be deleted: closing the topic, to load it again",
        getName(),
        notDeleted.getName());
    close(true);
  }

  private CompletableFuture<Void> unsubscribePlain(String subscription) {
    return super.unsubscribe(subscription).thenRun(() -> refused.remove(subscription));
  }

  /** Clients try again by themselves. */
  private static <T> CompletableFuture<T> changedItsType(String name) {
    return CompletableFuture.failedFuture(
        new SubscriptionFencedException(
            "Subscription " + name + " changed its type meanwhile, try again"));
  }

  private static <T> CompletableFuture<T> busy(String message) {
    return CompletableFuture.failedFuture(new SubscriptionBusyException(message));
  }
}
