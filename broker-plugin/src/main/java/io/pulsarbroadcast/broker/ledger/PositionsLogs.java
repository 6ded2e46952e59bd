/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static java.util.concurrent.CompletableFuture.completedFuture;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.compat.CursorState;
import io.pulsarbroadcast.broker.cursor.StoredPositions;
import io.pulsarbroadcast.broker.cursor.UnknownVersionException;
import io.pulsarbroadcast.broker.ledger.SubscriptionPast.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.NotAllowedException;
import org.apache.pulsar.broker.service.BrokerServiceException.PersistenceException;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.util.Codec;
import org.apache.pulsar.common.util.FutureUtil;
import org.apache.pulsar.metadata.api.MetadataStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds, makes and deletes the positions logs of one topic's subscriptions (docs/decisions/0010).
 * May be called from any thread; of one subscription for one thing at a time.
 *
 * <p>A log is none, readable, not readable now, damaged, or of a newer format. Only the first is
 * answered with a new, empty one. What is not readable now fails the caller, who tries again; a
 * newer format refuses; damage leaves the log where it is, goes on in a new one, and is declared
 * until somebody decides.
 */
public final class PositionsLogs {

  private static final Logger log = LoggerFactory.getLogger(PositionsLogs.class);

  private final PersistentTopic topic;

  /** Completed when logs that nobody declares are gone. */
  @GuardedBy("this")
  private CompletableFuture<Void> swept;

  /** What has to end before the log of the next subscription of a name is looked for. */
  private final Map<String, CompletableFuture<Void>> deletions = new ConcurrentHashMap<>();

  /** For the subscriptions of one topic. */
  public PositionsLogs(PersistentTopic topic) {
    this.topic = topic;
  }

  /** Whether a subscription that is being loaded is Broadcast. */
  public static boolean isBroadcast(ManagedCursor cursor) {
    return DeclaredLog.isDeclared(cursor)
        || MarkDelete.isMarked(cursor)
        || EphemeralCursor.isUnused(cursor);
  }

  /**
   * What is known of a subscription, with its log open.
   *
   * @param made whether the subscription has been made just now
   * @return fails with a PersistenceException when that may be tried again, and with a
   *     NotAllowedException that says what would be needed
   */
  public CompletableFuture<SubscriptionPast> pastOf(
      String subscription, ManagedCursor cursor, boolean made) {
    return deletions
        .getOrDefault(subscription, completedFuture(null))
        .thenCompose(deleted -> find(subscription, cursor, made))
        .handle(
            (known, e) -> {
              if (e != null) {
                return CompletableFuture.<SubscriptionPast>failedFuture(refusal(subscription, e));
              }
              // Nobody waits for it.
              swept();
              return completedFuture(known);
            })
        .thenCompose(known -> known);
  }

  private CompletableFuture<SubscriptionPast> find(
      String subscription, ManagedCursor cursor, boolean made) {
    if (DeclaredLog.isUnknown(cursor)) {
      return CompletableFuture.failedFuture(
          new UnknownVersionException("they are declared in a format that it does not know"));
    }
    DeclaredLog declared = DeclaredLog.of(cursor);
    if (declared != null) {
      return read(subscription, cursor, declared);
    }
    if (EphemeralCursor.isUnused(cursor)) {
      return begin(subscription, cursor, Origin.NEW);
    }
    if (MarkDelete.isMarked(cursor)) {
      return takeOver(subscription, cursor);
    }
    return made ? begin(subscription, cursor, Origin.NEW) : findUnmarked(subscription, cursor);
  }

  private static BrokerServiceException refusal(String subscription, Throwable failure) {
    Throwable cause = FutureUtil.unwrapCompletionException(failure);
    return cause instanceof UnknownVersionException
        ? new NotAllowedException(
            "The positions of subscription "
                + subscription
                + " cannot be read by this version of pulsar-broadcast: "
                + cause.getMessage())
        : new PersistenceException(cause);
  }

  private CompletableFuture<SubscriptionPast> read(
      String subscription, ManagedCursor cursor, DeclaredLog declared) {
    String name = PositionsLogName.of(topic.getName(), subscription, declared.generation());
    FormerLog former = new FormerLog(topic, subscription);
    return PositionsLedger.open(topic, subscription, name, false)
        .thenCompose(
            ledger ->
                ledger
                    .read()
                    .thenCompose(
                        positions ->
                            former
                                .isWrittenSince(declared.formerLedger())
                                .thenApply(
                                    written ->
                                        written
                                            ? null
                                            : new SubscriptionPast(
                                                originOf(cursor, positions, declared.lost()),
                                                positions,
                                                ledger,
                                                declared,
                                                false))
                                .thenCompose(
                                    past ->
                                        past != null
                                            ? completedFuture(past)
                                            : ledger
                                                .close()
                                                .thenCompose(
                                                    closed ->
                                                        update(
                                                            subscription,
                                                            cursor,
                                                            declared,
                                                            positions))))
                    .handle(PositionsLedger.closingOnFailure(ledger))
                    .thenCompose(past -> past))
        .thenCompose(past -> retired(subscription, cursor, past))
        .handle(
            (past, e) ->
                e == null
                    ? completedFuture(past)
                    : PositionsLedger.isDamage(e)
                        ? lose(
                            subscription,
                            cursor,
                            declared.lostAnd(declared.generation()),
                            declared.formerLedger(),
                            e.toString())
                        : CompletableFuture.<SubscriptionPast>failedFuture(e))
        .thenCompose(past -> past);
  }

  private static Origin originOf(
      ManagedCursor cursor, StoredPositions positions, List<String> lost) {
    if (!lost.isEmpty()) {
      return Origin.LOST;
    }
    // Of non-durable consumers there are no positions, and nobody's place to start at.
    return positions.size() > 0 || MarkDelete.isOfNonDurable(cursor) ? Origin.STORED : Origin.PLAIN;
  }

  /** A former version of the plugin has served the topic meanwhile. */
  private CompletableFuture<SubscriptionPast> update(
      String subscription, ManagedCursor cursor, DeclaredLog declared, StoredPositions positions) {
    return new FormerLog(topic, subscription)
        .read()
        .handle(
            (later, e) -> {
              if (e == null) {
                positions.update(later);
              } else if (!PositionsLedger.isDamage(e)) {
                return CompletableFuture.<SubscriptionPast>failedFuture(e);
              } else if (!PositionsLedger.isMissing(e)) {
                // Its own log is whole: what it knows stays, and is where the others may be too.
                return lose(
                    subscription,
                    cursor,
                    positions,
                    declared.lostAnd(DeclaredLog.FORMER),
                    DeclaredLog.NO_LEDGER,
                    "" + e);
              }
              return move(
                  subscription,
                  cursor,
                  originOf(cursor, positions, declared.lost()),
                  positions,
                  declared.lost());
            })
        .thenCompose(past -> past);
  }

  /**
   * A cursor without a mark: of a plain subscription, or of one whose mark a broker without the
   * plugin has taken away before a log was declared.
   */
  private CompletableFuture<SubscriptionPast> findUnmarked(
      String subscription, ManagedCursor cursor) {
    FormerLog former = new FormerLog(topic, subscription);
    return former
        .read()
        .handle(
            (positions, e) -> {
              if (e == null && former.isSurelyOfThisTopic(positions)) {
                return takeOver(subscription, cursor, positions);
              }
              return e == null || PositionsLedger.isDamage(e)
                  ? begin(subscription, cursor, Origin.PLAIN)
                  : CompletableFuture.<SubscriptionPast>failedFuture(e);
            })
        .thenCompose(past -> past);
  }

  /** Moves the positions that a former version has stored. */
  private CompletableFuture<SubscriptionPast> takeOver(String subscription, ManagedCursor cursor) {
    FormerLog former = new FormerLog(topic, subscription);
    return former
        .isShared()
        .thenCompose(
            shared ->
                shared
                    ? lose(
                        subscription,
                        cursor,
                        List.of(DeclaredLog.FORMER),
                        DeclaredLog.NO_LEDGER,
                        "another subscription had the same log, " + former.name())
                    : former
                        .read()
                        .thenCompose(positions -> takeOver(subscription, cursor, positions))
                        .handle(
                            (past, e) ->
                                e == null
                                    ? completedFuture(past)
                                    : PositionsLedger.isMissing(e)
                                        // A former version deleted it when it became plain.
                                        ? begin(subscription, cursor, Origin.PLAIN)
                                        : PositionsLedger.isDamage(e)
                                            ? lose(
                                                subscription,
                                                cursor,
                                                List.of(DeclaredLog.FORMER),
                                                DeclaredLog.NO_LEDGER,
                                                e.toString())
                                            : CompletableFuture.<SubscriptionPast>failedFuture(e))
                        .thenCompose(past -> past));
  }

  private CompletableFuture<SubscriptionPast> takeOver(
      String subscription, ManagedCursor cursor, StoredPositions positions) {
    FormerLog former = new FormerLog(topic, subscription);
    if (positions.isRetired() || !former.isOfThisTopic(positions)) {
      return lose(
          subscription,
          cursor,
          List.of(DeclaredLog.FORMER),
          DeclaredLog.NO_LEDGER,
          "another subscription has used the same log, " + former.name());
    }
    log.info(
        "[{}][{}] {} stored positions move to a log that is the subscription's own",
        topic.getName(),
        subscription,
        positions.size());
    return move(subscription, cursor, originOf(cursor, positions, List.of()), positions, List.of());
  }

  /** Positions are lost: what is left of their log stays, and a new one begins. */
  private CompletableFuture<SubscriptionPast> lose(
      String subscription, ManagedCursor cursor, List<String> lost, long formerLedger, String why) {
    return lose(subscription, cursor, new StoredPositions(), lost, formerLedger, why);
  }

  private CompletableFuture<SubscriptionPast> lose(
      String subscription,
      ManagedCursor cursor,
      StoredPositions left,
      List<String> lost,
      long formerLedger,
      String why) {
    log.error(
        "[{}][{}] The stored positions are lost: {}. Every consumer goes on from the subscription's"
            + " position, which stays where it is, with everything after it, until somebody clears"
            + " the backlog, resets or deletes the subscription",
        topic.getName(),
        subscription,
        why);
    return make(
        subscription,
        cursor,
        Origin.LOST,
        left,
        new DeclaredLog(PositionsLogName.newGeneration(), formerLedger, lost));
  }

  /** Begins an empty log. A deleted subscription may have left a former one. */
  private CompletableFuture<SubscriptionPast> begin(
      String subscription, ManagedCursor cursor, Origin origin) {
    return new FormerLog(topic, subscription)
        .exists()
        .thenCompose(
            former ->
                former
                    ? move(subscription, cursor, origin, new StoredPositions(), List.of())
                    : make(
                        subscription,
                        cursor,
                        origin,
                        new StoredPositions(),
                        new DeclaredLog(
                            PositionsLogName.newGeneration(), DeclaredLog.NO_LEDGER, List.of())));
  }

  /** Begins a log with positions, and leaves word where a former version would look for it. */
  private CompletableFuture<SubscriptionPast> move(
      String subscription,
      ManagedCursor cursor,
      Origin origin,
      StoredPositions positions,
      List<String> lost) {
    return new FormerLog(topic, subscription)
        .isShared()
        .thenCompose(
            shared ->
                make(
                    subscription,
                    cursor,
                    origin,
                    positions,
                    new DeclaredLog(
                        PositionsLogName.newGeneration(),
                        shared ? DeclaredLog.NO_LEDGER : DeclaredLog.PENDING,
                        lost)))
        .thenCompose(past -> retired(subscription, cursor, past));
  }

  /**
   * Leaves word in the former log, once the new one is declared: before that it may have all there
   * is. When that fails, the next load tries again.
   */
  private CompletableFuture<SubscriptionPast> retired(
      String subscription, ManagedCursor cursor, SubscriptionPast past) {
    if (past.declared().formerLedger() != DeclaredLog.PENDING) {
      return completedFuture(past);
    }
    return new FormerLog(topic, subscription)
        .retire()
        .thenCompose(
            ledger -> {
              DeclaredLog declared = past.declared().retiredIn(ledger);
              return declared.declare(cursor).thenApply(done -> past.with(declared));
            })
        .exceptionally(
            e -> {
              log.warn(
                  "[{}][{}] A former version of the plugin would not find that the positions have"
                      + " moved: {}",
                  topic.getName(),
                  subscription,
                  e.toString());
              return past;
            });
  }

  /** Begins a log with positions, and declares it when they are on storage. */
  private CompletableFuture<SubscriptionPast> make(
      String subscription,
      ManagedCursor cursor,
      Origin origin,
      StoredPositions positions,
      DeclaredLog declared) {
    String name = PositionsLogName.of(topic.getName(), subscription, declared.generation());
    boolean takenOver = DeclaredLog.of(cursor) == null;
    return swept()
        .thenCompose(done -> PositionsLedger.open(topic, subscription, name, true))
        .thenCompose(
            ledger ->
                FutureUtil.waitForAll(positions.snapshot().stream().map(ledger::append).toList())
                    .thenCompose(appended -> EphemeralCursor.mark(cursor))
                    .thenCompose(marked -> declared.declare(cursor))
                    .thenApply(
                        done ->
                            new SubscriptionPast(origin, positions, ledger, declared, takenOver))
                    .handle(PositionsLedger.closingOnFailure(ledger))
                    .thenCompose(past -> past))
        .exceptionallyCompose(
            e ->
                discard(subscription, cursor, declared)
                    .thenCompose(discarded -> CompletableFuture.failedFuture(e)));
  }

  /**
   * Deletes a log that could not be made, unless it is, or may be, declared: that one is found when
   * somebody tries again, or swept with the next load of the topic.
   */
  private CompletableFuture<Void> discard(
      String subscription, ManagedCursor cursor, DeclaredLog notMade) {
    return CursorState.refresh(cursor)
        .thenCompose(
            refreshed ->
                notMade.equals(DeclaredLog.of(cursor))
                    ? CompletableFuture.<Void>completedFuture(null)
                    : deleteAll(
                        List.of(PositionsLogName.fileOf(subscription, notMade.generation()))))
        .exceptionally(
            e -> {
              log.warn(
                  "[{}][{}] A positions log that could not be made is left until the topic is"
                      + " loaded again: {}",
                  topic.getName(),
                  subscription,
                  e.toString());
              return null;
            });
  }

  /**
   * Deletes the logs that no subscription declares: of topics and subscriptions that were deleted
   * by a broker without the plugin, or while it crashed. Once per load of the topic: when the first
   * log has been read, or before the first is made.
   *
   * <p>This broker may have lost the topic without knowing it yet. So before any is deleted,
   * storage says what is declared, and then the broker, whether the topic is still its own: if
   * either cannot be found out, nothing is deleted.
   */
  private synchronized CompletableFuture<Void> swept() {
    if (swept == null) {
      swept =
          listed()
              .thenCompose(this::sweep)
              .exceptionally(
                  e -> {
                    log.warn("[{}] Some logs that nobody needs are left", topic.getName(), e);
                    return null;
                  });
    }
    return swept;
  }

  private CompletableFuture<Void> sweep(List<String> files) {
    Map<String, Map<String, String>> known = new HashMap<>();
    for (ManagedCursor cursor : topic.getManagedLedger().getCursors()) {
      known.put(cursor.getName(), cursor.getCursorProperties());
    }
    List<String> perhaps = undeclared(files, known);
    return perhaps.isEmpty()
        ? completedFuture(null)
        : storedProperties(perhaps)
            .thenApply(stored -> undeclared(perhaps, stored))
            .thenCompose(
                undeclared ->
                    CursorState.owned(topic.getManagedLedger())
                        .thenCompose(owned -> deleteAll(undeclared)));
  }

  /**
   * Those of some logs that no cursor declares.
   *
   * @param properties of each cursor, by its encoded name
   */
  private static List<String> undeclared(
      List<String> files, Map<String, Map<String, String>> properties) {
    Set<String> declared = new HashSet<>();
    properties.forEach(
        (cursor, ofCursor) -> {
          String subscription = Codec.decode(cursor);
          DeclaredLog known = DeclaredLog.of(ofCursor);
          if (DeclaredLog.isUnknown(ofCursor)) {
            files.stream()
                .filter(file -> PositionsLogName.isOf(file, subscription))
                .forEach(declared::add);
          } else if (known != null) {
            declared.add(PositionsLogName.fileOf(subscription, known.generation()));
            known.lost().forEach(lost -> declared.add(PositionsLogName.fileOf(subscription, lost)));
          }
        });
    return files.stream().filter(file -> !declared.contains(file)).toList();
  }

  /** The properties on storage, whoever wrote them, of the cursors that may declare some logs. */
  private CompletableFuture<Map<String, Map<String, String>>> storedProperties(List<String> files) {
    String cursors = PositionsLogName.metadataOf(topic.getName());
    Map<String, Map<String, String>> properties = new ConcurrentHashMap<>();
    return FutureUtil.waitForAll(
            files.stream()
                .map(PositionsLogName::cursorOf)
                .distinct()
                .map(
                    cursor ->
                        CursorState.read(store(), cursors + '/' + cursor)
                            .thenAccept(
                                found ->
                                    found.ifPresent(
                                        stored -> properties.put(cursor, stored.properties()))))
                .toList())
        .thenApply(read -> properties);
  }

  private CompletableFuture<List<String>> listed() {
    return store().getChildren(PositionsLogName.metadataFolder(topic.getName()));
  }

  private MetadataStore store() {
    return topic.getBrokerService().getPulsar().getLocalMetadataStore();
  }

  private CompletableFuture<Void> deleteAll(List<String> files) {
    return FutureUtil.waitForAll(
        files.stream()
            .map(
                file ->
                    PositionsLedger.delete(
                        topic.getBrokerService(), PositionsLogName.ofFile(topic.getName(), file)))
            .toList());
  }

  /**
   * Deletes a subscription, or makes it plain, and deletes its logs then. Who makes the next one of
   * that name waits until they are gone, because one of them has no generation, the former one.
   *
   * @param declared what its cursor says
   * @param removal removes it and closes its log; when that fails, its logs stay
   * @return completed as {@code removal} is, but with the logs gone
   */
  public CompletableFuture<Void> deleteAfter(
      String subscription, DeclaredLog declared, Supplier<CompletableFuture<Void>> removal) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    CompletableFuture<Void> all = deletions.merge(subscription, ended, CompletableFuture::allOf);
    all.whenComplete((done, e) -> deletions.remove(subscription, all));
    return completedFuture(null)
        .thenCompose(begun -> removal.get())
        .thenCompose(removed -> delete(subscription, declared))
        .whenComplete((deleted, e) -> ended.complete(null));
  }

  private CompletableFuture<Void> delete(String subscription, DeclaredLog declared) {
    List<String> own = new ArrayList<>();
    own.add(PositionsLogName.fileOf(subscription, declared.generation()));
    declared.lost().stream()
        .filter(lost -> !lost.equals(DeclaredLog.FORMER))
        .forEach(lost -> own.add(PositionsLogName.fileOf(subscription, lost)));
    return deleteAll(own)
        .thenCompose(
            deleted -> FormerLog.delete(topic.getBrokerService(), topic.getName(), subscription))
        .exceptionally(
            e -> {
              log.warn(
                  "[{}][{}] Could not delete the stored positions",
                  topic.getName(),
                  subscription,
                  e);
              return null;
            });
  }
}
