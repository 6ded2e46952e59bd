/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;
import static org.apache.pulsar.common.util.FutureUtil.waitForAll;

import io.pulsarbroadcast.broker.compat.CursorState;
import io.pulsarbroadcast.broker.cursor.StoredPositions;
import io.pulsarbroadcast.broker.ledger.PositionsLogName.Owner;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ManagedLedgerInfoCallback;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetadataNotFoundException;
import org.apache.bookkeeper.mledger.ManagedLedgerInfo;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.Subscription;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;

/**
 * The log of a subscription under the name that it had until version 2 of the format. Whoever takes
 * the subscription over leaves a record there that former versions of the plugin refuse to read: so
 * going back to one begins with an error and everybody at the subscription's position, and not with
 * nothing known. What a former version then writes there is found when this one is back.
 *
 * <p>The name may be another subscription's too. Then both wrote to one log, and nothing in it can
 * be relied on. May be called from any thread.
 */
final class FormerLog {

  private static final CompletableFuture<Boolean> TRUE = CompletableFuture.completedFuture(true);

  private final PersistentTopic topic;
  private final String subscription;
  private final String name;

  FormerLog(PersistentTopic topic, String subscription) {
    this.topic = topic;
    this.subscription = subscription;
    this.name = PositionsLogName.former(topic.getName(), subscription);
  }

  String name() {
    return name;
  }

  CompletableFuture<Boolean> exists() {
    return exists(broker(), name);
  }

  private static CompletableFuture<Boolean> exists(BrokerService broker, String name) {
    return broker.getPulsar().getLocalMetadataStore().exists(PositionsLogName.metadataOfLog(name));
  }

  /**
   * Whether a subscription exists that has, or may have, the same log: a Broadcast one. A plain one
   * never wrote to it, or deleted it when it became plain.
   */
  CompletableFuture<Boolean> isShared() {
    return isShared(broker(), topic.getName(), subscription);
  }

  private static CompletableFuture<Boolean> isShared(
      BrokerService broker, String topic, String subscription) {
    List<CompletableFuture<Boolean>> others =
        PositionsLogName.othersOfFormer(topic, subscription).stream()
            .map(other -> mayBeBroadcast(broker, other))
            .toList();
    return waitForAll(others).thenApply(asked -> others.stream().anyMatch(CompletableFuture::join));
  }

  /** Also the subscription itself declares its log before it leaves the record here. */
  private static CompletableFuture<Boolean> isUsed(
      BrokerService broker, String topic, String subscription) {
    return CursorState.read(
            broker.getPulsar().getLocalMetadataStore(), new Owner(topic, subscription).metadata())
        .thenApply(own -> own.isPresent() && DeclaredLog.isDeclared(own.orElseThrow()))
        .thenCombine(isShared(broker, topic, subscription), Boolean::logicalOr);
  }

  private static CompletableFuture<Boolean> mayBeBroadcast(BrokerService broker, Owner other) {
    Subscription loaded =
        broker
            .getTopicReference(other.topic())
            .map(topic -> topic.getSubscription(other.subscription()))
            .orElse(null);
    if (loaded instanceof PersistentSubscription known) {
      return CompletableFuture.completedFuture(PositionsLogs.isBroadcast(known.getCursor()));
    }
    return CursorState.read(broker.getPulsar().getLocalMetadataStore(), other.metadata())
        .thenApply(cursor -> cursor.isPresent() && MarkDelete.mayBeMarked(cursor.orElseThrow()));
  }

  /**
   * Reads what is in it.
   *
   * @return fails as said of {@link PositionsLedger#isDamage}
   */
  CompletableFuture<StoredPositions> read() {
    return PositionsLedger.open(topic, subscription, name, false)
        .thenCompose(PositionsLedger::readAndClose);
  }

  /** Whether there are positions, and all are in ledgers that this topic has now. */
  boolean isSurelyOfThisTopic(StoredPositions positions) {
    return !positions.ledgerIds().isEmpty()
        && ledgers().keySet().containsAll(positions.ledgerIds());
  }

  private NavigableMap<Long, ?> ledgers() {
    return ((ManagedLedgerImpl) topic.getManagedLedger()).getLedgersInfo();
  }

  /** Whether positions are of this topic: none is in a ledger that only another one can have. */
  boolean isOfThisTopic(StoredPositions positions) {
    NavigableMap<Long, ?> ledgers = ledgers();
    return positions.ledgerIds().stream()
        .allMatch(
            ledger ->
                ledgers.containsKey(ledger) || ledgers.isEmpty() || ledger < ledgers.firstKey());
  }

  /**
   * Leaves the record that it goes on elsewhere; what was before it stays until the log is deleted.
   *
   * @return the ledger that this is in
   */
  CompletableFuture<Long> retire() {
    return PositionsLedger.open(topic, subscription, name, true)
        .thenCompose(
            ledger ->
                ledger
                    .append(StoredPositions.retirement())
                    .thenApply(record -> ((Position) record).getLedgerId())
                    .handle(PositionsLedger.closing(ledger))
                    .thenCompose(retired -> retired));
  }

  /** Whether something was written since {@link #retire}. */
  CompletableFuture<Boolean> isWrittenSince(long retiredIn) {
    if (retiredIn < 0) {
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Boolean> written = new CompletableFuture<>();
    BROKER
        .managedLedgerFactory(broker())
        .asyncGetManagedLedgerInfo(
            name,
            new ManagedLedgerInfoCallback() {
              @Override
              public void getInfoComplete(ManagedLedgerInfo info, Object ctx) {
                // Whoever opens a log begins a new ledger.
                written.complete(
                    info.ledgers.stream().anyMatch(ledger -> ledger.ledgerId > retiredIn));
              }

              @Override
              public void getInfoFailed(ManagedLedgerException exception, Object ctx) {
                if (exception instanceof MetadataNotFoundException) {
                  written.complete(false);
                } else {
                  written.completeExceptionally(exception);
                }
              }
            },
            null);
    return written;
  }

  /**
   * Deletes the former log of a subscription that is deleted, unless it is another's too, or the
   * subscription has been made again, with its topic.
   */
  static CompletableFuture<Void> delete(BrokerService broker, String topic, String subscription) {
    String name = PositionsLogName.former(topic, subscription);
    return exists(broker, name)
        .thenCompose(exists -> exists ? isUsed(broker, topic, subscription) : TRUE)
        .thenCompose(
            keep ->
                keep
                    ? CompletableFuture.completedFuture(null)
                    : PositionsLedger.delete(broker, name));
  }

  private BrokerService broker() {
    return topic.getBrokerService();
  }
}
