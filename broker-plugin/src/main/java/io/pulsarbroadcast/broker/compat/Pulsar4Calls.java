/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ReadEntriesCallback;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ReadEntryCallback;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerFactory;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.PositionFactory;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.persistent.PersistentMessageFinder;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.client.api.transaction.TxnID;

/**
 * {@link LineCalls} for Pulsar 4.0 and later. Compiled against the hand-written signatures of that
 * line (src/main/signatures), not against its jars.
 */
@Line(from = "4.0")
final class Pulsar4Calls implements LineCalls {

  @Override
  public Position position(long ledgerId, long entryId) {
    return PositionFactory.create(ledgerId, entryId);
  }

  @Override
  public Position earliest() {
    return PositionFactory.EARLIEST;
  }

  @Override
  public Position latest() {
    return PositionFactory.LATEST;
  }

  @Override
  public void readEntriesOrWait(
      ManagedCursor cursor,
      int maxEntries,
      long maxBytes,
      ReadEntriesCallback callback,
      Position maxPosition) {
    cursor.asyncReadEntriesOrWait(maxEntries, maxBytes, callback, null, maxPosition);
  }

  @Override
  public void readEntries(
      ManagedCursor cursor,
      int maxEntries,
      long maxBytes,
      ReadEntriesCallback callback,
      Position maxPosition) {
    cursor.asyncReadEntries(maxEntries, maxBytes, callback, null, maxPosition);
  }

  @Override
  public void readEntry(ManagedLedgerImpl ledger, Position position, ReadEntryCallback callback) {
    ledger.asyncReadEntry(position, callback, null);
  }

  @Override
  public Position firstPosition(ManagedLedgerImpl ledger) {
    return ledger.getFirstPosition();
  }

  @Override
  public long estimatedBacklogBytes(ManagedLedgerImpl ledger, Position position) {
    return ledger.getEstimatedBacklogSize(position);
  }

  @Override
  public Position maxReadPosition(PersistentTopic topic) {
    return topic.getMaxReadPosition();
  }

  @Override
  public boolean isTxnAborted(PersistentTopic topic, TxnID transaction, Position position) {
    return topic.isTxnAborted(transaction, position);
  }

  @Override
  public CompletableFuture<Void> transactionBufferRecovered(PersistentTopic topic) {
    return topic.checkIfTransactionBufferRecoverCompletely();
  }

  @Override
  public void forEachSubscription(
      PersistentTopic topic, BiConsumer<String, PersistentSubscription> action) {
    topic.getSubscriptions().forEach(action);
  }

  @Override
  public void putSubscription(
      PersistentTopic topic, String name, PersistentSubscription subscription) {
    topic.getSubscriptions().put(name, subscription);
  }

  @Override
  public ManagedLedgerFactory managedLedgerFactory(BrokerService broker) {
    return broker.getPulsar().getDefaultManagedLedgerFactory();
  }

  @Override
  public PersistentMessageFinder messageFinder(PersistentTopic topic, ManagedCursor cursor) {
    return new PersistentMessageFinder(
        topic.getManagedLedger().getName(),
        cursor,
        topic
            .getBrokerService()
            .getPulsar()
            .getConfiguration()
            .getManagedLedgerCursorResetLedgerCloseTimestampMaxClockSkewMillis());
  }
}
