/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.Throttled;
import io.pulsarbroadcast.broker.compat.LineCalls;
import io.pulsarbroadcast.broker.ledger.PositionsLogName.Owner;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.apache.pulsar.client.api.schema.GenericRecord;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.naming.TopicDomain;
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

  /** How its name begins; the shadow topic's follows. */
  private static final String PREFIX = "pulsar.broadcast.hold.";

  /** How soon it follows; trimming looks every few minutes. */
  private static final int FOLLOW_SECONDS = 5;

  /** How long after a failure it is tried again, if nothing moves before. */
  private static final int RETRY_SECONDS = 60;

  /** How soon it is made again after somebody has deleted it, unless the source is gone too. */
  private static final int AGAIN_SECONDS = 1;

  /** How long somebody waits for it: as long as clients do for a subscribe or seek. */
  private static final int WAIT_SECONDS = 30;

  /** How long the end of a Broadcast subscription waits for that of this one. */
  private static final int END_SECONDS = 5;

  /** More than the client gives all its requests of a step together. */
  private static final int STEP_SECONDS = 180;

  private static final Logger log = LoggerFactory.getLogger(SourceSubscription.class);
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final PersistentTopic topic;
  private final TopicName source;
  private final String name;

  /** Where the metadata store has its cursor. */
  private final String metadata;

  private final BooleanSupplier closing;
  private final PulsarService broker;
  private final ScheduledExecutorService executor;
  private final Throttled following;
  private final AtomicBoolean followUnderWay = new AtomicBoolean();

  /** What {@link #holding} is under way for. */
  private final List<Position> needed = new CopyOnWriteArrayList<>();

  /** The last step, of which there is one at a time. */
  @GuardedBy("this")
  private CompletableFuture<?> last = DONE;

  /** Confined to the steps, as what follows. */
  private Consumer<GenericRecord> consumer;

  /** Whether it was looked for, and made if there was none. */
  private boolean made;

  /**
   * The last entry that the source may give up. Null before anything was said to it: then that is
   * what a load before has said, which is stored here.
   */
  private Position held;

  /** Whether something was said to it whose answer did not come. */
  private boolean unsure;

  private volatile boolean failing;

  SourceSubscription(PersistentTopic topic, TopicName source, BooleanSupplier closing) {
    this.topic = topic;
    this.source = source;
    this.name = nameFor(topic.getName());
    this.metadata = new Owner(source.toString(), name).metadata();
    this.closing = closing;
    this.broker = topic.getBrokerService().getPulsar();
    this.executor = broker.getExecutor();
    this.following =
        new Throttled(executor, TimeUnit.SECONDS.toMillis(FOLLOW_SECONDS), this::follow);
  }

  @Override
  public String refusal() {
    return SourceHold.isRetainedForEver(topic)
        ? null
        : "Pulsar deletes messages of %s as soon as nobody needs them at %s, its shadow topic, unless that has infinite retention: pulsar-admin topicPolicies set-retention %s --size -1 --time -1"
            .formatted(source, topic.getName(), topic.getName());
  }

  @Override
  public <T> CompletableFuture<T> holding(
      Position position, Supplier<CompletableFuture<T>> action) {
    needed.add(position);
    return inTurn(() -> connected().thenCompose(this::moveBack))
        .copy()
        .orTimeout(WAIT_SECONDS, TimeUnit.SECONDS)
        .exceptionallyCompose(this::notHeld)
        .thenCompose(moved -> action.get())
        .whenComplete(
            (done, e) -> {
              needed.remove(position);
              if (e == null) {
                moved();
              } else {
                end(() -> made && !isUsed());
              }
            });
  }

  private CompletableFuture<Void> notHeld(Throwable failure) {
    return CompletableFuture.failedFuture(
        new ServiceUnitNotReadyException(
            "The source "
                + source
                + " of this shadow topic cannot be told to keep messages, try again: "
                + FutureUtil.unwrapCompletionException(failure)));
  }

  @Override
  public void moved() {
    following.request();
  }

  @Override
  public void deleted(String path) {
    if (path.equals(metadata)) {
      // The client would make the subscription again by itself, in a source that is gone too.
      inTurn(
              () -> {
                unsure = true;
                return disconnected();
              })
          .whenComplete(
              (done, e) -> executor.schedule(this::follow, AGAIN_SECONDS, TimeUnit.SECONDS));
    }
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

  private void follow() {
    if (!isUsed() || closing.getAsBoolean() || !followUnderWay.compareAndSet(false, true)) {
      return;
    }
    inTurn(() -> connected().thenCompose(this::move))
        .whenComplete(
            (done, e) -> {
              followUnderWay.set(false);
              if (e != null) {
                if (!failing) {
                  log.warn(
                      "[{}] Could not tell the source {} what may be trimmed, trying again: {}",
                      topic.getName(),
                      source,
                      e.toString());
                }
                executor.schedule(this::moved, RETRY_SECONDS, TimeUnit.SECONDS);
              } else if (isBehind()) {
                moved();
              }
              failing = e != null;
            });
  }

  /** Moves on, or back, to what is lowest now. */
  private CompletableFuture<Void> move(Consumer<GenericRecord> connected) {
    Position lowest = lowest().orElse(held);
    if (lowest == null
        || unsure
        || (held != null && LineCalls.compare(lowest, held) <= 0)
        || closing.getAsBoolean()) {
      return moveBack(connected);
    }
    return said(connected.acknowledgeCumulativeAsync(idOf(lowest)), lowest);
  }

  /** Moves back to what is lowest now, if it is not before that. */
  private CompletableFuture<Void> moveBack(Consumer<GenericRecord> connected) {
    Position lowest = lowest().orElse(null);
    if (lowest == null
        || (!unsure && held != null && LineCalls.compare(lowest, held) >= 0)
        || closing.getAsBoolean()) {
      return DONE;
    }
    // Leads before the entry that it names, which is not needed.
    Position before = BROKER.position(lowest.getLedgerId(), lowest.getEntryId() - 1);
    return said(connected.seekAsync(idOf(lowest)), before);
  }

  private CompletableFuture<Void> said(CompletableFuture<Void> answer, Position position) {
    unsure = true;
    return answer.thenRun(
        () -> {
          held = position;
          unsure = false;
        });
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
    Position marked = cursor.getMarkDeletedPosition();
    return held == null || LineCalls.compare(marked, held) < 0 ? marked : held;
  }

  /** Whether something is still to be stored, after which it can move on. */
  private boolean isBehind() {
    return cursors().anyMatch(cursor -> !stored(cursor).equals(cursor.getMarkDeletedPosition()));
  }

  /** Of subscriptions that are Broadcast, also where one is still to be loaded. */
  private Stream<ManagedCursor> cursors() {
    List<ManagedCursor> broadcast = new ArrayList<>();
    BROKER.forEachSubscription(
        topic,
        (subscription, known) -> {
          if (PositionsLogs.isBroadcast(known.getCursor())) {
            broadcast.add(known.getCursor());
          }
        });
    return broadcast.stream();
  }

  /** Whether a subscription is Broadcast, or is becoming so. */
  private boolean isUsed() {
    return !needed.isEmpty() || cursors().findAny().isPresent();
  }

  private CompletableFuture<Consumer<GenericRecord>> connected() {
    if (consumer != null) {
      return CompletableFuture.completedFuture(consumer);
    }
    if (closing.getAsBoolean()) {
      return topicClosing();
    }
    return makeUnlessThere()
        .thenCompose(there -> subscribed())
        .thenCompose(
            connected -> {
              if (closing.getAsBoolean()) {
                return connected.closeAsync().thenCompose(closed -> topicClosing());
              }
              log.info("[{}] The source {} keeps what is needed here", topic.getName(), source);
              consumer = connected;
              return CompletableFuture.completedFuture(connected);
            });
  }

  private static <T> CompletableFuture<T> topicClosing() {
    return CompletableFuture.failedFuture(
        new ServiceUnitNotReadyException("The topic is being closed"));
  }

  /** As an operator makes it, because namespaces may refuse those that subscribes make. */
  private CompletableFuture<Void> makeUnlessThere() {
    made = true;
    return exists(broker, source, name)
        .thenCompose(
            exists ->
                exists
                    ? DONE
                    : sourceExists()
                        .thenCompose(there -> topicsOf(broker))
                        .thenCompose(
                            topics ->
                                topics.createSubscriptionAsync(
                                    source.toString(), name, MessageId.earliest)));
  }

  /** Else it would be made by the request for a subscription. */
  private CompletableFuture<Void> sourceExists() {
    return broker
        .getLocalMetadataStore()
        .exists(PositionsLogName.metadataOf(source.toString()))
        .thenCompose(
            exists ->
                exists
                    ? DONE
                    : CompletableFuture.failedFuture(
                        new ServiceUnitNotReadyException("The source " + source + " is gone")));
  }

  private CompletableFuture<Consumer<GenericRecord>> subscribed() {
    try {
      return broker
          .getClient()
          // One of bytes would keep the source's producers from bringing a schema.
          .newConsumer(Schema.AUTO_CONSUME())
          .topic(source.toString())
          .subscriptionName(name)
          // Where it begins if somebody has deleted it and it connects again.
          .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
          .startPaused(true)
          .receiverQueueSize(1)
          .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
          .isAckReceiptEnabled(true)
          .subscribeAsync();
    } catch (PulsarServerException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Void> disconnected() {
    Consumer<GenericRecord> connected = consumer;
    consumer = null;
    return connected == null ? DONE : connected.closeAsync().exceptionally(e -> null);
  }

  @Override
  public CompletableFuture<Void> forgetLedgers() {
    return broker
        .getLocalMetadataStore()
        .put(PositionsLogName.metadataOf(topic.getName()), new byte[0], Optional.empty())
        .thenAccept(stored -> {});
  }

  @Override
  public void close() {
    inTurn(this::disconnected);
  }

  @Override
  public CompletableFuture<Void> endUnlessUsed() {
    return end(() -> !isUsed());
  }

  private CompletableFuture<Void> end(BooleanSupplier unused) {
    return inTurn(() -> unused.getAsBoolean() ? disconnected().thenCompose(done -> delete()) : DONE)
        .exceptionally(
            e -> {
              warnNotDeleted(topic.getName(), source, e);
              if (!closing.getAsBoolean()) {
                executor.schedule(this::endUnlessUsed, RETRY_SECONDS, TimeUnit.SECONDS);
              }
              return null;
            })
        .completeOnTimeout(null, END_SECONDS, TimeUnit.SECONDS);
  }

  private CompletableFuture<Void> delete() {
    return delete(broker, source, topic.getName())
        .thenRun(
            () -> {
              made = false;
              held = null;
              unsure = false;
            });
  }

  /** Deletes the subscription of a shadow topic at its source, if there is one. */
  static CompletableFuture<Void> delete(PulsarService broker, TopicName source, String topic) {
    String name = nameFor(topic);
    return exists(broker, source, name)
        .thenCompose(
            exists ->
                exists
                    ? topicsOf(broker)
                        .thenCompose(
                            topics -> topics.deleteSubscriptionAsync(source.toString(), name, true))
                    : DONE)
        .exceptionallyCompose(
            e ->
                FutureUtil.unwrapCompletionException(e) instanceof NotFoundException
                    ? DONE
                    : CompletableFuture.failedFuture(e));
  }

  /** As the metadata store says, so that nobody has to load the source. */
  private static CompletableFuture<Boolean> exists(
      PulsarService broker, TopicName source, String name) {
    return broker.getLocalMetadataStore().exists(new Owner(source.toString(), name).metadata());
  }

  private static CompletableFuture<Topics> topicsOf(PulsarService broker) {
    try {
      return CompletableFuture.completedFuture(broker.getAdminClient().topics());
    } catch (PulsarServerException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Says what an operator has to do if {@link #delete} keeps failing. */
  static void warnNotDeleted(String topic, TopicName source, Throwable failure) {
    log.warn(
        "[{}] Subscription {} of the source {} could not be deleted, and holds its backlog until it"
            + " is: {}",
        topic,
        nameFor(topic),
        source,
        failure.toString());
  }

  /**
   * The name of a shadow topic's subscription, of characters that every broker takes, and that stay
   * as they are however often they are decoded.
   */
  private static String nameFor(String topic) {
    return PREFIX
        + URLEncoder.encode(topic.substring(topic.indexOf("://") + 3), StandardCharsets.UTF_8)
            .replace("*", "%2A")
            .replace("+", "%20")
            .replace('%', '=');
  }

  /** The shadow topic whose subscription has a name; empty: it is another one. */
  static Optional<TopicName> shadowOf(String subscription) {
    if (!subscription.startsWith(PREFIX)) {
      return Optional.empty();
    }
    try {
      TopicName shadow =
          TopicName.get(
              TopicDomain.persistent
                  + "://"
                  + URLDecoder.decode(
                      subscription.substring(PREFIX.length()).replace('=', '%'),
                      StandardCharsets.UTF_8));
      // Somebody else may have made one that begins so.
      return nameFor(shadow.toString()).equals(subscription)
          ? Optional.of(shadow)
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
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
        .orTimeout(STEP_SECONDS, TimeUnit.SECONDS)
        .whenComplete(
            (done, e) -> {
              if (e == null) {
                mine.complete(null);
              } else {
                // It may be a consumer that does not connect again.
                disconnected();
                mine.completeExceptionally(e);
              }
            });
    return mine;
  }
}
