/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.Throttled;
import io.pulsarbroadcast.broker.compat.LineCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.Position;
import org.apache.pulsar.broker.PulsarServerException;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.service.BrokerServiceException.ServiceUnitNotReadyException;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.Topics;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.schema.GenericRecord;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.FutureUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A durable subscription at the source of a shadow topic, which stands where the furthest behind of
 * the shadow topic's Broadcast subscriptions stands, as that is stored. It receives nothing. It
 * stays when the shadow topic is unloaded, and ends with the last of these subscriptions.
 */
final class SourceSubscription implements SourceHold {

  /** How the subscription at the source begins; the shadow topic's name follows. */
  private static final String SUBSCRIPTION = "pulsar.broadcast.hold.";

  /** How soon the source's subscription follows; trimming looks every few minutes. */
  private static final int FOLLOW_SECONDS = 5;

  /** More than the client gives its own requests. */
  private static final int TIMEOUT_SECONDS = 60;

  /** How long the end of a subscription waits for that of its hold. */
  private static final int END_SECONDS = 5;

  private static final Logger log = LoggerFactory.getLogger(SourceSubscription.class);
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final PersistentTopic topic;
  private final TopicName source;
  private final BooleanSupplier closing;
  private final PulsarService broker;
  private final ScheduledExecutorService executor;
  private final Throttled following;

  /** What {@link #holding} is under way for. */
  private final List<Position> needed = new CopyOnWriteArrayList<>();

  /** The last step, of which there is one at a time. */
  @GuardedBy("this")
  private CompletableFuture<?> last = DONE;

  /** Confined to the steps, as what follows. */
  private Consumer<GenericRecord> consumer;

  /** The last entry that the source may give up; null: nobody knows. */
  private Position held;

  private volatile boolean failing;

  SourceSubscription(PersistentTopic topic, TopicName source, BooleanSupplier closing) {
    this.topic = topic;
    this.source = source;
    this.closing = closing;
    this.broker = topic.getBrokerService().getPulsar();
    this.executor = broker.getExecutor();
    this.following =
        new Throttled(executor, TimeUnit.SECONDS.toMillis(FOLLOW_SECONDS), this::follow);
  }

  @Override
  public <T> CompletableFuture<T> holding(
      Position position, Supplier<CompletableFuture<T>> action) {
    needed.add(position);
    return inTurn(() -> connected().thenCompose(connected -> move(connected, false)))
        .exceptionallyCompose(this::notHeld)
        .thenCompose(held -> action.get())
        .whenComplete(
            (done, e) -> {
              needed.remove(position);
              if (e == null) {
                moved();
              } else {
                end(() -> consumer != null && !isUsed());
              }
            });
  }

  @Override
  public void moved() {
    following.request();
  }

  @Override
  public void loaded() {
    if (isUsed()) {
      moved();
    } else {
      // A crash may have left it, or a broker without the plugin.
      endUnlessUsed();
    }
  }

  @Override
  public CompletableFuture<Void> endUnlessUsed() {
    return end(() -> !isUsed());
  }

  /** Whether a subscription is Broadcast, also one that is still to be loaded, or becomes so. */
  private boolean isUsed() {
    return !needed.isEmpty() || cursors().findAny().isPresent();
  }

  private CompletableFuture<Void> end(BooleanSupplier unused) {
    return inTurn(() -> unused.getAsBoolean() ? disconnected().thenCompose(done -> delete()) : DONE)
        .exceptionally(
            e -> {
              warnNotDeleted(topic.getName(), source, e);
              return null;
            })
        .completeOnTimeout(null, END_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    inTurn(this::disconnected);
  }

  private void follow() {
    if (closing.getAsBoolean() || !isUsed()) {
      return;
    }
    inTurn(() -> connected().thenCompose(connected -> move(connected, true)))
        .whenComplete(
            (done, e) -> {
              if (e != null) {
                if (!failing) {
                  log.warn(
                      "[{}] Could not tell the source {} what may be trimmed, trying again: {}",
                      topic.getName(),
                      source,
                      e.toString());
                }
                failing = true;
                moved();
              } else {
                failing = false;
                if (isAnyNotStored()) {
                  moved();
                }
              }
            });
  }

  /**
   * Moves to what is lowest now.
   *
   * @param surelyBefore whether it is known to be before that, or there, when nobody knows where
   */
  private CompletableFuture<Void> move(Consumer<GenericRecord> connected, boolean surelyBefore) {
    Position lowest = lowest().orElse(null);
    if (lowest == null) {
      return DONE;
    }
    int change = held == null ? (surelyBefore ? 1 : -1) : LineCalls.compare(lowest, held);
    if (change > 0) {
      return connected.acknowledgeCumulativeAsync(idOf(lowest)).thenRun(() -> held = lowest);
    }
    if (change < 0) {
      // Leads before the entry that it names, which is not needed.
      Position before = BROKER.position(lowest.getLedgerId(), lowest.getEntryId() - 1);
      return connected.seekAsync(idOf(lowest)).thenRun(() -> held = before);
    }
    return DONE;
  }

  private static MessageId idOf(Position position) {
    return new MessageIdImpl(position.getLedgerId(), position.getEntryId(), -1);
  }

  /** As stored, because trimming here goes by that: what a crash brings back is needed again. */
  private Optional<Position> lowest() {
    return Stream.concat(cursors().map(this::stored), needed.stream()).min(LineCalls::compare);
  }

  /** A cursor that was just made does not know what is stored: where it was then. */
  private Position stored(ManagedCursor cursor) {
    Position stored = cursor.getPersistentMarkDeletedPosition();
    if (stored != null) {
      return stored;
    }
    return held == null ? cursor.getMarkDeletedPosition() : held;
  }

  private boolean isAnyNotStored() {
    return cursors().anyMatch(cursor -> !stored(cursor).equals(cursor.getMarkDeletedPosition()));
  }

  private Stream<ManagedCursor> cursors() {
    List<ManagedCursor> broadcast = new ArrayList<>();
    BROKER.forEachSubscription(
        topic,
        (name, subscription) -> {
          if (PositionsLogs.isBroadcast(subscription.getCursor())) {
            broadcast.add(subscription.getCursor());
          }
        });
    return broadcast.stream();
  }

  private CompletableFuture<Consumer<GenericRecord>> connected() {
    if (consumer != null) {
      return CompletableFuture.completedFuture(consumer);
    }
    if (closing.getAsBoolean()) {
      return CompletableFuture.failedFuture(
          new ServiceUnitNotReadyException("The topic is being closed"));
    }
    try {
      return broker
          .getClient()
          // One of bytes would keep the source's producers from bringing a schema.
          .newConsumer(Schema.AUTO_CONSUME())
          .topic(source.toString())
          .subscriptionName(subscriptionOf(topic.getName()))
          // The broker that had the shadow topic before may be connected still.
          .subscriptionType(SubscriptionType.Failover)
          .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
          .startPaused(true)
          .receiverQueueSize(1)
          .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
          .isAckReceiptEnabled(true)
          .subscribeAsync()
          .thenApply(
              made -> {
                log.info("[{}] The source {} keeps what is needed here", topic.getName(), source);
                consumer = made;
                held = null;
                return made;
              });
    } catch (PulsarServerException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Void> disconnected() {
    Consumer<GenericRecord> connected = consumer;
    consumer = null;
    return connected == null ? DONE : connected.closeAsync();
  }

  private CompletableFuture<Void> delete() {
    return delete(broker, source, topic.getName());
  }

  /** Deletes the subscription of a shadow topic at its source, if there is one. */
  static CompletableFuture<Void> delete(PulsarService broker, TopicName source, String topic) {
    try {
      Topics topics = broker.getAdminClient().topics();
      String name = subscriptionOf(topic);
      // To delete what there is not leaves a stack trace in the log.
      return topics
          .getSubscriptionsAsync(source.toString())
          .thenCompose(
              there ->
                  there.contains(name)
                      ? topics.deleteSubscriptionAsync(source.toString(), name, true)
                      : DONE)
          .exceptionallyCompose(
              e ->
                  FutureUtil.unwrapCompletionException(e) instanceof NotFoundException
                      ? DONE
                      : CompletableFuture.failedFuture(e));
    } catch (PulsarServerException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Says what an operator has to do when {@link #delete} failed. */
  static void warnNotDeleted(String topic, TopicName source, Throwable failure) {
    log.warn(
        "[{}] Subscription {} of the source {}, if there is one, could not be deleted and holds its"
            + " backlog until somebody deletes it: {}",
        topic,
        subscriptionOf(topic),
        source,
        failure.toString());
  }

  private static String subscriptionOf(String topic) {
    return SUBSCRIPTION + topic;
  }

  private CompletableFuture<Void> notHeld(Throwable failure) {
    return CompletableFuture.failedFuture(
        new ServiceUnitNotReadyException(
            "The source "
                + source
                + " of this shadow topic cannot be told to keep messages, try again: "
                + FutureUtil.unwrapCompletionException(failure).getMessage()));
  }

  private CompletableFuture<Void> inTurn(Supplier<CompletableFuture<Void>> step) {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<?> before;
    synchronized (this) {
      before = last;
      last = mine;
    }
    before
        .handle((ended, e) -> null)
        .thenComposeAsync(ended -> step.get(), executor)
        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .whenComplete(
            (done, e) -> {
              if (e == null) {
                mine.complete(null);
              } else {
                mine.completeExceptionally(e);
              }
            });
    return mine;
  }
}
