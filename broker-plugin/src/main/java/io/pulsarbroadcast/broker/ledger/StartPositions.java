/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.pulsarbroadcast.broker.compat.LineCalls;
import io.pulsarbroadcast.broker.cursor.AbsentPositions;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.SeekTarget;
import io.pulsarbroadcast.broker.cursor.StoredPosition;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.ledger.SubscriptionPast.Origin;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.AsyncCallbacks.FindEntryCallback;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionFencedException;
import org.apache.pulsar.broker.service.SubscriptionOption;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;

/**
 * Where consumers of one Broadcast subscription start, and where a seek leads them. May be called
 * from any thread.
 *
 * <p>A durable position that is to be before the subscription's takes that one back first, and
 * counts only when storage is certain to keep what it needs (I3). A non-durable one holds nothing
 * back.
 */
public final class StartPositions {

  private final PersistentTopic topic;
  private final ManagedLedgerImpl ledger;
  private final ManagedCursor cursor;
  private final LedgerIndex index;
  private final CursorRegistry cursors;
  private final MarkDelete markDelete;
  private final Origin origin;
  private final long originalPosition;

  /**
   * @param cursors with the positions that are stored
   * @param origin where the subscription was before
   * @param originalPosition the subscription's position when it was made
   */
  public StartPositions(
      PersistentTopic topic,
      ManagedCursor cursor,
      LedgerIndex index,
      CursorRegistry cursors,
      MarkDelete markDelete,
      Origin origin,
      long originalPosition) {
    this.topic = topic;
    this.ledger = (ManagedLedgerImpl) topic.getManagedLedger();
    this.cursor = cursor;
    this.index = index;
    this.cursors = cursors;
    this.markDelete = markDelete;
    this.origin = origin;
    this.originalPosition = originalPosition;
  }

  /** A durable consumer has subscribed: its position is stored. */
  public void served() {
    if (!cursors.isKeptForDurable()) {
      cursors.keepForDurable();
      // That is to be stored too.
      markDelete.positionMoved();
    }
  }

  /**
   * Registers a consumer: at the position left behind under its name, else where it asks to start.
   * Fails with a {@link ManagedLedgerException} when that cannot be read or prepared.
   *
   * @param ttlSeconds see {@link CursorRegistry#connect}
   * @param sought takes the entry after which the consumer sought that has reconnected, if it has
   *     no durable position; null: nowhere
   */
  public CompletableFuture<VirtualCursor> register(
      SubscriptionOption option, long ttlSeconds, Supplier<EntryId> sought) {
    return startOf(option, sought).thenCompose(start -> register(option, ttlSeconds, start));
  }

  private CompletableFuture<VirtualCursor> register(
      SubscriptionOption option, long ttlSeconds, LongSupplier start) {
    long[] before = {-1};
    VirtualCursor position =
        cursors.connect(
            option.getConsumerName(),
            ttlSeconds,
            () -> {
              long ordinal = start.getAsLong();
              before[0] = ordinal < cursors.floor() ? ordinal : -1;
              return ordinal;
            },
            deliveredEnd());
    if (before[0] < 0 || !position.isDurable()) {
      return CompletableFuture.completedFuture(position);
    }
    cursors.forget(position);
    return markDelete.lowerTo(
        before[0],
        () ->
            cursors.connect(
                option.getConsumerName(),
                ttlSeconds,
                // What was trimmed before the subscription moved is nobody's any more.
                () -> Math.max(before[0], oldest()),
                deliveredEnd()));
  }

  /**
   * Has wait under a name what is stored under it in another topic of the same ledgers, see {@link
   * CursorRegistry#takeOver}.
   *
   * @return fails with a {@link ManagedLedgerException} when storage cannot be made to keep what it
   *     needs
   */
  public CompletableFuture<Void> takeOver(StoredPosition elsewhere) {
    long before = cursors.takeOver(elsewhere, index, end());
    return before < 0
        ? CompletableFuture.completedFuture(null)
        : markDelete.lowerTo(
            before,
            () -> {
              if (cursors.takeOver(elsewhere, index, end()) >= 0) {
                throw new IllegalStateException("A position is before what storage keeps");
              }
              return null;
            });
  }

  /** Whether a ledger is one that a shadow topic has not heard of yet. */
  public boolean isUnknown(long ledgerId) {
    return ledgerId > ledger.getLastConfirmedEntry().getLedgerId()
        && !ledger.getLedgersInfo().containsKey(ledgerId);
  }

  /** Whether an entry is after those that a shadow topic knows of its source's. */
  public boolean isAhead(EntryId last) {
    return LineCalls.compare(
            BROKER.position(last.ledgerId(), last.entryId()), ledger.getLastConfirmedEntry())
        > 0;
  }

  /** See {@link VirtualCursor#deliveredEnd()}: without stored positions, nobody knows. */
  private long deliveredEnd() {
    return origin == Origin.LOST ? end() : 0;
  }

  /**
   * Where a consumer starts that has no position here; to be asked while the registry is locked.
   */
  private CompletableFuture<LongSupplier> startOf(
      SubscriptionOption option, Supplier<EntryId> takeSought) {
    long rollbackSeconds = option.getStartMessageRollbackDurationSec();
    if (rollbackSeconds > 0 && option.isDurable() && cursors.isWaiting(option.getConsumerName())) {
      // Nothing to look for, which may fail, unless a namesake takes that position first.
      return CompletableFuture.completedFuture(StartPositions::takenByNamesake);
    }
    if (rollbackSeconds > 0) {
      return at(System.currentTimeMillis() - TimeUnit.SECONDS.toMillis(rollbackSeconds))
          .thenApply(ordinal -> () -> ordinal);
    }
    LongSupplier initial =
        option.getInitialPosition() == InitialPosition.Earliest ? this::oldest : this::end;
    LongSupplier start;
    EntryId sought = option.isDurable() ? null : takeSought.get();
    if (sought != null) {
      start = () -> Math.max(oldest(), index.ordinalAfter(sought.ledgerId(), sought.entryId()));
    } else if (!option.isDurable()) {
      start =
          option.getStartMessageId() instanceof MessageIdAdv id ? startAt(id, initial) : initial;
    } else {
      start = () -> inherits() ? cursors.floor() : initial.getAsLong();
    }
    return CompletableFuture.completedFuture(start);
  }

  private static long takenByNamesake() {
    throw new CompletionException(
        new SubscriptionFencedException("The position was just taken by a namesake, try again"));
  }

  /** Whether a durable consumer without a position starts at the subscription's. */
  private boolean inherits() {
    return cursors.isFloorHeld()
        // Else it is new, and its position is where whoever came first asked to start.
        || (cursors.isKeptForDurable() && !cursors.hasDurable())
        || (origin == Origin.PLAIN && cursors.floor() == originalPosition);
  }

  /**
   * Where the broker starts a reader with a start message id: at that message, of which the client
   * drops what it does not want; beyond the end of the topic, at the initial position.
   */
  private LongSupplier startAt(MessageIdAdv id, LongSupplier initial) {
    long lastBefore = id.getLedgerId() >= 0 && id.getEntryId() >= 0 ? 1 : 0;
    Position before = BROKER.position(id.getLedgerId(), id.getEntryId() - lastBefore);
    if (LineCalls.compare(before, ledger.getLastConfirmedEntry()) > 0) {
      return initial;
    }
    return () -> Math.max(oldest(), ordinalAfter(before));
  }

  /** The ordinal of an entry, within what is stored: where a seek to it leads. */
  public long at(long ledgerId, long entryId) {
    Position last = ledger.getLastConfirmedEntry();
    return LineCalls.compare(BROKER.position(ledgerId, entryId), last) > 0
        ? end()
        : Math.max(oldest(), ordinalAfter(BROKER.position(ledgerId, Math.max(0, entryId) - 1)));
  }

  /**
   * Where a seek to messages of a batch leads.
   *
   * @param remaining see {@link SeekTarget}; counts where that batch is stored
   */
  public SeekTarget at(long ledgerId, long entryId, long[] remaining) {
    long ordinal = at(ledgerId, entryId);
    boolean isStored = ordinal == index.ordinalOf(ledgerId, entryId) && ordinal < end();
    return isStored ? new SeekTarget(ordinal, remaining) : SeekTarget.entry(ordinal);
  }

  /** The ordinal of the first entry that was published at or after a time. */
  public CompletableFuture<Long> at(long publishTimeMillis) {
    if (hasNoLedger()) {
      return CompletableFuture.completedFuture(end());
    }
    CompletableFuture<Long> found = new CompletableFuture<>();
    BROKER
        .messageFinder(topic, cursor)
        .findMessages(
            publishTimeMillis,
            new FindEntryCallback() {
              @Override
              public void findEntryComplete(Position before, Object ctx) {
                found.complete(
                    before == null ? oldest() : at(before.getLedgerId(), before.getEntryId() + 1));
              }

              @Override
              public void findEntryFailed(
                  ManagedLedgerException exception, Optional<Position> failed, Object ctx) {
                found.completeExceptionally(exception);
              }
            });
    return found;
  }

  /** Moves a position (seek); a durable one's as {@link MarkDelete#move} says. */
  public CompletableFuture<Void> move(
      VirtualCursor position, BooleanSupplier hasLeft, SeekTarget target) {
    if (!position.isDurable()) {
      position.reset(target.ordinal());
      return CompletableFuture.completedFuture(null);
    }
    return markDelete.move(position, hasLeft, target);
  }

  /** The last acknowledged entry of a position, which only a durable one holds in storage. */
  public Position positionBefore(long next, boolean durable) {
    Position published = cursor.getMarkDeletedPosition();
    if (durable && next <= ordinalAfter(published)) {
      return published;
    }
    EntryId last = index.entryBefore(next);
    return BROKER.position(last.ledgerId(), last.entryId());
  }

  /** What storage holds after the furthest behind of those whose consumers are away, in bytes. */
  public long backlogBytes(AbsentPositions absent) {
    return absent.distanceEntries() == 0
        ? 0
        : BROKER.estimatedBacklogBytes(ledger, positionBefore(absent.next(), true));
  }

  /** The ordinal after the last message that was published. */
  public long end() {
    return ordinalAfter(ledger.getLastConfirmedEntry());
  }

  private long ordinalAfter(Position position) {
    return index.ordinalAfter(position.getLedgerId(), position.getEntryId());
  }

  /**
   * Whether the topic was terminated without a message, and loaded again: then there is no first
   * position to ask for.
   */
  public boolean hasNoLedger() {
    return ledger.getLedgersInfo().isEmpty();
  }

  /** The ordinal of the oldest message that is stored. */
  public long oldest() {
    if (hasNoLedger()) {
      return end();
    }
    Position first = BROKER.firstPosition(ledger);
    return first != null && ledger.getLedgersInfo().containsKey(first.getLedgerId())
        ? ordinalAfter(first)
        : end();
  }
}
