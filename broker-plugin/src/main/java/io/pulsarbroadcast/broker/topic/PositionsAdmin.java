/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static io.pulsarbroadcast.broker.compat.LineCalls.BROKER;

import io.pulsarbroadcast.broker.BroadcastContract;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import io.pulsarbroadcast.broker.cursor.ListedCursor;
import io.pulsarbroadcast.broker.cursor.Waiting;
import io.pulsarbroadcast.broker.ledger.StartPositions;
import io.pulsarbroadcast.broker.metrics.SkipCause;
import io.pulsarbroadcast.broker.stats.AuditLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.Position;
import org.apache.bookkeeper.mledger.impl.ManagedLedgerImpl;
import org.apache.pulsar.broker.service.BrokerServiceException.SubscriptionBusyException;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;

/**
 * What an operator sees and changes of one Broadcast subscription's positions. May be called from
 * any thread. A change that fails with a {@link SubscriptionBusyException} may be tried again; with
 * a {@link NoSuchElementException}, nobody has the name.
 */
public final class PositionsAdmin {

  private static final int MAX_NAMES_SHOWN = 100;

  private final String topic;
  private final String subscription;
  private final ManagedCursor cursor;
  private final SubscriptionParts parts;
  private final ConsumerDirectory<?> consumers;
  private final BooleanSupplier refusing;

  /** A subscription that has such positions. */
  interface Holder {

    PositionsAdmin positions();
  }

  /**
   * @param refusing whether the subscription is being closed or reset
   */
  PositionsAdmin(
      String topic,
      String subscription,
      ManagedCursor cursor,
      SubscriptionParts parts,
      ConsumerDirectory<?> consumers,
      BooleanSupplier refusing) {
    this.topic = topic;
    this.subscription = subscription;
    this.cursor = cursor;
    this.parts = parts;
    this.consumers = consumers;
    this.refusing = refusing;
  }

  /** The positions of a subscription; empty when it is not Broadcast. */
  public static Optional<PositionsAdmin> of(PersistentSubscription subscription) {
    return subscription instanceof Holder holder
        ? Optional.of(holder.positions())
        : Optional.empty();
  }

  /** Lists positions. With 100,000, it takes the registry's lock for some milliseconds. */
  public PositionsPage list(PositionsQuery query) {
    List<ListedCursor> matching = parts.cursors().list(each -> matches(query, each));
    // Compared as they are now: a connected one may move meanwhile.
    record Placed(ListedCursor listed, long next) {}
    List<Placed> placed = new ArrayList<>(matching.size());
    matching.forEach(each -> placed.add(new Placed(each, each.cursor().next())));
    Comparator<Placed> byLag =
        Comparator.comparingLong(Placed::next).thenComparing(each -> each.listed().cursor().name());
    placed.sort(
        query.byAge()
            ? Comparator.comparingLong((Placed each) -> leftMillis(each.listed()))
                .thenComparing(byLag)
            : byLag);
    long end = parts.startPositions().end();
    long now = System.currentTimeMillis();
    return new PositionsPage(
        topic,
        subscription,
        parts.cursors().connectedCount(),
        parts.cursors().leftBehindCount(),
        parts.cursors().isFloorHeld(),
        backlogEntries(),
        bytesAfter(cursor.getMarkDeletedPosition()),
        placed.size(),
        query.offset(),
        placed.stream()
            .skip(query.offset())
            .limit(query.limit())
            .map(each -> row(each.listed(), each.next(), end, now))
            .toList());
  }

  private static boolean matches(PositionsQuery query, ListedCursor listed) {
    String name = listed.cursor().name();
    return (query.connected() == null || query.connected() == listed.connected())
        && (query.name() == null || query.name().equals(name))
        && (query.namePrefix() == null || name.startsWith(query.namePrefix()));
  }

  private static long leftMillis(ListedCursor listed) {
    return listed.connected() ? Long.MAX_VALUE : listed.leftMillis();
  }

  private PositionsPage.Row row(ListedCursor listed, long next, long end, long nowMillis) {
    String name = listed.cursor().name();
    boolean durable = listed.cursor().isDurable();
    Position before = parts.startPositions().positionBefore(next, durable);
    Long absent = null;
    Long expiresIn = null;
    if (!listed.connected()) {
      absent = TimeUnit.MILLISECONDS.toSeconds(Math.max(0, nowMillis - listed.leftMillis()));
      expiresIn = Math.max(0, listed.ttlSeconds() - absent);
    }
    return new PositionsPage.Row(
        name,
        listed.connected() ? "connected" : "absent",
        listed.consumers(),
        durable,
        text(before),
        parts.cursors().lag(next, end),
        bytesAfter(before),
        absent,
        listed.ttlSeconds() == CursorRegistry.EPHEMERAL ? null : (Long) listed.ttlSeconds(),
        expiresIn,
        addressOf(listed).orElse(null));
  }

  private Optional<String> addressOf(ListedCursor listed) {
    return consumers.named(listed.cursor().name()).stream()
        .filter(consumer -> consumer.position() == listed.cursor())
        .map(ConsumerDirectory.Member::address)
        .findFirst();
  }

  /**
   * Drops positions of absent consumers; completed when that is on storage.
   *
   * @param operator the role, for the audit log; null: nobody is authenticated
   */
  public CompletableFuture<PositionsDrop.Result> drop(PositionsDrop drop, String operator) {
    if (refusing.getAsBoolean()) {
      return busy("Subscription is being closed or moved, try again");
    }
    String name = drop.name();
    if (name != null && !parts.cursors().isWaiting(name)) {
      return consumers.named(name).isEmpty()
          ? unknown(name)
          : busy(
              "Consumer '%s' is connected: close it first, or move its position"
                  .formatted(BroadcastContract.quoted(name)));
    }
    long end = parts.startPositions().end();
    long now = System.currentTimeMillis();
    Predicate<Waiting> which =
        waiting -> drop.matches(waiting, parts.cursors().lag(waiting.lowest(), end), now);
    if (drop.atMost() != null) {
      int match = Waiting.sum(parts.cursors().waiting(name, which, end)).positions();
      if (match > drop.atMost()) {
        return busy(
            "%d positions match, which is more than atMost=%d: look again"
                .formatted(match, drop.atMost()));
      }
    }
    return (drop.dryRun()
            ? CompletableFuture.completedFuture(parts.cursors().waiting(name, which, end))
            : parts
                .markDelete()
                .drop(name, which, end, true)
                .thenApply(dropped -> audited(dropped, operator)))
        .thenApply(dropped -> result(drop.dryRun(), dropped));
  }

  private List<Waiting> audited(List<Waiting> dropped, String operator) {
    AuditLog.Dropped line = parts.audit().drop(operator);
    dropped.forEach(each -> line.accept(each.name(), each.unacknowledged()));
    line.write();
    return dropped;
  }

  private PositionsDrop.Result result(boolean dryRun, List<Waiting> dropped) {
    Skipped sum = Waiting.sum(dropped);
    return new PositionsDrop.Result(
        dryRun,
        sum.positions(),
        sum.entries(),
        dropped.stream().map(Waiting::name).sorted().limit(MAX_NAMES_SHOWN).toList(),
        backlogEntries());
  }

  /**
   * Moves all positions of one name; completed when that is on storage. Consumers that are
   * connected are disconnected, and their clients return, as after a seek.
   *
   * @param operator the role, for the audit log; null: nobody is authenticated
   */
  public CompletableFuture<PositionsMove.Result> move(PositionsMove move, String operator) {
    if (refusing.getAsBoolean()) {
      return busy("Subscription is being closed or moved, try again");
    }
    if (named(move.name()).isEmpty()) {
      return unknown(move.name());
    }
    return destination(move)
        .thenCompose(
            ordinal ->
                move.dryRun() ? rehearsed(move, ordinal) : moved(move.name(), ordinal, operator));
  }

  private CompletableFuture<PositionsMove.Result> rehearsed(PositionsMove move, long ordinal) {
    List<ListedCursor> named = named(move.name());
    return CompletableFuture.completedFuture(
        result(true, named.size(), ordinal, notAcknowledged(named, ordinal).entries()));
  }

  private List<ListedCursor> named(String name) {
    return parts.cursors().list(each -> each.cursor().name().equals(name));
  }

  private CompletableFuture<Long> destination(PositionsMove move) {
    StartPositions starts = parts.startPositions();
    if (move.timestampMillis() != null) {
      return starts.at(move.timestampMillis());
    }
    if (move.positionOf() != null) {
      return named(move.positionOf()).stream()
          .map(each -> each.cursor().next())
          .min(Comparator.naturalOrder())
          .map(CompletableFuture::completedFuture)
          .orElseGet(() -> unknown(move.positionOf()));
    }
    long ordinal;
    if (move.messageId() != null) {
      String[] id = move.messageId().split(":");
      ordinal = starts.at(Long.parseLong(id[0]), Long.parseLong(id[1]));
    } else {
      ordinal = move.to().equals(PositionsMove.EARLIEST) ? starts.oldest() : starts.end();
    }
    return CompletableFuture.completedFuture(ordinal);
  }

  private static Skipped notAcknowledged(List<ListedCursor> named, long ordinal) {
    int positions = 0;
    long entries = 0;
    for (ListedCursor each : named) {
      long ofOne = each.cursor().unacknowledgedBefore(ordinal);
      positions += ofOne > 0 ? each.consumers() : 0;
      entries += each.consumers() * ofOne;
    }
    return new Skipped(positions, entries);
  }

  /**
   * Moves those that wait first: a consumer that is connected is disconnected when it has been
   * moved, and must not find a namesake's place from before the move when it is back.
   */
  private CompletableFuture<PositionsMove.Result> moved(
      String name, long ordinal, String operator) {
    List<ListedCursor> named = named(name);
    List<ListedCursor> absent = named.stream().filter(each -> !each.connected()).toList();
    List<? extends ConsumerDirectory.Member> connected = consumers.named(name);
    int positions = absent.size() + connected.size();
    if (positions == 0) {
      return busy("The consumer is connecting or leaving, try again");
    }
    long lowest = named.stream().mapToLong(each -> each.cursor().next()).min().orElse(ordinal);
    LongAdder skipped = new LongAdder();
    AtomicBoolean any = new AtomicBoolean();
    return (absent.isEmpty()
            ? done()
            : movedAbsent(name, absent, ordinal, skipped).thenRun(() -> any.set(true)))
        .thenCompose(
            moved ->
                CompletableFuture.allOf(
                    connected.stream()
                        .map(
                            consumer ->
                                movedConnected(consumer, ordinal, skipped)
                                    .thenRun(() -> any.set(true)))
                        .toArray(CompletableFuture[]::new)))
        .whenComplete(
            (moved, e) -> {
              // Also of some, when others could not be moved.
              if (any.get()) {
                parts.markDelete().handOverNow();
                parts.audit().moved(name, before(lowest), before(ordinal), operator);
              }
            })
        .thenApply(moved -> result(false, positions, ordinal, skipped.sum()));
  }

  private CompletableFuture<Void> movedAbsent(
      String name, List<ListedCursor> absent, long ordinal, LongAdder skipped) {
    Skipped missed = notAcknowledged(absent, ordinal);
    return parts.markDelete().moveWaiting(name, ordinal).thenRun(() -> count(missed, skipped));
  }

  private CompletableFuture<Void> movedConnected(
      ConsumerDirectory.Member consumer, long ordinal, LongAdder skipped) {
    long entries = consumer.position().unacknowledgedBefore(ordinal);
    return consumer
        .moveTo(ordinal)
        .thenRun(() -> count(new Skipped(entries > 0 ? 1 : 0, entries), skipped));
  }

  private void count(Skipped missed, LongAdder skipped) {
    skipped.add(missed.entries());
    parts.skips().add(SkipCause.POSITION_MOVED, missed);
  }

  private String before(long ordinal) {
    return text(parts.startPositions().positionBefore(ordinal, false));
  }

  private PositionsMove.Result result(boolean dryRun, int positions, long ordinal, long skipped) {
    return new PositionsMove.Result(
        dryRun,
        positions,
        text(parts.startPositions().positionBefore(ordinal, !dryRun)),
        parts.cursors().lag(ordinal, parts.startPositions().end()),
        skipped,
        backlogEntries());
  }

  private long backlogEntries() {
    return cursor.getNumberOfEntriesInBacklog(true);
  }

  private long bytesAfter(Position position) {
    return BROKER.estimatedBacklogBytes((ManagedLedgerImpl) cursor.getManagedLedger(), position);
  }

  private static String text(Position position) {
    return position.getLedgerId() + ":" + position.getEntryId();
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private static <T> CompletableFuture<T> busy(String message) {
    return CompletableFuture.failedFuture(new SubscriptionBusyException(message));
  }

  private static <T> CompletableFuture<T> unknown(String name) {
    return CompletableFuture.failedFuture(
        new NoSuchElementException(
            "No position has the name '%s'".formatted(BroadcastContract.quoted(name))));
  }
}
