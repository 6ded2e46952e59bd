/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.pulsarbroadcast.broker.compat.SubscriptionPast.Origin;
import io.pulsarbroadcast.broker.cursor.StoredPositions;
import io.pulsarbroadcast.broker.cursor.UnknownVersionException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.pulsar.broker.service.BrokerServiceException;
import org.apache.pulsar.broker.service.BrokerServiceException.NotAllowedException;
import org.apache.pulsar.broker.service.BrokerServiceException.PersistenceException;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.util.Codec;
import org.apache.pulsar.common.util.FutureUtil;
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
final class PositionsLogs {

  private static final Logger log = LoggerFactory.getLogger(PositionsLogs.class);

  private final PersistentTopic topic;

  /** Completed when logs that nobody declares are gone. Guarded by this object's monitor. */
  private CompletableFuture<Void> swept;

  PositionsLogs(PersistentTopic topic) {
    this.topic = topic;
  }

  /** Whether a subscription that is being loaded is Broadcast. */
  static boolean isBroadcast(ManagedCursor cursor) {
    return DeclaredLog.of(cursor) != null || PositionPublisher.isMarked(cursor);
  }

  /**
   * What is known of a subscription, with its log open.
   *
   * @param made whether the subscription has been made just now
   * @return fails with a PersistenceException when that may be tried again, and with a
   *     NotAllowedException that says what would be needed
   */
  CompletableFuture<SubscriptionPast> pastOf(
      String subscription, ManagedCursor cursor, boolean made) {
    DeclaredLog declared = DeclaredLog.of(cursor);
    CompletableFuture<SubscriptionPast> past =
        declared != null
            ? read(subscription, cursor, declared)
            : PositionPublisher.isMarked(cursor)
                ? takeOver(subscription, cursor)
                : begin(subscription, cursor, made ? Origin.NEW : Origin.PLAIN);
    return past.handle(
            (known, e) ->
                e == null
                    ? completedFuture(known)
                    : CompletableFuture.<SubscriptionPast>failedFuture(refusal(subscription, e)))
        .thenCompose(known -> known);
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
                                                originOf(positions, declared.lost()),
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
        .handle(
            (past, e) ->
                e == null
                    ? completedFuture(past)
                    : PositionsLedger.isDamage(e)
                        ? lose(
                            subscription,
                            cursor,
                            declared.generation(),
                            declared.formerLedger(),
                            e.toString())
                        : CompletableFuture.<SubscriptionPast>failedFuture(e))
        .thenCompose(past -> past);
  }

  private static Origin originOf(StoredPositions positions, String lost) {
    if (lost != null) {
      return Origin.LOST;
    }
    return positions.size() > 0 ? Origin.STORED : Origin.PLAIN;
  }

  /** A former version of the plugin has served the topic meanwhile. */
  private CompletableFuture<SubscriptionPast> update(
      String subscription, ManagedCursor cursor, DeclaredLog declared, StoredPositions positions) {
    FormerLog former = new FormerLog(topic, subscription);
    return former
        .read()
        .thenCompose(
            later -> {
              positions.update(later);
              return move(
                  subscription,
                  cursor,
                  originOf(positions, declared.lost()),
                  positions,
                  declared.lost());
            });
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
                        DeclaredLog.FORMER,
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
                                                DeclaredLog.FORMER,
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
          DeclaredLog.FORMER,
          DeclaredLog.NO_LEDGER,
          "another subscription has used the same log, " + former.name());
    }
    log.info(
        "[{}][{}] {} stored positions move to a log of format 3",
        topic.getName(),
        subscription,
        positions.size());
    return move(subscription, cursor, originOf(positions, null), positions, null);
  }

  /** Positions are lost: what is left of their log stays, and a new one begins. */
  private CompletableFuture<SubscriptionPast> lose(
      String subscription, ManagedCursor cursor, String lost, long formerLedger, String why) {
    log.error(
        "[{}][{}] The stored positions are lost: {}. Every consumer goes on from the subscription's position, which"
            + " stays where it is, with everything after it, until somebody clears the backlog, resets or deletes the"
            + " subscription",
        topic.getName(),
        subscription,
        why);
    return make(
        subscription,
        cursor,
        Origin.LOST,
        new StoredPositions(),
        new DeclaredLog(PositionsLogName.newGeneration(), formerLedger, lost));
  }

  private CompletableFuture<SubscriptionPast> begin(
      String subscription, ManagedCursor cursor, Origin origin) {
    return move(subscription, cursor, origin, new StoredPositions(), null);
  }

  /** Begins a log with positions, and leaves word where a former version would look for it. */
  private CompletableFuture<SubscriptionPast> move(
      String subscription,
      ManagedCursor cursor,
      Origin origin,
      StoredPositions positions,
      String lost) {
    FormerLog former = new FormerLog(topic, subscription);
    return former
        .isShared()
        .thenCompose(shared -> shared ? completedFuture(DeclaredLog.NO_LEDGER) : former.retire())
        .thenCompose(
            retiredIn ->
                make(
                    subscription,
                    cursor,
                    origin,
                    positions,
                    new DeclaredLog(PositionsLogName.newGeneration(), retiredIn, lost)));
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
                    .thenCompose(appended -> declared.declare(cursor))
                    .thenApply(
                        done ->
                            new SubscriptionPast(origin, positions, ledger, declared, takenOver))
                    .handle(PositionsLedger.closingOnFailure(ledger))
                    .thenCompose(past -> past));
  }

  /**
   * Deletes the logs that no subscription declares: of topics and subscriptions that were deleted
   * by a broker without the plugin, or while it crashed. Once per load of the topic, before the
   * first log is made.
   */
  private synchronized CompletableFuture<Void> swept() {
    if (swept == null || swept.isCompletedExceptionally()) {
      swept = listed().thenCompose(this::sweep);
    }
    return swept;
  }

  private CompletableFuture<Void> sweep(List<String> files) {
    Set<String> declared = new HashSet<>();
    for (ManagedCursor cursor : topic.getManagedLedger().getCursors()) {
      DeclaredLog known = DeclaredLog.of(cursor);
      if (known != null) {
        String subscription = Codec.decode(cursor.getName());
        declared.add(PositionsLogName.fileOf(subscription, known.generation()));
        declared.add(PositionsLogName.fileOf(subscription, String.valueOf(known.lost())));
      }
    }
    return deleteAll(files.stream().filter(file -> !declared.contains(file)).toList());
  }

  private CompletableFuture<List<String>> listed() {
    return topic
        .getBrokerService()
        .getPulsar()
        .getLocalMetadataStore()
        .getChildren(PositionsLogName.metadataFolder(topic.getName()));
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
   * Deletes the logs of a subscription that is deleted, or plain now; they are closed.
   *
   * @param declared what its cursor said
   */
  CompletableFuture<Void> delete(String subscription, DeclaredLog declared) {
    return listed()
        .thenCompose(
            files -> {
              Set<String> own = new HashSet<>();
              // What was made a moment ago may not be listed yet.
              own.add(PositionsLogName.fileOf(subscription, declared.generation()));
              files.stream()
                  .filter(file -> PositionsLogName.isOf(file, subscription))
                  .forEach(own::add);
              return deleteAll(new ArrayList<>(own));
            })
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
