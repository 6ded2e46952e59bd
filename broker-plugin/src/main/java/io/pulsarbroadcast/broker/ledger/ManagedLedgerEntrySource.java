/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.netty.buffer.ByteBuf;
import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.compat.LineCalls;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.dispatch.BroadcastEntry;
import io.pulsarbroadcast.broker.dispatch.DispatchQuota.Share;
import io.pulsarbroadcast.broker.dispatch.EntrySource;
import io.pulsarbroadcast.broker.metrics.EntryTrace;
import io.pulsarbroadcast.broker.metrics.PersistTimes;
import io.pulsarbroadcast.broker.metrics.SkipCause;
import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ReadEntriesCallback;
import org.apache.bookkeeper.mledger.Entry;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.CursorAlreadyClosedException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.ManagedLedgerFencedException;
import org.apache.bookkeeper.mledger.ManagedLedgerException.NoMoreEntriesToReadException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Markers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a topic's managed ledger for one Broadcast subscription: the tail with the subscription's
 * own cursor, so that it is served from the entry cache; what is behind with a second, non-durable
 * cursor that holds nothing back.
 *
 * <p>Leaves out what the broker gives no consumer: markers, messages of aborted transactions,
 * entries without readable metadata, and entries that storage lost.
 *
 * <p>Called from the subscription's dispatch thread.
 */
public final class ManagedLedgerEntrySource implements EntrySource {

  private static final Logger log = LoggerFactory.getLogger(ManagedLedgerEntrySource.class);

  private static final String MISNUMBERED =
      "A ledger has more entries than the broker said when the next one began";

  private final PersistentTopic topic;
  private final PersistTimes persistTimes;
  private final ManagedCursor cursor;
  private final LedgerIndex index;
  private final SkippedEntries skipped;
  private final BroadcastConfig config;
  private final SubscriptionMetrics metrics;
  private final int tailReadMaxEntries;
  private final long tailReadMaxBytes;

  /** The ordinal at which the tail is read on. Written under this object's monitor. */
  private volatile long tail;

  private ManagedCursor behind;

  private volatile Runnable afterSkip = () -> {};

  /** Whether entries have been read that have no ordinal. */
  private volatile boolean misnumbered;

  /** Whether entries beyond the recorded end of their ledger have been left out. */
  private volatile boolean leavesOut;

  /** What was read last at the tail, by one read at a time; null: nothing. */
  private volatile EntryId lastAtTail;

  /**
   * @param persistTimes when the topic's last entries were persisted
   * @param tail the ordinal of the cursor's read position
   */
  public ManagedLedgerEntrySource(
      PersistentTopic topic,
      PersistTimes persistTimes,
      ManagedCursor cursor,
      LedgerIndex index,
      SkippedEntries skipped,
      long tail,
      BroadcastConfig config,
      SubscriptionMetrics metrics) {
    this.topic = topic;
    this.persistTimes = persistTimes;
    this.cursor = cursor;
    this.index = index;
    this.skipped = skipped;
    this.tail = tail;
    this.config = config;
    this.metrics = metrics;
    ServiceConfiguration broker = topic.getBrokerService().getPulsar().getConfiguration();
    this.tailReadMaxEntries = broker.getDispatcherMaxReadBatchSize();
    this.tailReadMaxBytes = broker.getDispatcherMaxReadSizeBytes();
  }

  @Override
  public void readTail(Share max, ReadCallback callback) {
    if (ledger().isTerminated() && ((ManagedLedgerImpl) ledger()).getLedgersInfo().isEmpty()) {
      // Terminated without a message, and loaded since: a read would look for its last ledger.
      fail(new NoMoreEntriesToReadException("Topic was terminated without a message"), callback);
      return;
    }
    BROKER.readEntriesOrWait(
        cursor,
        Math.min(tailReadMaxEntries, max.entries()),
        Math.min(tailReadMaxBytes, max.bytes()),
        new ReadEntriesCallback() {
          @Override
          public void readEntriesComplete(List<Entry> entries, Object ctx) {
            List<Entry> numbered = numbered(entries, lastAtTail, callback);
            if (numbered == null) {
              return;
            }
            lastAtTail = numbered.isEmpty() ? lastAtTail : idOf(numbered.get(numbered.size() - 1));
            Batch batch = takeTail(numbered);
            callback.entriesRead(batch.entries, batch.next);
          }

          @Override
          public void readEntriesFailed(ManagedLedgerException exception, Object ctx) {
            // The cursor of a topic that has ended goes on waiting, and refuses the next read.
            cancelTail();
            fail(exception, callback);
          }
        },
        BROKER.maxReadPosition(topic));
  }

  private synchronized Batch takeTail(List<Entry> entries) {
    Batch batch = take(entries, tail, passed(), true);
    tail = batch.next;
    return batch;
  }

  @Override
  public boolean cancelTail() {
    return cursor.cancelPendingReadRequest();
  }

  @Override
  public synchronized void skipTail(long ordinal) {
    tail = Math.max(tail, ordinal);
  }

  @Override
  public synchronized void leapTail(long ordinal) {
    cursor.seek(positionAt(ordinal));
    skipTail(ordinal);
  }

  @Override
  public void readBehind(long from, long to, Share max, ReadCallback callback) {
    Position first = positionAt(from);
    Position last = positionAt(to - 1);
    Position readable = BROKER.maxReadPosition(topic);
    if (LineCalls.compare(first, readable) > 0) {
      // Of a transaction that is open, or after one.
      callback.entriesRead(List.of(), from);
      return;
    }
    try {
      cursorBehind(first).seek(first, true);
    } catch (ManagedLedgerException e) {
      fail(e, callback);
      return;
    }
    BROKER.readEntries(
        behind,
        Math.min(config.catchUpReadMaxEntries(), max.entries()),
        Math.min(config.catchUpReadMaxBytes(), max.bytes()),
        new ReadEntriesCallback() {
          @Override
          public void readEntriesComplete(List<Entry> entries, Object ctx) {
            List<Entry> numbered = numbered(entries, null, callback);
            if (numbered == null) {
              return;
            }
            Batch batch = numbered.isEmpty() ? trimmed(from, to) : take(numbered, from, 0, false);
            if (batch.next > from) {
              callback.entriesRead(batch.entries, batch.next);
            } else {
              callback.readFailed(
                  new IOException("No entry at " + first + ", though the topic goes on to " + last),
                  true);
            }
          }

          @Override
          public void readEntriesFailed(ManagedLedgerException exception, Object ctx) {
            fail(exception, callback);
          }
        },
        LineCalls.compare(readable, last) < 0 ? readable : last);
  }

  private Position positionAt(long ordinal) {
    EntryId entry = index.entryAt(ordinal);
    return BROKER.position(entry.ledgerId(), entry.entryId());
  }

  /**
   * Runs a task when entries were read last that nobody is given, and that nobody will acknowledge.
   */
  public void whenSkipped(Runnable task) {
    afterSkip = task;
  }

  /** What stands for the ordinals from {@code from} on that storage has no more: perhaps none. */
  private Batch trimmed(long from, long to) {
    long stored = Math.min(to, firstStored(from));
    if (stored <= from) {
      return new Batch(List.of(), from);
    }
    lost(from, stored);
    return new Batch(List.of(BroadcastEntry.skipping(from, stored - 1)), stored);
  }

  /** The ordinal of the first entry that storage has; {@code otherwise} when it has none. */
  private long firstStored(long otherwise) {
    Position before = BROKER.firstPosition((ManagedLedgerImpl) ledger());
    return before == null
        ? otherwise
        : index.ordinalAfter(before.getLedgerId(), before.getEntryId());
  }

  /** Storage has no more what is from one ordinal to another, exclusive (I6). */
  private void lost(long from, long to) {
    long entries = to - from - skipped.gapsWithin(from, to);
    if (entries > 0) {
      metrics.skipped(SkipCause.LOST, entries);
      log.warn(
          "[{}][{}] Consumers miss {} entries from {} on that they had not read, because {}",
          topic.getName(),
          cursor.getName(),
          entries,
          index.entryAt(from),
          SkipCause.LOST.text());
    }
  }

  /**
   * Puts the subscription's cursor back to where the tail is, after the broker moved it. From any
   * thread.
   */
  public void seekToTail() {
    cursor.seek(positionAt(tail), true);
  }

  @Override
  public void close() {
    if (behind != null) {
      try {
        ledger().deleteCursor(behind.getName());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ManagedLedgerException e) {
        log.debug("[{}] Could not remove cursor {}", topic.getName(), behind.getName(), e);
      }
      behind = null;
    }
  }

  /** A cursor that can read from a position on. */
  private ManagedCursor cursorBehind(Position first) throws ManagedLedgerException {
    if (behind != null && LineCalls.compare(first, behind.getMarkDeletedPosition()) <= 0) {
      // A truncation moves every cursor of the topic to its end.
      close();
    }
    if (behind == null || behind.isClosed()) {
      behind =
          ledger()
              .newNonDurableCursor(
                  // Before everything: a cursor does not read what is before its own start,
                  // wherever it seeks.
                  BROKER.earliest(),
                  // A name that is no subscription's: a cursor of that name would be handed out.
                  cursor.getName() + "-broadcast-catch-up-" + UUID.randomUUID(),
                  InitialPosition.Earliest,
                  false);
    }
    return behind;
  }

  private ManagedLedger ledger() {
    return topic.getManagedLedger();
  }

  /** The ordinal up to which the subscription has moved, perhaps past what was never read. */
  private long passed() {
    Position position = cursor.getMarkDeletedPosition();
    return index.ordinalAfter(position.getLedgerId(), position.getEntryId());
  }

  /**
   * Turns what was read, starting at {@code from}, into entries that stand for every ordinal.
   *
   * @param passed before this ordinal, what was not read is there all the same, and not stood for
   */
  private Batch take(List<Entry> read, long from, long passed, boolean atTail) {
    List<BroadcastEntry> taken = new ArrayList<>(read.size());
    long covered = from;
    long next = from;
    for (Entry entry : read) {
      long ordinal = index.ordinalOf(entry.getLedgerId(), entry.getEntryId());
      if (ordinal > next) {
        if (next == from) {
          covered = Math.max(from, Math.min(passed, ordinal));
        }
        long missing = Math.max(next, covered);
        // The tail's cursor also leaves out what the broker took for acknowledged.
        lost(missing, atTail ? Math.min(ordinal, firstStored(missing)) : ordinal);
      }
      if (ordinal < next) {
        // The broker moved the cursor back; the tail has passed this entry.
        entry.release();
        continue;
      }
      next = ordinal + 1;
      MessageMetadata metadata = metadataOf(entry);
      if (metadata == null) {
        entry.release();
        continue;
      }
      skipped.add(covered, ordinal);
      ByteBuf data = entry.getDataBuffer().retain();
      taken.add(
          new BroadcastEntry(
              covered,
              ordinal,
              entry.getLedgerId(),
              entry.getEntryId(),
              metadata.getNumMessagesInBatch(),
              metadata,
              data,
              atTail ? trace(entry) : null));
      entry.release();
      covered = next;
    }
    if (covered < next) {
      skipped.add(covered, next);
      afterSkip.run();
      taken.add(BroadcastEntry.skipping(covered, next - 1));
    }
    return new Batch(taken, next);
  }

  /**
   * What of that which was read has ordinals. An entry has none when its ledger was said to have
   * fewer entries while the next one existed already.
   *
   * <p>A shadow topic says so for a moment (PIP-180: what it learns when it opens a ledger replaces
   * what it was told later). Then nothing is taken any more, and the topic is closed, to be loaded
   * and numbered again.
   *
   * <p>Another topic says so for ever, of a ledger that could not be closed: what was being written
   * then was found when the ledger was recovered, after the broker had recorded it without. No
   * producer was told that it is stored, and the broker, or the producer, writes it again; only
   * deduplication may later take it for stored. It is left out, unless the size was unknown when
   * the topic was loaded, and entries of the same numbers may have been taken: then the topic is
   * loaded again, which knows the size from the start.
   *
   * @param before what was read just before, or null: the size of its ledger may be known only now
   * @param callback told that the read has failed if it has
   * @return null if the read has failed
   */
  private List<Entry> numbered(List<Entry> read, EntryId before, ReadCallback callback) {
    List<EntryId> ids = new ArrayList<>(read.size() + 1);
    if (before != null) {
      ids.add(before);
    }
    read.forEach(entry -> ids.add(idOf(entry)));
    if (!misnumbered && index.hasAll(ids)) {
      return read;
    }
    if (topic.getShadowSourceTopic().isEmpty() && !misnumbered && isNumberedElse(before, read)) {
      return withoutUnrecorded(read);
    }
    read.forEach(Entry::release);
    if (!misnumbered) {
      misnumbered = true;
      log.warn(
          "[{}][{}] {}: closing the topic, to load it again",
          topic.getName(),
          cursor.getName(),
          MISNUMBERED);
      topic.close(true);
    }
    callback.readFailed(new IOException(MISNUMBERED), false);
    return null;
  }

  /** Whether what has no ordinal is only what is beyond the recorded end of a ledger. */
  private boolean isNumberedElse(EntryId before, List<Entry> read) {
    return (before == null || index.hasAll(List.of(before)))
        && read.stream().allMatch(entry -> index.hasLedger(entry.getLedgerId()));
  }

  private List<Entry> withoutUnrecorded(List<Entry> read) {
    List<Entry> recorded = new ArrayList<>(read.size());
    for (Entry entry : read) {
      if (index.ordinalOf(entry.getLedgerId(), entry.getEntryId()) != LedgerIndex.UNKNOWN) {
        recorded.add(entry);
        continue;
      }
      if (!leavesOut) {
        leavesOut = true;
        log.warn(
            "[{}][{}] {}: leaving out {} and those like it, of which no producer was told that they"
                + " are stored",
            topic.getName(),
            cursor.getName(),
            MISNUMBERED,
            entry.getPosition());
      }
      entry.release();
    }
    return recorded;
  }

  private static EntryId idOf(Entry entry) {
    return new EntryId(entry.getLedgerId(), entry.getEntryId());
  }

  private EntryTrace trace(Entry entry) {
    return EntryTrace.read(metrics, persistTimes.of(entry.getLedgerId(), entry.getEntryId()));
  }

  /** The metadata of an entry; null when it is for nobody. */
  private MessageMetadata metadataOf(Entry entry) {
    MessageMetadata metadata =
        Commands.peekAndCopyMessageMetadata(entry.getDataBuffer(), cursor.getName(), -1);
    if (metadata == null || Markers.isServerOnlyMarker(metadata)) {
      return null;
    }
    if (metadata.hasTxnidMostBits() && metadata.hasTxnidLeastBits()) {
      TxnID transaction = new TxnID(metadata.getTxnidMostBits(), metadata.getTxnidLeastBits());
      if (Markers.isTxnMarker(metadata)
          || BROKER.isTxnAborted(topic, transaction, entry.getPosition())) {
        return null;
      }
    }
    return metadata;
  }

  private static void fail(ManagedLedgerException exception, ReadCallback callback) {
    boolean ended =
        exception instanceof CursorAlreadyClosedException
            || exception instanceof ManagedLedgerFencedException
            || exception instanceof NoMoreEntriesToReadException;
    callback.readFailed(exception, !ended);
  }

  private record Batch(List<BroadcastEntry> entries, long next) {}
}
