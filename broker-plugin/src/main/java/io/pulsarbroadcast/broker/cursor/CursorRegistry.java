/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.pulsarbroadcast.broker.cursor.WaitingDrop.NamedLeft;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;

/**
 * The virtual cursors of one Broadcast subscription: those of connected consumers, and those left
 * behind under a name by consumers that went away and may return.
 *
 * <p>May be called from any thread. Adding and removing are O(1) under one lock; {@link #lowest}
 * scans under the same lock, once per interval and not per acknowledgement (0.1 ms for 100,000), so
 * that no cursor can be registered below a lowest position that is being published (I3).
 *
 * <p>Names: a name identifies a durable consumer, but generated names collide (5 hex digits in the
 * Java client). Connected consumers of one name each have a cursor of their own; as many as left
 * may come back, and each starts from the lowest position that is kept, see {@link LeftPositions}.
 * What is stored of a name is the lowest of its connected cursors, how many there are, and what is
 * left behind.
 */
public final class CursorRegistry {

  /** How long a position waits at least whose consumer the broker has disconnected to move it. */
  private static final long MOVED_WAITS_MILLIS = TimeUnit.MINUTES.toMillis(1);

  /** A time to live: the position ends with the connection. */
  public static final long EPHEMERAL = -1;

  private final SkippedEntries skipped;
  private final LongSupplier clockMillis;

  @GuardedBy("this")
  private final ConnectedCursors connected = new ConnectedCursors();

  @GuardedBy("this")
  private final NamedPositions names = new NamedPositions();

  /** The positions that are being dropped, by name. Mostly empty. */
  @GuardedBy("this")
  private final SetMultimap<String, VirtualCursor> leaving = LinkedHashMultimap.create();

  /** What operators are dropping. Mostly empty. */
  @GuardedBy("this")
  private final List<WaitingDrop> drops = new ArrayList<>(1);

  /** What is not on storage yet, by the cursor that is moved. Mostly empty. */
  @GuardedBy("this")
  private final Map<VirtualCursor, Move> moves = new HashMap<>();

  /**
   * The lowest position ever published; no cursor starts before it except by {@link
   * VirtualCursor#reset}.
   */
  @GuardedBy("this")
  private long floor;

  /** A cursor that stood at the floor when it was looked at last, or null. */
  @GuardedBy("this")
  private VirtualCursor holdsFloor;

  /**
   * What plain consumers had acknowledged after the position that the subscription has had ever
   * since; null when they had not, or it has moved.
   */
  @GuardedBy("this")
  private IndividualAcks inherited;

  /** Whether positions are lost that may be anywhere from the floor on. */
  @GuardedBy("this")
  private boolean floorHeld;

  /** How many durable positions there may be. */
  @GuardedBy("this")
  private int maxPositions = Integer.MAX_VALUE;

  /** Whether the position is to last when there are no durable cursors. */
  @GuardedBy("this")
  private boolean keptForDurable;

  /**
   * @param skipped the entries that nobody is given
   * @param floor the subscription's position: its first unacknowledged entry
   */
  public CursorRegistry(SkippedEntries skipped, long floor) {
    this(skipped, floor, System::currentTimeMillis);
  }

  CursorRegistry(SkippedEntries skipped, long floor, LongSupplier clockMillis) {
    this.skipped = skipped;
    this.clockMillis = clockMillis;
    this.floor = floor;
  }

  /**
   * Registers a connected consumer: at the position left behind under its name, else at {@code
   * start}.
   *
   * @param ttlSeconds how long its position outlives its connection, unless {@link
   *     #limitTimesToLive} is less; negative: ephemeral, not at all
   * @param start where a consumer without a position starts, asked while the lock is held; a
   *     durable one's is raised to the subscription's own position when below, see {@link
   *     #lowerFloor}
   * @param deliveredEnd see {@link VirtualCursor#deliveredEnd()}
   * @throws TooManyPositionsException when it needs a new position and there are {@link
   *     #limitPositions as many as may be}; nothing has changed
   */
  public synchronized VirtualCursor connect(
      String name, long ttlSeconds, LongSupplier start, long deliveredEnd) {
    boolean durable = ttlSeconds >= 0;
    NamedPosition named = durable ? names.get(name) : null;
    VirtualCursor cursor = named == null ? null : takeLeftBehind(named);
    boolean returned = cursor != null;
    if (cursor == null && durable) {
      cursor = takeDropped(name, ttlSeconds);
    }
    if (cursor != null) {
      cursor.returned = true;
    } else {
      if (durable && positionCount() >= maxPositions) {
        throw new TooManyPositionsException(maxPositions);
      }
      long next = durable ? Math.max(floor, start.getAsLong()) : start.getAsLong();
      cursor = new VirtualCursor(name, durable, skipped, next, deliveredEnd);
      if (durable && inherited != null && next == floor) {
        cursor.inherit(inherited);
      }
    }
    if (durable) {
      names.connected(namedOf(name, ttlSeconds), cursor, ttlSeconds, returned);
    }
    connected.add(cursor);
    return cursor;
  }

  /**
   * A position that waits, for a consumer that returns; null: nobody is away. Of a move that is not
   * settled, the place before holds.
   */
  @GuardedBy("this")
  private VirtualCursor takeLeftBehind(NamedPosition named) {
    putBackUnsettled(named);
    return names.takeLeftBehind(named);
  }

  /** A position that is being dropped, for a consumer that returns; null: there is none. */
  @GuardedBy("this")
  private VirtualCursor takeDropped(String name, long ttlSeconds) {
    for (WaitingDrop drop : drops) {
      NamedLeft left = drop.byName().get(name);
      if (left != null) {
        countedOf(name, left.arrivals(), ttlSeconds);
        return drop.take(name);
      }
    }
    if (!leaving.containsKey(name)) {
      return null;
    }
    VirtualCursor cursor = leaving.get(name).iterator().next();
    leaving.remove(name, cursor);
    countedOf(name, cursor.named.arrivals(), ttlSeconds);
    return cursor;
  }

  /** Whether there is a durable position under a name, connected or not. */
  public synchronized boolean hasName(String name) {
    return names.get(name) != null
        || leaving.containsKey(name)
        || drops.stream().anyMatch(drop -> drop.byName().containsKey(name));
  }

  /** How many durable positions there are, connected or not. */
  @GuardedBy("this")
  private int positionCount() {
    return connected.durableCount() + names.leftBehindCount() + leaving.size() + droppedCount();
  }

  /** How many of those that are being dropped may still be needed. */
  @GuardedBy("this")
  private int droppedCount() {
    return drops.stream().mapToInt(WaitingDrop::positionCount).sum();
  }

  /** Whether a position waits under a name, at which {@link #connect} would begin. */
  public synchronized boolean isWaiting(String name) {
    NamedPosition named = names.get(name);
    return named != null && named.leftBehindCount() > 0;
  }

  /**
   * Whether the name of a cursor is on storage, with as many positions as it has; until then a
   * crash would forget one of them.
   */
  public synchronized boolean isNameStored(VirtualCursor cursor) {
    NamedPosition named = cursor.isDurable() ? names.get(cursor.name()) : null;
    return named == null || named.isStored();
  }

  /**
   * Takes a consumer off; a durable one leaves its position behind. Does nothing when it was taken
   * off already.
   */
  public synchronized void disconnect(VirtualCursor cursor) {
    disconnect(cursor, 0);
  }

  /**
   * The same because it was moved, by a seek or reset: its client is about to return, and is to
   * find it there even if it asked for a short time to live.
   */
  public synchronized void disconnectMoved(VirtualCursor cursor) {
    disconnect(cursor, MOVED_WAITS_MILLIS);
  }

  /**
   * The same before its client was told that it is connected. A new position is forgotten if it
   * never counted, because it is not on storage, or if others have its name: the client that asks
   * again takes one of theirs, and nobody would return for this one.
   */
  public synchronized void disconnectUnanswered(VirtualCursor cursor) {
    boolean isNew = cursor.isDurable() && !cursor.returned;
    if (isNew && (!isNameStored(cursor) || cursor.named.count() > 1)) {
      forget(cursor);
    } else {
      disconnect(cursor);
    }
  }

  @GuardedBy("this")
  private void disconnect(VirtualCursor cursor, long waitsMillis) {
    if (connected.remove(cursor) && cursor.isDurable()) {
      putBackUnsettled(cursor);
      long ttlMillis = TimeUnit.SECONDS.toMillis(names.ttlSeconds(cursor.named));
      names.leaveBehind(cursor, clockMillis.getAsLong() + Math.max(0, waitsMillis - ttlMillis));
    }
  }

  /**
   * Takes a consumer off and forgets its position.
   *
   * @return whether no position is left, connected or not
   */
  public synchronized boolean forget(VirtualCursor cursor) {
    drop(cursor);
    dropped(cursor);
    return isEmpty();
  }

  /**
   * Takes a consumer off whose position is to be dropped (unsubscribe). Until that is on storage,
   * and {@link #dropped} follows, the position holds what it needs, is moved as others are, and is
   * the next consumer's of its name.
   *
   * @return whether no other position is left, connected or not; empty when the consumer was taken
   *     off already
   */
  public synchronized Optional<Boolean> drop(VirtualCursor cursor) {
    if (!connected.remove(cursor)) {
      return Optional.empty();
    }
    if (cursor.isDurable()) {
      putBackUnsettled(cursor);
      names.drop(cursor);
      leaving.put(cursor.name(), cursor);
    }
    return Optional.of(isEmpty());
  }

  /** What {@link #drop} began is on storage. */
  public synchronized void dropped(VirtualCursor cursor) {
    leaving.remove(cursor.name(), cursor);
  }

  /**
   * What {@link #drop} began cannot be brought to storage: the position waits for its consumer's
   * return.
   */
  public synchronized void keep(VirtualCursor cursor) {
    if (leaving.remove(cursor.name(), cursor)) {
      long ttlSeconds = cursor.named.ttlSeconds();
      NamedPosition named = countedOf(cursor.name(), cursor.named.arrivals(), ttlSeconds);
      names.connected(named, cursor, ttlSeconds, false);
      names.leaveBehind(cursor, clockMillis.getAsLong());
    }
  }

  /**
   * What waits under those names that {@code which} accepts. Takes some milliseconds for 100,000,
   * under the lock.
   *
   * @param name the only name to look at; null: all
   * @param end the ordinal after the topic's last entry
   */
  public synchronized List<Waiting> waiting(String name, Predicate<Waiting> which, long end) {
    return names.waiting(name, which, end);
  }

  /**
   * Takes away what waits under those names that {@code which} accepts. Until that is on storage,
   * and {@link #dropped(WaitingDrop, long)} or {@link #keep(WaitingDrop)} follows, the positions
   * hold what they need, and are there for consumers that return.
   *
   * @param name the only name to look at; null: all
   */
  public synchronized WaitingDrop dropWaiting(String name, Predicate<Waiting> which, long end) {
    WaitingDrop drop = new WaitingDrop();
    for (Waiting waiting : names.waiting(name, which, end)) {
      NamedPosition named = names.get(waiting.name());
      putBackUnsettled(named);
      long ttlSeconds = named.ttlSeconds();
      drop.add(waiting.name(), names.takeAllLeft(named), waiting.arrivals(), ttlSeconds);
    }
    drops.add(drop);
    return drop;
  }

  /**
   * What {@link #dropWaiting} began is on storage.
   *
   * @return what was dropped, less what was given to consumers that have returned meanwhile
   */
  public synchronized List<Waiting> dropped(WaitingDrop drop, long end) {
    drops.remove(drop);
    List<Waiting> gone = new ArrayList<>();
    drop.byName().forEach((name, left) -> gone.add(left.waiting(name, end)));
    return gone;
  }

  /** What {@link #dropWaiting} began cannot be brought to storage: the positions wait again. */
  public synchronized void keep(WaitingDrop drop) {
    if (drops.remove(drop)) {
      for (Map.Entry<String, NamedLeft> each : drop.byName().entrySet()) {
        NamedLeft left = each.getValue();
        NamedPosition now = names.get(each.getKey());
        // Else what has moved meanwhile has taken its place.
        if (now == null || now.arrivals() <= left.arrivals()) {
          putBack(each.getKey(), left.left(), left.arrivals(), left.ttlSeconds());
        }
      }
    }
  }

  @GuardedBy("this")
  private void putBack(String name, LeftPositions left, int arrivals, long ttlSeconds) {
    names.putBack(countedOf(name, arrivals, ttlSeconds), left, ttlSeconds);
  }

  /** The positions under a name, which count for as much as others after so many arrivals. */
  @GuardedBy("this")
  private NamedPosition countedOf(String name, int arrivals, long ttlSeconds) {
    NamedPosition named = namedOf(name, ttlSeconds);
    if (named.arrivals() < arrivals) {
      named.countArrivals(arrivals);
    }
    return named;
  }

  /**
   * What a consumer of this name would find counts for: how often consumers of it have come, to
   * whichever topic; -1: it would find nothing.
   *
   * @see #takeOver
   */
  public synchronized int waitingArrivals(String name) {
    NamedPosition named = names.get(name);
    int arrivals = named == null || named.leftBehindCount() == 0 ? -1 : named.arrivals();
    for (WaitingDrop drop : drops) {
      NamedLeft left = drop.byName().get(name);
      arrivals = left == null ? arrivals : Math.max(arrivals, left.arrivals());
    }
    for (VirtualCursor cursor : leaving.get(name)) {
      arrivals = Math.max(arrivals, cursor.named.arrivals());
    }
    return arrivals;
  }

  /**
   * A consumer is about to find what waits under its name, and counts for as much as one that takes
   * it over in another topic at the same time.
   */
  public synchronized void countArrival(String name) {
    NamedPosition named = names.get(name);
    if (named != null && named.leftBehindCount() > 0) {
      named.countArrivals(named.arrivals() + 1);
    }
  }

  /**
   * Whether nobody is connected, and something waits, only under names that {@code which} accepts.
   */
  public synchronized boolean isAllWaiting(Predicate<Waiting> which, long end) {
    return connected.count() == 0
        && names.leftBehindCount() > 0
        && leaving.isEmpty()
        && drops.isEmpty()
        && !floorHeld
        && names.waiting(null, which.negate(), end).isEmpty();
  }

  /**
   * Has wait under a name what is stored under it in another topic of the same ledgers, in place of
   * what waits here. It counts for more then than what is left there, and its time begins anew.
   * Does nothing if what is here counts for as much.
   *
   * @param end the ordinal after the topic's last entry: none is after it
   * @return where the lowest of its positions is, if that is before the subscription's own: then
   *     nothing has changed; else -1
   * @throws TooManyPositionsException when there would be more than {@link #limitPositions may be};
   *     nothing has changed
   */
  public synchronized long takeOver(StoredPosition elsewhere, LedgerIndex index, long end) {
    NamedPosition here = names.get(elsewhere.name());
    int waitingHere = here == null ? 0 : here.leftBehindCount();
    if (here != null && here.arrivals() >= elsewhere.arrivals() + (waitingHere > 0 ? 0 : 1)) {
      return -1;
    }
    LeftPositions taken = new LeftPositions();
    long now = clockMillis.getAsLong();
    taken.restore(
        elsewhere.left(this, index, end, end).stream().map(each -> each.leftAt(now)).toList(),
        elsewhere.count);
    if (taken.lowest().next() < floor) {
      return taken.lowest().next();
    }
    int added = taken.waiting() - waitingHere;
    if (added > 0 && positionCount() + added > maxPositions) {
      throw new TooManyPositionsException(maxPositions);
    }
    if (waitingHere > 0) {
      putBackUnsettled(here);
      names.takeAllLeft(here);
    }
    putBack(elsewhere.name(), taken, elsewhere.arrivals() + 1, elsewhere.name.ttlSeconds());
    return -1;
  }

  /**
   * Every position, in no order; but not those that are being dropped. Takes some milliseconds for
   * 100,000, under the lock.
   */
  public synchronized List<ListedCursor> list(Predicate<ListedCursor> which) {
    List<ListedCursor> listed = new ArrayList<>();
    Consumer<ListedCursor> add =
        each -> {
          if (which.test(each)) {
            listed.add(each);
          }
        };
    for (int i = 0; i < connected.count(); i++) {
      VirtualCursor cursor = connected.get(i);
      long ttlSeconds = cursor.isDurable() ? names.ttlSeconds(cursor.named) : EPHEMERAL;
      add.accept(new ListedCursor(cursor, 1, true, 0, ttlSeconds));
    }
    names.list(add);
    return listed;
  }

  @GuardedBy("this")
  private NamedPosition namedOf(String name, long ttlSeconds) {
    NamedPosition named = names.get(name);
    return named == null ? names.add(name, ttlSeconds) : named;
  }

  /**
   * Drops the positions whose consumers stayed away for longer than their time to live, by the wall
   * clock, so that a restart does not stop it. Under the same lock as {@link #connect}: a consumer
   * that returns finds its position or, when it comes too late, none; what it misses is then in the
   * answer.
   *
   * @param end the ordinal after the topic's last entry: what a dropped position had not
   *     acknowledged before it counts as skipped
   */
  public synchronized Skipped expire(long nowMillis, long end) {
    return names.expire(nowMillis, end);
  }

  /**
   * Sets who is told of each position that {@link #expire} drops and of the entries that are missed
   * thereby, if any; while the lock is held.
   */
  public synchronized void whenExpired(BiConsumer<String, Skipped> told) {
    names.whenExpired(told);
  }

  /**
   * What the positions hold that wait for their consumers' return: one pass over all positions.
   *
   * @param end the ordinal after the topic's last entry
   */
  public synchronized AbsentPositions absent(long nowMillis, long end) {
    if (names.leftBehindCount() == 0) {
      return AbsentPositions.NONE;
    }
    AbsentPositions.Scan scan = new AbsentPositions.Scan(nowMillis, end);
    names.scan(scan);
    for (int i = 0; i < connected.count(); i++) {
      if (connected.get(i).isDurable()) {
        scan.keeps(connected.get(i).next());
      }
    }
    leaving.values().forEach(cursor -> scan.keeps(cursor.next()));
    drops.forEach(drop -> drop.forEach((cursor, count) -> scan.keeps(cursor.next())));
    if (floorHeld) {
      scan.keeps(floor);
    }
    return scan.result(this::lag);
  }

  /**
   * Moves every position to {@code ordinal}, back or forward: reset of the whole subscription.
   *
   * @return what those that moved forward had not acknowledged
   */
  public synchronized Skipped resetAll(long ordinal) {
    moves.clear();
    Skipped skippedBefore = moveUpTo(ordinal);
    forEach((cursor, count) -> cursor.reset(ordinal));
    inherited = null;
    floor = ordinal;
    return skippedBefore;
  }

  /**
   * Moves every position that is before {@code ordinal} up to it, when that is beyond the
   * subscription's position: somebody else moved the subscription there.
   */
  public synchronized Skipped skipTo(long ordinal) {
    if (ordinal <= floor) {
      return Skipped.NOTHING;
    }
    Skipped moved = moveUpTo(ordinal);
    moveFloor(ordinal);
    return moved;
  }

  @GuardedBy("this")
  private Skipped moveUpTo(long ordinal) {
    Raise raise = new Raise(ordinal);
    forEach(raise);
    if (floorHeld && floor < ordinal) {
      // Nobody knows how many they are whose positions are lost.
      raise.missed(1, ordinal - floor - skipped.gapsWithin(floor, ordinal));
    }
    return raise.skipped();
  }

  /** Moves cursors up to an ordinal, and counts what they had not acknowledged. */
  private static final class Raise implements ObjIntConsumer<VirtualCursor> {
    private final long ordinal;
    private int positions;
    private long entries;

    Raise(long ordinal) {
      this.ordinal = ordinal;
    }

    @Override
    public void accept(VirtualCursor cursor, int count) {
      if (cursor.next() < ordinal) {
        missed(count, cursor.skipTo(ordinal));
      }
    }

    void missed(int count, long entriesOfEach) {
      positions += entriesOfEach > 0 ? count : 0;
      entries += count * entriesOfEach;
    }

    Skipped skipped() {
      return new Skipped(positions, entries);
    }
  }

  /**
   * What positions missed because they were moved or dropped.
   *
   * @param positions how many positions
   * @param entries what they had not acknowledged of it, summed over them
   */
  public record Skipped(int positions, long entries) {
    public static final Skipped NOTHING = new Skipped(0, 0);
  }

  /**
   * Publishes the subscription's position: the lowest of all durable cursors, or the last one
   * published when there are none. Never decreases but by {@link #resetAll} and {@link
   * #lowerFloor}. Ephemeral cursors hold nothing back; on a subscription that never had another
   * kind they take the position along.
   *
   * <p>While one cursor stands at the position, which mostly is so, it is enough to look at that
   * one.
   */
  public synchronized long lowest() {
    if (floorHeld || isAtFloor(holdsFloor)) {
      return floor;
    }
    holdsFloor = findAtFloor();
    return holdsFloor == null ? advanceFloor() : floor;
  }

  @GuardedBy("this")
  private boolean isAtFloor(VirtualCursor cursor) {
    return cursor != null
        && cursor.isDurable()
        && skipped.firstNotSkipped(cursor.next()) <= floor
        && (cursor.isConnected() || cursor.named.isLeftBehind(cursor));
  }

  @GuardedBy("this")
  private VirtualCursor findAtFloor() {
    for (int i = 0; i < connected.count(); i++) {
      if (isAtFloor(connected.get(i))) {
        return connected.get(i);
      }
    }
    return null;
  }

  @GuardedBy("this")
  private long advanceFloor() {
    long[] lowest = {Long.MAX_VALUE};
    long[] lowestOfAll = {Long.MAX_VALUE};
    long[] ephemeralEnd = {floor};
    VirtualCursor[] lowestCursor = {holdsFloor};
    forEach(
        (cursor, count) -> {
          lowestOfAll[0] = Math.min(lowestOfAll[0], cursor.next());
          if (cursor.isDurable()) {
            if (cursor.next() < lowest[0]) {
              lowest[0] = cursor.next();
              lowestCursor[0] = cursor;
            }
          } else {
            ephemeralEnd[0] = Math.max(ephemeralEnd[0], cursor.deliveredEnd());
          }
        });
    holdsFloor = lowestCursor[0];
    if (lowest[0] < Long.MAX_VALUE) {
      moveFloor(Math.max(floor, skipped.firstNotSkipped(lowest[0])));
    } else if (!keptForDurable) {
      moveFloor(Math.max(floor, ephemeralEnd[0]));
    }
    // Not before the floor: a cursor that has not been told of skipped entries still stands before
    // them.
    skipped.forgetBefore(Math.min(floor, lowestOfAll[0]));
    return floor;
  }

  /**
   * Keeps the position for durable consumers to come, also while there are only ephemeral ones: one
   * has subscribed. A cursor alone does not say so, because its subscribe may yet be refused.
   */
  public synchronized void keepForDurable() {
    keptForDurable = true;
  }

  /** Has the position not last any more, if no durable cursor needs it. */
  public synchronized void letGoUnlessDurable() {
    keptForDurable &= hasDurable() || floorHeld;
  }

  /** Whether {@link #keepForDurable} holds, or durable positions were restored. */
  public synchronized boolean isKeptForDurable() {
    return keptForDurable;
  }

  /**
   * Keeps the subscription's position where it is: there were positions that are lost, and none was
   * before it. Whoever has no position starts there.
   */
  public synchronized void holdFloor() {
    floorHeld = true;
  }

  /** Whether the position is held for those who lost theirs. */
  public synchronized boolean isFloorHeld() {
    return floorHeld;
  }

  /** Somebody has decided where those go on who lost their positions. */
  public synchronized void releaseFloor() {
    floorHeld = false;
  }

  /** Whether the subscription is nobody's: no position left, and never one that was to last. */
  public synchronized boolean isAbandonedByEphemerals() {
    return isEmpty() && !keptForDurable;
  }

  /** Lets positions be at {@code ordinal} and after it, which storage keeps now. */
  public synchronized void lowerFloor(long ordinal) {
    moveFloor(Math.min(floor, ordinal));
  }

  @GuardedBy("this")
  private void moveFloor(long ordinal) {
    if (ordinal != floor) {
      floor = ordinal;
      inherited = null;
    }
  }

  /**
   * Notes that plain consumers had acknowledged the entries {@code from} to {@code to}, exclusive.
   * So have all durable ones that start at the subscription's position, until that moves.
   */
  public synchronized void inherit(long from, long to) {
    if (inherited == null) {
      inherited = new IndividualAcks();
    }
    inherited.add(from, to);
  }

  /** Whether a position is at {@code end}, but for entries that nobody is given. */
  public boolean isAtEnd(VirtualCursor cursor, long end) {
    return skipped.firstNotSkipped(cursor.next()) >= end;
  }

  /**
   * Moves one durable cursor, back or forward (seek). The move holds once it is settled: a consumer
   * that leaves before leaves the lower of both places behind.
   *
   * @param hasLeft whether the consumer that asks is gone; asked while the lock is held
   * @return null when it is, and the position may be somebody else's by now: another has returned
   *     to it, or others of its name are away too, see {@link LeftPositions}
   */
  public synchronized Move move(VirtualCursor cursor, BooleanSupplier hasLeft, SeekTarget target) {
    boolean itsOwn =
        cursor.isConnected() ? !hasLeft.getAsBoolean() : cursor.named.isLeftAlone(cursor);
    return itsOwn ? moveNow(cursor, target) : null;
  }

  @GuardedBy("this")
  private Move moveNow(VirtualCursor cursor, SeekTarget target) {
    // Of what is not settled, the place before holds.
    Move notSettled = moves.get(cursor);
    long from = notSettled == null ? cursor.next() : Math.min(notSettled.from, cursor.next());
    Move move = new Move(cursor, from, target.ordinal());
    cursor.reset(target);
    moves.put(cursor, move);
    return move;
  }

  /**
   * Moves every position that waits under a name, back or forward. As of {@link #move}, each move
   * holds once it is settled.
   *
   * @return empty when none waits there
   */
  public synchronized List<Move> moveWaiting(String name, long ordinal) {
    List<Move> moved = new ArrayList<>();
    NamedPosition named = names.get(name);
    if (named != null) {
      for (VirtualCursor cursor : named.leftBehind()) {
        moved.add(moveNow(cursor, SeekTarget.entry(ordinal)));
      }
    }
    return moved;
  }

  /**
   * A move of one cursor. Each is one of its own, also when two lead from and to the same place.
   */
  public static final class Move {
    private final VirtualCursor cursor;
    private final long from;
    private final long to;

    private Move(VirtualCursor cursor, long from, long to) {
      this.cursor = cursor;
      this.from = from;
      this.to = to;
    }
  }

  /**
   * Settles a move that is on storage.
   *
   * @return whether it holds; if not, {@link #putBack} must follow
   */
  public synchronized boolean settle(Move move) {
    return moves.remove(move.cursor, move) || move.to <= move.from;
  }

  /**
   * Takes back a move forward; one back stays.
   *
   * @return what the cursor cannot have any more, because the subscription has been moved on
   *     meanwhile
   */
  public synchronized Skipped putBack(Move move) {
    putBackUnsettled(move.cursor, move);
    if (move.from >= floor) {
      return Skipped.NOTHING;
    }
    Raise raise = new Raise(floor);
    // It may be a namesake's by now.
    forEach(
        (cursor, count) -> {
          if (cursor.isDurable()) {
            raise.accept(cursor, count);
          }
        });
    return raise.skipped();
  }

  /** Of all that waits under a name. Looks at nothing while nothing is being moved. */
  @GuardedBy("this")
  private void putBackUnsettled(NamedPosition named) {
    if (!moves.isEmpty()) {
      for (VirtualCursor cursor : named.leftBehind()) {
        putBackUnsettled(cursor);
      }
    }
  }

  @GuardedBy("this")
  private void putBackUnsettled(VirtualCursor cursor) {
    putBackUnsettled(cursor, moves.get(cursor));
  }

  @GuardedBy("this")
  private void putBackUnsettled(VirtualCursor cursor, Move move) {
    if (move != null && moves.remove(cursor, move)) {
      cursor.forgetSoughtBatch();
      if (cursor.next() > move.from) {
        cursor.reset(move.from);
      }
    }
  }

  /**
   * Whether there is no position, neither of a connected consumer nor left behind, nor a lost one.
   */
  public synchronized boolean isEmpty() {
    return isWithoutPositions() && !floorHeld;
  }

  /** Whether a durable position is left, connected or not. */
  public synchronized boolean hasDurable() {
    return !names.isEmpty() || droppedCount() > 0;
  }

  /** Whether there is nobody: no position, nor one that is being dropped and may yet be kept. */
  public synchronized boolean isVacant() {
    return isWithoutPositions() && leaving.isEmpty();
  }

  /** Whether there is no position but those of consumers that are leaving. */
  @GuardedBy("this")
  private boolean isWithoutPositions() {
    return connected.count() == 0 && names.leftBehindCount() == 0 && droppedCount() == 0;
  }

  /** The subscription's position as last published. */
  public synchronized long floor() {
    return floor;
  }

  /** How many entries a position is behind {@code end}. */
  public long lag(long next, long end) {
    return Math.max(0, end - next - skipped.gapsWithin(next, end));
  }

  /** How many consumers are connected. */
  public synchronized int connectedCount() {
    return connected.count();
  }

  /** How many of them are durable. */
  public synchronized int connectedDurableCount() {
    return connected.durableCount();
  }

  /** The positions of connected consumers. */
  public synchronized long[] connectedPositions() {
    return connected.positions();
  }

  /** How many positions wait for their consumer's return. */
  public synchronized int leftBehindCount() {
    return names.leftBehindCount();
  }

  /** Sets the longest time to live, for all positions and until it is set again. */
  public synchronized void limitTimesToLive(long seconds) {
    names.limitTimesToLive(seconds);
  }

  /** Sets how many durable positions there may be; more that are there already stay. */
  public synchronized void limitPositions(int max) {
    maxPositions = max;
  }

  /** A position as it was left behind, for {@link #restore}. */
  LeftPosition left(
      String name, long next, long deliveredEnd, long firstMillis, long lastMillis, int leaves) {
    VirtualCursor cursor = new VirtualCursor(name, true, skipped, next, deliveredEnd);
    return new LeftPosition(cursor, firstMillis, lastMillis, leaves);
  }

  /** The same when it is not known when they left, or they were connected: they leave now. */
  long timeOf(long lastSeenMillis) {
    return lastSeenMillis > 0 ? lastSeenMillis : clockMillis.getAsLong();
  }

  /**
   * Adds what is stored of a name, before any consumer is connected. A position may be before the
   * subscription's own; {@link #raiseToFloor} follows.
   *
   * @param count how many consumers may return
   * @param arrivals see {@link NamedPosition#arrivals}
   */
  synchronized void restore(
      String name, long ttlSeconds, List<LeftPosition> left, int count, int arrivals) {
    keptForDurable = true;
    names.restore(namedOf(name, ttlSeconds), left, count, arrivals);
  }

  /**
   * Moves the positions that are before the subscription's own up to it: after a crash that one may
   * be ahead of what was stored, never of what was acknowledged.
   *
   * @return what they had not acknowledged, for when somebody else moved the subscription
   */
  synchronized Skipped raiseToFloor() {
    return moveUpTo(floor);
  }

  /** Writes the names of which no collection has had all positions yet. */
  synchronized void collectNewNames(PositionsRecords records) {
    names.collectNew(records);
  }

  /** Writes what changed since the last {@link #collectChanges} or {@link #collectAll}. */
  synchronized void collectChanges(PositionsRecords records) {
    names.collect(connected, records, false);
  }

  /** Writes everything. */
  synchronized void collectAll(PositionsRecords records) {
    names.collect(connected, records, true);
  }

  /** What was collected last is on storage. */
  synchronized void stored() {
    names.stored();
  }

  /** Shows every cursor, and how many positions it stands for. */
  @GuardedBy("this")
  private void forEach(ObjIntConsumer<VirtualCursor> action) {
    connected.forEach(cursor -> action.accept(cursor, 1));
    leaving.values().forEach(cursor -> action.accept(cursor, 1));
    drops.forEach(drop -> drop.forEach(action));
    names.forEachLeftBehind(action);
  }
}
