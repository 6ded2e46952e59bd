/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.ledger.CursorReads;
import io.pulsarbroadcast.broker.ledger.DeclaredLog;
import io.pulsarbroadcast.broker.ledger.EphemeralCursor;
import io.pulsarbroadcast.broker.ledger.MarkDelete;
import io.pulsarbroadcast.broker.ledger.PlainAcks;
import io.pulsarbroadcast.broker.ledger.PositionsLogs;
import io.pulsarbroadcast.broker.ledger.SubscriptionPast;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionBusyException;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.BrokerServiceException.TopicFencedException;
import org.apache.pulsar.broker.service.Subscription;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.common.util.FutureUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchanges the subscriptions of one topic between the plain and the Broadcast type: another object
 * on the same cursor, at the same position. An exchange that does not succeed leaves a subscription
 * of the type that it was.
 *
 * <p>Called by {@link BroadcastTopic} only: {@link #toBroadcast} when the topic is loaded and when
 * a Broadcast consumer is added, {@link #toPlain} when a plain one is. Both may be called from any
 * thread, do not block, and go on where storage answers. There is one exchange of a subscription at
 * a time: those who want it Broadcast share one, and whoever wants it plain fences it first ({@link
 * SubscriptionLifecycle#fence}).
 *
 * <p>Closing the topic fences it under its write lock, and then closes the subscriptions that there
 * are. So subscriptions are put in place and resumed under the read lock ({@link
 * BroadcastTopic#unlessFenced}): one that comes later would be nobody's, and its consumers would
 * wait for ever.
 */
final class TypeExchange {

  private static final Logger log = LoggerFactory.getLogger(TypeExchange.class);
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** How long after a failure a log is declared again. */
  private static final int DECLARE_SECONDS = 1;

  private final BroadcastTopic topic;
  private final BroadcastConfig config;
  private final PositionsLogs logs;

  private final SubscribesUnderWay subscribes;

  private final Map<String, CompletableFuture<BroadcastSubscription>> toBroadcast =
      new ConcurrentHashMap<>();

  /** What operators are making, until the broker has reset it. */
  private final Multiset<String> keptPlain = ConcurrentHashMultiset.create();

  private final Set<CompletableFuture<Void>> underWay = ConcurrentHashMap.newKeySet();

  TypeExchange(
      BroadcastTopic topic,
      BroadcastConfig config,
      PositionsLogs logs,
      SubscribesUnderWay subscribes) {
    this.topic = topic;
    this.config = config;
    this.logs = logs;
    this.subscribes = subscribes;
  }

  /**
   * Completed when no exchange is under way. None begins while the topic is closing ({@link
   * BroadcastTopic#isClosing}): what it writes of a cursor would come between that and what closing
   * writes.
   */
  CompletableFuture<Void> ended() {
    return CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new));
  }

  private <T> CompletableFuture<T> exchange(Supplier<CompletableFuture<T>> steps) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    // Before it looks: whoever closes the topic says so first, and then waits for those here.
    underWay.add(end);
    CompletableFuture<T> result =
        topic.isClosing()
            ? CompletableFuture.failedFuture(topicFenced())
            : DONE.thenCompose(begun -> steps.get());
    return result.whenComplete(
        (done, e) -> {
          underWay.remove(end);
          end.complete(null);
        });
  }

  /**
   * Exchanges a plain subscription that nobody uses for a Broadcast one.
   *
   * @return the Broadcast one, if it is that already; fails with a SubscriptionBusyException while
   *     somebody uses it, and as {@link PositionsLogs#pastOf} does
   */
  CompletableFuture<BroadcastSubscription> toBroadcast(PersistentSubscription plain) {
    String name = plain.getName();
    if (topic.getSubscription(name) instanceof BroadcastSubscription already) {
      return CompletableFuture.completedFuture(already);
    }
    CompletableFuture<BroadcastSubscription> making = new CompletableFuture<>();
    CompletableFuture<BroadcastSubscription> underWay = toBroadcast.putIfAbsent(name, making);
    if (underWay != null) {
      return underWay;
    }
    exchange(() -> make(plain))
        .whenComplete(
            (made, e) -> {
              toBroadcast.remove(name);
              if (e == null) {
                making.complete(made);
              } else {
                making.completeExceptionally(FutureUtil.unwrapCompletionException(e));
              }
            });
    return making;
  }

  /**
   * Makes a plain subscription, which the broker then resets, as it does when an operator makes one
   * or adds a partition. Clients that subscribe meanwhile do so again until that is over.
   *
   * @return the subscription that there is after an exchange that began before
   */
  CompletableFuture<Subscription> keptPlain(
      String name, Supplier<CompletableFuture<Subscription>> make) {
    keptPlain.add(name);
    CompletableFuture<Subscription> handedOver = new CompletableFuture<>();
    DONE.thenCompose(begun -> make.get())
        .thenCompose(made -> afterExchange(name, made))
        .thenCompose(TypeExchange::keptForOperator)
        // On another thread, so that the broker awaits it, and resets it as it is handed over.
        .whenCompleteAsync(
            (made, e) -> {
              if (e == null) {
                handedOver.complete(made);
              } else {
                handedOver.completeExceptionally(FutureUtil.unwrapCompletionException(e));
              }
              afterReset(made).whenComplete((reset, failed) -> keptPlain.remove(name));
            },
            topic.getBrokerService().getPulsar().getExecutor());
    return handedOver;
  }

  /** Whether an operator is making a subscription. */
  boolean isKeptPlain(String name) {
    return keptPlain.contains(name);
  }

  /** What is in the place of a subscription once no exchange is under way. */
  private CompletableFuture<Subscription> afterExchange(String name, Subscription made) {
    CompletableFuture<BroadcastSubscription> exchange =
        toBroadcast.getOrDefault(name, CompletableFuture.completedFuture(null));
    return exchange.handle(
        (exchanged, e) -> {
          Subscription there = topic.getSubscription(name);
          return there == null ? made : there;
        });
  }

  /** A non-durable consumer may have begun to make it, and would end it. */
  private static CompletableFuture<Subscription> keptForOperator(Subscription made) {
    return made instanceof PersistentSubscription plain
            && EphemeralCursor.isUnused(plain.getCursor())
        ? EphemeralCursor.keep(plain.getCursor()).thenApply(kept -> made)
        : CompletableFuture.completedFuture(made);
  }

  private static CompletableFuture<?> afterReset(Subscription made) {
    CompletableFuture<?> reset =
        made instanceof PersistentSubscription persistent
            ? BrokerLine.resetUnderWay(persistent)
            : null;
    return reset == null ? DONE : reset;
  }

  private CompletableFuture<BroadcastSubscription> make(PersistentSubscription plain) {
    String name = plain.getName();
    PersistentSubscription there = topic.getSubscription(name);
    if (there instanceof BroadcastSubscription made) {
      // By an exchange that ended after this one was asked for, and before it began.
      return CompletableFuture.completedFuture(made);
    }
    if (there != plain) {
      return CompletableFuture.failedFuture(fenced(name));
    }
    if (isKeptPlain(name) || BrokerLine.isBeingReset(plain)) {
      // The reset would end on the cursor that is another subscription's by then.
      return CompletableFuture.failedFuture(fenced(name));
    }
    // A plain consumer that comes now, or an operator, finds the subscription fenced and tries
    // again.
    CompletableFuture<Void> closing = closeUnlessUsed(plain, () -> BrokerLine.close(plain));
    if (closing == null) {
      return CompletableFuture.failedFuture(
          new SubscriptionBusyException(
              "Subscription "
                  + name
                  + " is of type "
                  + plain.getTypeString()
                  + " and in use; it can become Broadcast when its consumers are gone"));
    }
    return closing
        .thenCompose(
            closed ->
                BrokerLine.isBeingReset(plain)
                    ? CompletableFuture.failedFuture(fenced(name))
                    : readingEnded(plain))
        .thenCompose(
            ended ->
                PositionsLogs.isBroadcast(plain.getCursor()) && !subscribes.isNew(name)
                    ? replace(plain)
                    : topic
                        .sourceHold()
                        .holding(plain.getCursor().getMarkDeletedPosition(), () -> replace(plain)))
        .whenComplete(
            (made, e) -> {
              if (e != null) {
                topic.unlessClosing(() -> putBack(plain));
              }
            });
  }

  private CompletableFuture<BroadcastSubscription> replace(PersistentSubscription plain) {
    return pastOf(plain)
        // Last, so that what is refused before changes nothing.
        .thenCompose(
            past ->
                CompletableFuture.completedFuture(plain.getCursor())
                    // What it throws gives the past up too.
                    .thenCompose(PlainAcks::takeFrom)
                    .handle(
                        (acks, e) ->
                            e == null
                                ? putInPlace(plain, past, acks)
                                : TypeExchange.<BroadcastSubscription>givenUp(past, e))
                    .thenCompose(end -> end));
  }

  /**
   * What is known of a subscription, unless the next load of its topic may have asked already: it
   * is closed under that one then.
   */
  private CompletableFuture<SubscriptionPast> pastOf(PersistentSubscription plain) {
    return topic.isClosing()
        ? CompletableFuture.failedFuture(topicFenced())
        : logs.pastOf(plain.getName(), plain.getCursor(), subscribes.isNew(plain.getName()));
  }

  /**
   * Closes a plain subscription that has no consumers. The broker adds one under the subscription's
   * lock, so none comes between the look and the fence, whose subscribe would have succeeded.
   *
   * @return null while it has consumers
   */
  static CompletableFuture<Void> closeUnlessUsed(
      Subscription plain, Supplier<CompletableFuture<Void>> close) {
    synchronized (plain) {
      return plain.getConsumers().isEmpty() ? close.get() : null;
    }
  }

  private CompletableFuture<BroadcastSubscription> putInPlace(
      PersistentSubscription plain, SubscriptionPast past, PlainAcks plainAcks) {
    BroadcastSubscription made =
        replaced(
            plain,
            () -> BroadcastSubscription.create(topic, plain, partsOf(plain, past, plainAcks)));
    if (made != null) {
      log.info(
          "[{}][{}] Subscription is Broadcast now, {}", topic.getName(), plain.getName(), past);
      return CompletableFuture.completedFuture(made);
    }
    return givenUp(past, topicFenced());
  }

  private static <T> CompletableFuture<T> givenUp(SubscriptionPast past, Throwable why) {
    return past.ledger()
        .close()
        .handle((done, e) -> null)
        .thenCompose(done -> CompletableFuture.failedFuture(why));
  }

  private SubscriptionParts partsOf(
      PersistentSubscription plain, SubscriptionPast past, PlainAcks plainAcks) {
    return SubscriptionParts.of(
        topic,
        topic::metricsOf,
        topic::persistTimes,
        plain,
        config,
        past,
        plainAcks,
        topic.timeToLive(),
        topic.sourceHold());
  }

  /**
   * Puts another subscription in the place of one.
   *
   * @return the other one, which is made when it is sure to be put there; null when the topic is
   *     fenced, or the one has been deleted meanwhile, and its cursor with it
   */
  private <S extends PersistentSubscription> S replaced(
      PersistentSubscription old, Supplier<S> other) {
    AtomicReference<S> made = new AtomicReference<>();
    topic.unlessFenced(
        () -> {
          if (topic.getSubscription(old.getName()) == old) {
            made.set(other.get());
            BROKER.putSubscription(topic, old.getName(), made.get());
          }
        });
    return made.get();
  }

  /**
   * A closed subscription takes no acknowledgements in transactions any more, also when it is
   * resumed: so it is another one that goes on.
   */
  private void putBack(PersistentSubscription closed) {
    if (topic.getSubscription(closed.getName()) == closed) {
      BROKER.putSubscription(topic, closed.getName(), BrokerLine.anew(topic, closed));
    }
  }

  /**
   * Exchanges a Broadcast subscription that has no positions for a plain one with a first consumer.
   *
   * @return completed when the subscription is plain and has the consumer; fails as {@link
   *     PlainSubscribe#refusal} says, and with whatever refuses the consumer
   */
  CompletableFuture<Void> toPlain(BroadcastSubscription unused, PlainSubscribe subscribe) {
    return exchange(() -> makePlain(unused, subscribe));
  }

  private CompletableFuture<Void> makePlain(
      BroadcastSubscription unused, PlainSubscribe subscribe) {
    // Whoever registers a position from now on is refused; who has registered one is counted.
    if (!unused.lifecycle().fence()) {
      return CompletableFuture.failedFuture(fenced(unused.getName()));
    }
    BrokerServiceException refusal = unused.refusalToBecomePlain();
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
        .thenCompose(ended -> MarkDelete.unmark(cursor))
        .thenCompose(unmarked -> EphemeralCursor.keep(cursor))
        .handle((ready, e) -> e == null ? revoke(unused, declared, subscribe) : goOn(unused, e))
        .thenCompose(end -> end);
  }

  private CompletableFuture<Void> revoke(
      BroadcastSubscription unused, DeclaredLog declared, PlainSubscribe subscribe) {
    return DeclaredLog.revoke(unused.getCursor())
        .thenCompose(revoked -> putInPlace(unused, subscribe))
        .handle(
            (exchanged, e) -> {
              if (e != null) {
                return declareAgain(unused, declared).thenCompose(again -> goOn(unused, e));
              }
              // Nobody declares them any more, so the client need not wait.
              logs.deleteAfter(unused.getName(), declared, () -> DONE);
              topic.sourceHold().endUnlessUsed();
              return DONE;
            })
        .thenCompose(end -> end);
  }

  private CompletableFuture<Void> putInPlace(
      BroadcastSubscription unused, PlainSubscribe subscribe) {
    PersistentSubscription plain = subscribe.newSubscription(topic, unused);
    return topic
        .addPlainConsumer(plain, subscribe.newConsumer(plain))
        .thenCompose(
            added -> {
              if (replaced(unused, () -> plain) == null) {
                return CompletableFuture.failedFuture(topicFenced());
              }
              log.info("[{}][{}] Subscription is plain now", topic.getName(), plain.getName());
              return CompletableFuture.<Void>completedFuture(null);
            })
        .whenComplete(
            (exchanged, e) -> {
              if (e != null) {
                subscribe.giveUp(topic);
                BrokerLine.close(plain);
              }
            });
  }

  /**
   * Has a cursor say again what its log is, until that is on storage: a subscription that went on
   * before would store positions in a log that the next load does not know. While the topic is
   * being closed it waits for what comes of that.
   *
   * @return fails when the subscription does not go on here
   */
  private CompletableFuture<Void> declareAgain(BroadcastSubscription kept, DeclaredLog declared) {
    if (kept.getCursor().isClosed() || topic.getSubscription(kept.getName()) != kept) {
      return CompletableFuture.failedFuture(topicFenced());
    }
    CompletableFuture<Void> again =
        topic.isClosing()
            ? CompletableFuture.failedFuture(topicFenced())
            : declared.declare(kept.getCursor());
    return again.exceptionallyCompose(
        e -> {
          log.warn(
              "[{}][{}] Could not become plain, nor declare the positions log again, trying again: {}",
              topic.getName(),
              kept.getName(),
              e.toString());
          return CompletableFuture.runAsync(
                  () -> {}, CompletableFuture.delayedExecutor(DECLARE_SECONDS, TimeUnit.SECONDS))
              .thenCompose(later -> declareAgain(kept, declared));
        });
  }

  /** A subscription goes on as it was; a topic that is being closed resumes its own if need be. */
  private CompletableFuture<Void> goOn(BroadcastSubscription kept, Throwable failure) {
    topic.unlessClosing(kept::resumeAfterFence);
    return CompletableFuture.failedFuture(failure);
  }

  private CompletableFuture<Void> readingEnded(PersistentSubscription closed) {
    return CursorReads.end(closed.getCursor(), topic.getBrokerService().getPulsar().getExecutor());
  }

  /** Clients try again by themselves. */
  private static SubscriptionFencedException fenced(String name) {
    return new SubscriptionFencedException(
        "Subscription " + name + " is being closed or moved, try again");
  }

  private static TopicFencedException topicFenced() {
    return new TopicFencedException("Topic is temporarily unavailable");
  }
}
