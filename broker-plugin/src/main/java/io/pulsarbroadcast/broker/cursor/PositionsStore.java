/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Writes the positions of one Broadcast subscription to its log: what changed since the flush
 * before, and a snapshot of everything now and then, after which the log before it is forgotten.
 *
 * <p>May be called from any thread. One flush is under way at a time; those asked for meanwhile are
 * one, after it: so a thousand consumers that register at once cost one write, and {@link
 * #flushNewNames} does not look at those that were there before.
 */
public final class PositionsStore {

  /**
   * A snapshot is due when the changes since the last take this many times its size, and at least
   * this many bytes.
   */
  private static final int CHANGES_PER_SNAPSHOT = 4;

  private static final long MIN_CHANGES_BYTES = 1 << 20;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** Where records go; keeps their order. May answer on any thread. */
  public interface Log {
    /**
     * Appends a record.
     *
     * @return what names the record in {@link #forgetBefore}, when it is on storage
     */
    CompletableFuture<Object> append(byte[] record);

    /** Records before this one are needed no more. */
    void forgetBefore(Object record);
  }

  private final Log log;
  private final CursorRegistry cursors;
  private final LedgerIndex index;
  private final int maxHoles;
  private final int maxRecordBytes;

  @GuardedBy("this")
  private CompletableFuture<Void> underWay;

  @GuardedBy("this")
  private CompletableFuture<Void> next;

  /** Whether new names are all that the next flush was asked for. */
  @GuardedBy("this")
  private boolean nextIsOfNames;

  /** Confined to the flush under way. */
  private boolean snapshotDue = true;

  private long snapshotBytes;
  private long changesBytes;

  /** Whether a record was the last one, of which storage does not tell others yet. */
  private boolean unconfirmed;

  private volatile long holesLeftOut;

  private volatile BooleanSupplier followed = () -> false;

  /**
   * @param maxHoles how many entries, and how many batches, acknowledged ahead of its position are
   *     kept of one consumer; the others come again if the broker stops
   */
  public PositionsStore(Log log, CursorRegistry cursors, LedgerIndex index, int maxHoles) {
    this(log, cursors, index, maxHoles, PositionsRecords.MAX_RECORD_BYTES);
  }

  PositionsStore(
      Log log, CursorRegistry cursors, LedgerIndex index, int maxHoles, int maxRecordBytes) {
    this.log = log;
    this.cursors = cursors;
    this.index = index;
    this.maxHoles = maxHoles;
    this.maxRecordBytes = maxRecordBytes;
  }

  /**
   * Sets when others read the log while it is written: storage tells them of a record with the next
   * one only, so that an empty one follows each flush then.
   */
  public void followedIf(BooleanSupplier others) {
    followed = others;
  }

  /**
   * How many acknowledgements ahead of positions the last flush left out, because some consumer has
   * more of them than are kept.
   */
  public long holesLeftOut() {
    return holesLeftOut;
  }

  /**
   * Writes what changed before this call.
   *
   * @return completed when it is on storage; fails when storage does, and then everything is
   *     written again next time
   */
  public CompletableFuture<Void> flush() {
    return flush(false);
  }

  /**
   * Writes the names that are new, with the positions under them; the positions of others may stay
   * as they were.
   *
   * @return as of {@link #flush}
   */
  public CompletableFuture<Void> flushNewNames() {
    return flush(true);
  }

  private CompletableFuture<Void> flush(boolean ofNames) {
    CompletableFuture<Void> mine;
    synchronized (this) {
      if (underWay != null) {
        if (next == null) {
          next = new CompletableFuture<>();
          nextIsOfNames = true;
        }
        nextIsOfNames &= ofNames;
        return next;
      }
      underWay = new CompletableFuture<>();
      mine = underWay;
    }
    write(mine, ofNames);
    return mine;
  }

  private void write(CompletableFuture<Void> done, boolean ofNames) {
    CompletableFuture<Void> written;
    try {
      written = snapshotDue ? writeSnapshot() : ofNames ? writeNewNames() : writeChanges();
    } catch (RuntimeException e) {
      written = CompletableFuture.failedFuture(e);
    }
    written.whenComplete(
        (nothing, e) -> {
          if (e == null) {
            cursors.stored();
          } else {
            snapshotDue = true;
          }
          CompletableFuture<Void> following;
          boolean followingIsOfNames;
          synchronized (this) {
            following = next;
            followingIsOfNames = nextIsOfNames;
            next = null;
            underWay = following;
          }
          if (e == null) {
            done.complete(null);
          } else {
            done.completeExceptionally(e);
          }
          if (following != null) {
            write(following, followingIsOfNames);
          }
        });
  }

  private CompletableFuture<Void> writeNewNames() {
    PositionsRecords records = newRecords();
    cursors.collectNewNames(records);
    return write(records);
  }

  private CompletableFuture<Void> writeChanges() {
    PositionsRecords records = newRecords();
    cursors.collectChanges(records);
    holesLeftOut = records.holesLeftOut();
    return write(records);
  }

  private CompletableFuture<Void> write(PositionsRecords records) {
    List<CompletableFuture<Object>> appended = append(records.changes());
    snapshotDue =
        changesBytes > MIN_CHANGES_BYTES && changesBytes > CHANGES_PER_SNAPSHOT * snapshotBytes;
    return stored(appended);
  }

  private CompletableFuture<Void> writeSnapshot() {
    PositionsRecords records = newRecords();
    cursors.collectAll(records);
    holesLeftOut = records.holesLeftOut();
    changesBytes = 0;
    List<CompletableFuture<Object>> appended = append(records.snapshot());
    snapshotBytes = changesBytes;
    changesBytes = 0;
    return stored(appended)
        .thenRun(
            () -> {
              snapshotDue = false;
              log.forgetBefore(appended.get(0).join());
            });
  }

  private PositionsRecords newRecords() {
    return new PositionsRecords(index::entryBefore, maxHoles, maxRecordBytes);
  }

  private List<CompletableFuture<Object>> append(List<PositionsRecord> records) {
    List<CompletableFuture<Object>> appended = new ArrayList<>();
    for (PositionsRecord record : records) {
      byte[] bytes = record.encode();
      changesBytes += bytes.length;
      unconfirmed = true;
      appended.add(log.append(bytes));
    }
    return appended;
  }

  /** Completed when records are on storage, where those who follow the log can read them. */
  private CompletableFuture<Void> stored(List<CompletableFuture<Object>> appended) {
    return allOf(appended)
        .thenCompose(all -> unconfirmed && followed.getAsBoolean() ? confirm() : DONE);
  }

  /** A ledger that does not take the empty record is closed, and can be read to its end then. */
  private CompletableFuture<Void> confirm() {
    return allOf(append(List.of(new PositionsRecord())))
        .handle(
            (appended, e) -> {
              unconfirmed = e != null;
              return null;
            });
  }

  private static CompletableFuture<Void> allOf(List<CompletableFuture<Object>> appended) {
    return CompletableFuture.allOf(appended.toArray(CompletableFuture[]::new));
  }
}
