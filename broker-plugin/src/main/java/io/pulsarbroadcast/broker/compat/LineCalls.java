/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ReadEntriesCallback;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ReadEntryCallback;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerFactory;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.persistent.PersistentMessageFinder;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.client.api.transaction.TxnID;

/**
 * Calls of the broker whose types differ between Pulsar 3 and Pulsar 4: there {@code Position} is
 * an interface everywhere, here its one class is named in signatures. One implementation per line,
 * chosen once, by what the broker has; the other is never linked. Stateless; from any thread.
 *
 * <p>What differs in a name or a parameter only, and is not called for every message, is in {@link
 * BrokerLine}.
 */
public interface LineCalls {

  /** The calls of the broker that this runs in. */
  LineCalls BROKER = choose();

  private static LineCalls choose() {
    try {
      Class.forName(
          "org.apache.bookkeeper.mledger.impl.PositionImpl",
          false,
          LineCalls.class.getClassLoader());
      return new Pulsar3Calls();
    } catch (ClassNotFoundException e) {
      return new Pulsar4Calls();
    }
  }

  Position position(long ledgerId, long entryId);

  /** Before everything. */
  Position earliest();

  /** After everything. */
  Position latest();

  /** {@link ManagedCursor}'s, with a limit of bytes. */
  void readEntriesOrWait(
      ManagedCursor cursor,
      int maxEntries,
      long maxBytes,
      ReadEntriesCallback callback,
      Position maxPosition);

  /** {@link ManagedCursor}'s, with a limit of bytes. */
  void readEntries(
      ManagedCursor cursor,
      int maxEntries,
      long maxBytes,
      ReadEntriesCallback callback,
      Position maxPosition);

  void readEntry(ManagedLedgerImpl ledger, Position position, ReadEntryCallback callback);

  /** The position before the first entry; null when there is none. */
  Position firstPosition(ManagedLedgerImpl ledger);

  /** Stored bytes after a position, as the broker estimates them. */
  long estimatedBacklogBytes(ManagedLedgerImpl ledger, Position position);

  Position maxReadPosition(PersistentTopic topic);

  boolean isTxnAborted(PersistentTopic topic, TxnID transaction, Position position);

  /** Done when the topic's transaction buffer, if it has one, is recovered. */
  CompletableFuture<Void> transactionBufferRecovered(PersistentTopic topic);

  void forEachSubscription(
      PersistentTopic topic, BiConsumer<String, PersistentSubscription> action);

  void putSubscription(PersistentTopic topic, String name, PersistentSubscription subscription);

  /** The factory of topics' ledgers and of the plugin's own. */
  ManagedLedgerFactory managedLedgerFactory(BrokerService broker);

  PersistentMessageFinder messageFinder(PersistentTopic topic, ManagedCursor cursor);

  /** Which of two positions is first, as {@link java.util.Comparator#compare} answers. */
  static int compare(Position one, Position other) {
    int byLedger = Long.compare(one.getLedgerId(), other.getLedgerId());
    return byLedger != 0 ? byLedger : Long.compare(one.getEntryId(), other.getEntryId());
  }
}
