/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import io.netty.buffer.ByteBuf;
import io.pulsarbroadcast.broker.cursor.PositionsStore;
import io.pulsarbroadcast.broker.cursor.StoredPositions;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.mledger.AsyncCallbacks;
import org.apache.bookkeeper.mledger.Entry;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.ManagedLedgerNotFoundException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetadataNotFoundException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.PositionImpl;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.Codec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The positions log of one Broadcast subscription on BookKeeper: a managed ledger of its own,
 * beside the topic's, as the broker keeps pending acknowledgements of transactions. One cursor
 * stands before the last snapshot, so that older ledgers are trimmed. May be called from any
 * thread.
 */
final class PositionsLedger implements PositionsStore.Log {

  /**
   * Where the logs of all topics are, in the form of a namespace that is nobody's: inside the
   * topic's own namespace they would show in listings, or be in the way when it is deleted.
   */
  private static final String FOLDER = "pulsar-broadcast/positions/persistent/";

  private static final String CURSOR = "snapshot";
  private static final int READ_ENTRIES = 100;

  private static final Logger log = LoggerFactory.getLogger(PositionsLedger.class);

  private final PersistentTopic topic;
  private final String subscription;
  private volatile ManagedLedger ledger;
  private volatile ManagedCursor cursor;

  private PositionsLedger(PersistentTopic topic, String subscription) {
    this.topic = topic;
    this.subscription = subscription;
  }

  /** The managed ledger's name. */
  private static String nameOf(PersistentTopic topic, String subscription) {
    return FOLDER + Codec.encode(topic.getName()) + "-" + Codec.encode(subscription);
  }

  /** Opens the log, making it when there is none. */
  static CompletableFuture<PositionsLedger> open(PersistentTopic topic, String subscription) {
    return new PositionsLedger(topic, subscription).open();
  }

  private CompletableFuture<PositionsLedger> open() {
    return topic
        .getBrokerService()
        .getManagedLedgerConfig(TopicName.get(topic.getName()))
        .thenCompose(config -> openLedger(topic, nameOf(topic, subscription), forPositions(config)))
        .thenCompose(
            opened ->
                openCursor(opened)
                    .thenApply(
                        openedCursor -> {
                          cursor = openedCursor;
                          ledger = opened;
                          return this;
                        }));
  }

  /** Opens the log again after {@link #close}; what is appended before that is done fails. */
  void reopen() {
    open()
        .exceptionally(
            e -> {
              log.warn(
                  "[{}][{}] Could not open the positions log again",
                  topic.getName(),
                  subscription,
                  e);
              return null;
            });
  }

  private static ManagedLedgerConfig forPositions(ManagedLedgerConfig config) {
    config.setCreateIfMissing(true);
    config.setRetentionTime(0, TimeUnit.SECONDS);
    config.setRetentionSizeInMB(0);
    config.setShadowSourceName(null);
    config.setManagedLedgerInterceptor(null);
    return config;
  }

  private static CompletableFuture<ManagedLedger> openLedger(
      PersistentTopic topic, String name, ManagedLedgerConfig config) {
    CompletableFuture<ManagedLedger> opened = new CompletableFuture<>();
    topic
        .getBrokerService()
        .getManagedLedgerFactory()
        .asyncOpen(
            name,
            config,
            new AsyncCallbacks.OpenLedgerCallback() {
              @Override
              public void openLedgerComplete(ManagedLedger ledger, Object ctx) {
                opened.complete(ledger);
              }

              @Override
              public void openLedgerFailed(ManagedLedgerException exception, Object ctx) {
                opened.completeExceptionally(exception);
              }
            },
            () -> CompletableFuture.completedFuture(true),
            null);
    return opened;
  }

  private static CompletableFuture<ManagedCursor> openCursor(ManagedLedger ledger) {
    CompletableFuture<ManagedCursor> opened = new CompletableFuture<>();
    ledger.asyncOpenCursor(
        CURSOR,
        InitialPosition.Earliest,
        new AsyncCallbacks.OpenCursorCallback() {
          @Override
          public void openCursorComplete(ManagedCursor cursor, Object ctx) {
            opened.complete(cursor);
          }

          @Override
          public void openCursorFailed(ManagedLedgerException exception, Object ctx) {
            opened.completeExceptionally(exception);
          }
        },
        null);
    return opened;
  }

  /**
   * Reads everything from the last snapshot on. Fails with an IOException at a record that cannot
   * be read.
   */
  CompletableFuture<StoredPositions> read() {
    cursor.rewind();
    return readOn(new StoredPositions());
  }

  private CompletableFuture<StoredPositions> readOn(StoredPositions stored) {
    if (!cursor.hasMoreEntries()) {
      return CompletableFuture.completedFuture(stored);
    }
    CompletableFuture<List<Entry>> read = new CompletableFuture<>();
    cursor.asyncReadEntries(
        READ_ENTRIES,
        new AsyncCallbacks.ReadEntriesCallback() {
          @Override
          public void readEntriesComplete(List<Entry> entries, Object ctx) {
            read.complete(entries);
          }

          @Override
          public void readEntriesFailed(ManagedLedgerException exception, Object ctx) {
            read.completeExceptionally(exception);
          }
        },
        null,
        PositionImpl.LATEST);
    return read.thenCompose(
        entries -> {
          try {
            for (Entry entry : entries) {
              stored.apply(entry.getData());
            }
          } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
          } finally {
            entries.forEach(Entry::release);
          }
          return readOn(stored);
        });
  }

  @Override
  public CompletableFuture<Object> append(byte[] record) {
    CompletableFuture<Object> appended = new CompletableFuture<>();
    ledger.asyncAddEntry(
        record,
        new AsyncCallbacks.AddEntryCallback() {
          @Override
          public void addComplete(Position position, ByteBuf data, Object ctx) {
            appended.complete(position);
          }

          @Override
          public void addFailed(ManagedLedgerException exception, Object ctx) {
            appended.completeExceptionally(exception);
          }
        },
        null);
    return appended;
  }

  @Override
  public void forgetBefore(Object record) {
    PositionImpl first = (PositionImpl) record;
    cursor.asyncMarkDelete(
        PositionImpl.get(first.getLedgerId(), first.getEntryId() - 1),
        new AsyncCallbacks.MarkDeleteCallback() {
          @Override
          public void markDeleteComplete(Object ctx) {
            // The ledgers before are trimmed when the next one is opened.
          }

          @Override
          public void markDeleteFailed(ManagedLedgerException exception, Object ctx) {
            // The next snapshot tries again; until then a load reads more than it needs.
          }
        },
        null);
  }

  /** What the log takes on storage. */
  long sizeBytes() {
    return ledger.getTotalSize();
  }

  /** Closes the log; what was appended before is on storage. */
  CompletableFuture<Void> close() {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    ledger.asyncClose(
        new AsyncCallbacks.CloseCallback() {
          @Override
          public void closeComplete(Object ctx) {
            closed.complete(null);
          }

          @Override
          public void closeFailed(ManagedLedgerException exception, Object ctx) {
            closed.completeExceptionally(exception);
          }
        },
        null);
    return closed;
  }

  /** Deletes the log of a subscription, open or not; does nothing when there is none. */
  static CompletableFuture<Void> delete(PersistentTopic topic, String subscription) {
    CompletableFuture<Void> deleted = new CompletableFuture<>();
    topic
        .getBrokerService()
        .getManagedLedgerFactory()
        .asyncDelete(
            nameOf(topic, subscription),
            new AsyncCallbacks.DeleteLedgerCallback() {
              @Override
              public void deleteLedgerComplete(Object ctx) {
                deleted.complete(null);
              }

              @Override
              public void deleteLedgerFailed(ManagedLedgerException exception, Object ctx) {
                if (exception instanceof MetadataNotFoundException
                    || exception instanceof ManagedLedgerNotFoundException) {
                  deleted.complete(null);
                } else {
                  deleted.completeExceptionally(exception);
                }
              }
            },
            null);
    return deleted;
  }
}
