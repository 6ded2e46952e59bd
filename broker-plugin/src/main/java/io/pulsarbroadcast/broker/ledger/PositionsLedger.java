/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.netty.buffer.ByteBuf;
import io.pulsarbroadcast.broker.compat.BrokerLine;
import io.pulsarbroadcast.broker.cursor.PositionsStore;
import io.pulsarbroadcast.broker.cursor.StoredPositions;
import io.pulsarbroadcast.broker.cursor.UnknownVersionException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.mledger.AsyncCallbacks;
import org.apache.bookkeeper.mledger.Entry;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.LedgerNotExistException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.ManagedLedgerAlreadyClosedException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.ManagedLedgerFencedException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.ManagedLedgerNotFoundException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.MetadataNotFoundException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.NullLedgerOffloader;
import org.apache.pulsar.broker.service.BrokerService;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.util.FutureUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The positions log of one Broadcast subscription on BookKeeper: a managed ledger of its own,
 * beside the topic's, as the broker keeps pending acknowledgements of transactions. One cursor
 * stands before the last snapshot, so that older ledgers are trimmed. May be called from any
 * thread.
 */
public final class PositionsLedger implements PositionsStore.Log {

  /** A log that was read holds no positions, or a record that is not what was written. */
  static final class DamagedLogException extends IOException {

    private static final long serialVersionUID = 1;

    DamagedLogException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private static final String CURSOR = "snapshot";
  private static final int READ_ENTRIES = 100;

  private static final Logger log = LoggerFactory.getLogger(PositionsLedger.class);

  /**
   * A log with no more than this is read from the beginning of its ledger. To store where the
   * snapshot begins takes a ledger more, which many subscriptions of a broker never need.
   */
  private static final long SMALL_BYTES = 64 << 10;

  /** Small enough for others to read it from its beginning. */
  private static final int LEDGER_MEGABYTES = 64;

  /** How long after a failure the log is opened again. */
  private static final int REOPEN_SECONDS = 1;

  private final PersistentTopic topic;
  private final String subscription;
  private final String name;
  private volatile ManagedLedger ledger;
  private volatile ManagedCursor cursor;
  private volatile boolean takenOver;
  private volatile boolean closed;
  private volatile boolean reopening;

  private PositionsLedger(PersistentTopic topic, String subscription, String name) {
    this.topic = topic;
    this.subscription = subscription;
    this.name = name;
  }

  /**
   * Opens a log.
   *
   * @param name the managed ledger's, see {@link PositionsLogName}
   * @param create whether to make it when there is none; else that fails, see {@link #isDamage}
   */
  static CompletableFuture<PositionsLedger> open(
      PersistentTopic topic, String subscription, String name, boolean create) {
    return new PositionsLedger(topic, subscription, name).open(create);
  }

  private CompletableFuture<PositionsLedger> open(boolean create) {
    return topic
        .getBrokerService()
        .getManagedLedgerConfig(TopicName.get(topic.getName()))
        .thenCompose(config -> openLedger(forPositions(config, create)))
        .thenCompose(
            opened ->
                openCursor(opened)
                    .thenApply(
                        openedCursor -> {
                          cursor = openedCursor;
                          takenOver = false;
                          ledger = opened;
                          return this;
                        })
                    .whenComplete(
                        (done, e) -> {
                          if (e != null) {
                            // Left open it would be found in the broker's cache, and be stale.
                            close(opened);
                          }
                        }));
  }

  /**
   * Opens the log again after {@link #close}, until that succeeds or it is closed again; what is
   * appended before that is done fails.
   */
  public void reopen() {
    reopening = true;
    closed = false;
    openAgain();
  }

  private void openAgain() {
    open(false)
        .whenComplete(
            (opened, e) -> {
              if (e == null) {
                reopening = false;
                if (closed) {
                  close();
                }
              } else if (!closed) {
                log.warn(
                    "[{}][{}] Could not open the positions log again, trying again: {}",
                    topic.getName(),
                    subscription,
                    e.toString());
                topic
                    .getBrokerService()
                    .getPulsar()
                    .getExecutor()
                    .schedule(this::openAgainUnlessClosed, REOPEN_SECONDS, TimeUnit.SECONDS);
              }
            });
  }

  private void openAgainUnlessClosed() {
    if (!closed) {
      openAgain();
    }
  }

  /**
   * Whether a log that fails so to be opened or read will do so for ever: it is not there, or parts
   * of it are not, or are not what was written. Everything else may pass, failures of the metadata
   * store among it.
   */
  static boolean isDamage(Throwable failure) {
    Throwable cause = FutureUtil.unwrapCompletionException(failure);
    String message = String.valueOf(cause.getMessage());
    return cause instanceof DamagedLogException
        || cause instanceof ManagedLedgerNotFoundException
        || cause instanceof LedgerNotExistException
        || message.equals(BKException.getMessage(BKException.Code.NoSuchEntryException))
        || message.startsWith(BKException.getMessage(BKException.Code.DigestMatchException));
  }

  /** Whether there is no such log; otherwise as {@link #isDamage}. */
  static boolean isMissing(Throwable failure) {
    return FutureUtil.unwrapCompletionException(failure) instanceof ManagedLedgerNotFoundException;
  }

  /** Closes a log, whatever happened, before that is passed on. */
  static <T> BiFunction<T, Throwable, CompletableFuture<T>> closing(PositionsLedger ledger) {
    return (value, e) ->
        ledger
            .close()
            .handle(
                (closed, notClosed) ->
                    e == null
                        ? CompletableFuture.completedFuture(value)
                        : CompletableFuture.<T>failedFuture(e))
            .thenCompose(passed -> passed);
  }

  /** Closes a log when what was done with it failed. */
  static <T> BiFunction<T, Throwable, CompletableFuture<T>> closingOnFailure(
      PositionsLedger ledger) {
    BiFunction<T, Throwable, CompletableFuture<T>> closing = closing(ledger);
    return (value, e) ->
        e == null ? CompletableFuture.completedFuture(value) : closing.apply(value, e);
  }

  /** Changes a topic's configuration, which the broker makes anew for each that asks. */
  static ManagedLedgerConfig forPositions(ManagedLedgerConfig config, boolean create) {
    config.setCreateIfMissing(create);
    // Of a log nothing is to be left out, whatever the operator chose for messages.
    config.setAutoSkipNonRecoverableData(false);
    config.setRetentionTime(0, TimeUnit.SECONDS);
    config.setRetentionSizeInMB(0);
    config.setMaxSizePerLedgerMb(Math.min(config.getMaxSizePerLedgerMb(), LEDGER_MEGABYTES));
    config.setShadowSourceName(null);
    config.setManagedLedgerInterceptor(null);
    // To load a topic, no bucket is to be needed.
    config.setLedgerOffloader(NullLedgerOffloader.INSTANCE);
    return config;
  }

  /**
   * Opens a log that nobody else has. What the broker has open already belongs to a load of the
   * topic that was closed without waiting, or to an exchange of types there: it would write its own
   * numbers between those of this load, and close the log under it. Closed, it can do neither.
   */
  private CompletableFuture<ManagedLedger> openLedger(ManagedLedgerConfig config) {
    return openOrShare(topic, name, config)
        .thenCompose(
            opened -> {
              if (opened.getConfig() == config) {
                return CompletableFuture.completedFuture(opened);
              }
              return closed
                  ? CompletableFuture.failedFuture(
                      new ManagedLedgerAlreadyClosedException("The positions log is closed"))
                  : close(opened).exceptionally(e -> null).thenCompose(done -> openLedger(config));
            });
  }

  /** Opens a log, or finds it open: then with the configuration of whoever opened it. */
  private static CompletableFuture<ManagedLedger> openOrShare(
      PersistentTopic topic, String name, ManagedLedgerConfig config) {
    CompletableFuture<ManagedLedger> opened = new CompletableFuture<>();
    BROKER
        .managedLedgerFactory(topic.getBrokerService())
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
   * Reads everything from the last snapshot on. Fails with a {@link DamagedLogException} at a
   * record that cannot be read, when there is none, or when they make no sense, and with an {@link
   * UnknownVersionException} at one of a newer version.
   */
  CompletableFuture<StoredPositions> read() {
    cursor.rewind();
    return readOn(new StoredPositions()).thenCompose(this::checked);
  }

  CompletableFuture<StoredPositions> readAndClose() {
    return read().handle(closing(this)).thenCompose(stored -> stored);
  }

  private CompletableFuture<StoredPositions> checked(StoredPositions stored) {
    try {
      if (stored.isNothing()) {
        throw new IOException("the positions log " + name + " has no records");
      }
      stored.check();
      return CompletableFuture.completedFuture(stored);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(new DamagedLogException(e.getMessage(), e));
    }
  }

  private CompletableFuture<StoredPositions> readOn(StoredPositions stored) {
    if (!cursor.hasMoreEntries()) {
      return CompletableFuture.completedFuture(stored);
    }
    CompletableFuture<List<Entry>> read = new CompletableFuture<>();
    BROKER.readEntries(
        cursor,
        READ_ENTRIES,
        Long.MAX_VALUE,
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
        BROKER.latest());
    return read.thenCompose(
        entries -> {
          try {
            for (Entry entry : entries) {
              stored.apply(entry.getData());
            }
          } catch (UnknownVersionException e) {
            return CompletableFuture.failedFuture(e);
          } catch (IOException e) {
            return CompletableFuture.failedFuture(new DamagedLogException(e.getMessage(), e));
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
            if (exception instanceof ManagedLedgerFencedException || isClosedByAnother()) {
              closeTopic();
            }
            // Until it is told so, a managed ledger takes nothing more after a failed write. What
            // this one did not take is in the snapshot that follows.
            ledger.readyToCreateNewLedger();
            appended.completeExceptionally(exception);
          }
        },
        null);
    return appended;
  }

  /** Whether another load of the topic has it, see {@link #openLedger}. */
  private boolean isClosedByAnother() {
    return !closed && !reopening && BrokerLine.isClosed(ledger);
  }

  /**
   * Somebody else has written to the log, or has it, so this one never takes anything again: the
   * topic closes, as the broker has it close when that happens to its own ledger, and is loaded
   * anew. A topic that was closed without waiting for its subscriptions has been loaded anew.
   */
  private synchronized void closeTopic() {
    // The former log takes one record only, and is fenced while it is being deleted.
    if (!takenOver
        && !BrokerLine.isClosed(topic.getManagedLedger())
        && !name.equals(PositionsLogName.former(topic.getName(), subscription))) {
      takenOver = true;
      log.warn(
          "[{}][{}] The positions log has been taken over: closing the topic, to load it again",
          topic.getName(),
          subscription);
      topic.close(true);
    }
  }

  @Override
  public void forgetBefore(Object record) {
    Position first = (Position) record;
    boolean sameLedger = first.getLedgerId() == cursor.getMarkDeletedPosition().getLedgerId();
    if (sameLedger && ledger.getTotalSize() <= SMALL_BYTES) {
      return;
    }
    cursor.asyncMarkDelete(
        BROKER.position(first.getLedgerId(), first.getEntryId() - 1),
        new AsyncCallbacks.MarkDeleteCallback() {
          @Override
          public void markDeleteComplete(Object ctx) {
            // The ledgers before are trimmed when the next one is opened.
          }

          @Override
          public void markDeleteFailed(ManagedLedgerException exception, Object ctx) {
            // A later snapshot tries again, or the close; until then a load reads more than it
            // needs.
          }
        },
        null);
  }

  /** The managed ledger's name. */
  String name() {
    return name;
  }

  /** What the log takes on storage. */
  public long sizeBytes() {
    return ledger.getTotalSize();
  }

  /** Closes the log; what was appended before is on storage. */
  public CompletableFuture<Void> close() {
    closed = true;
    return close(ledger);
  }

  private static CompletableFuture<Void> close(ManagedLedger ledger) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    ledger.asyncClose(
        new AsyncCallbacks.CloseCallback() {
          @Override
          public void closeComplete(Object ctx) {
            done.complete(null);
          }

          @Override
          public void closeFailed(ManagedLedgerException exception, Object ctx) {
            done.completeExceptionally(exception);
          }
        },
        null);
    return done;
  }

  /** Deletes a log, open or not; does nothing when there is none. */
  static CompletableFuture<Void> delete(BrokerService broker, String name) {
    CompletableFuture<Void> deleted = new CompletableFuture<>();
    BROKER
        .managedLedgerFactory(broker)
        .asyncDelete(
            name,
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
