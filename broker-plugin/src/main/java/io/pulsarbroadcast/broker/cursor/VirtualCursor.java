/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * One consumer's acknowledged position on a Broadcast subscription (seed 000: "the virtual cursor
 * has a lightweight design; it does not contain any other information other than the incremental
 * position").
 *
 * <p>The position is {@link #next()}: every entry before it is acknowledged. Acknowledgements may
 * arrive in any order and on any thread. In the common case, a cumulative one or an individual one
 * at the position, it is one compare-and-set. Individual acknowledgements further ahead leave
 * holes; the set that holds them is allocated when the first arrives, is guarded by this object's
 * monitor, and is gone again when the holes are closed.
 *
 * <p>Invariants kept here:
 *
 * <ul>
 *   <li>I4: {@code next} passes an entry only when that entry was acknowledged, is given to nobody,
 *       or is skipped for everybody by {@link #skipTo}.
 *   <li>I5: {@code next} decreases only in {@link #reset}.
 *   <li>An acknowledgement of an entry at or after {@link #deliveredEnd()} is refused: it was never
 *       sent.
 * </ul>
 *
 * <p>{@code deliveredEnd} is written by the connection's event loop only.
 */
public final class VirtualCursor {

  /** What became of an acknowledgement. */
  public enum AckResult {
    /** The position moved. */
    ADVANCED,
    /** Noted, or known already; the position stays. */
    UNCHANGED,
    /** Not taken: the entry was never sent to this consumer. */
    NOT_SENT
  }

  private static final long[] NONE = {};
  private static final VarHandle NEXT;

  static {
    try {
      NEXT = MethodHandles.lookup().findVarHandle(VirtualCursor.class, "next", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String name;
  private final boolean durable;
  private final SkippedEntries skipped;

  private volatile long next;
  private volatile long deliveredEnd;

  /**
   * Individually acknowledged entries after {@code next}; null while there are none. Changed under
   * this object's monitor; volatile so that a cumulative acknowledgement, which does not take it,
   * sees whether there are any.
   */
  private volatile Roaring64Bitmap acknowledgedAhead;

  /** Index in the registry's table; owned by {@link CursorRegistry}. */
  int slot = -1;

  VirtualCursor(
      String name, boolean durable, SkippedEntries skipped, long next, long deliveredEnd) {
    this.name = Objects.requireNonNull(name);
    this.durable = durable;
    this.skipped = skipped;
    this.next = next;
    this.deliveredEnd = Math.max(next, deliveredEnd);
  }

  /** The consumer's name, its identity on the subscription. */
  public String name() {
    return name;
  }

  /** Whether the position outlives the connection. */
  public boolean isDurable() {
    return durable;
  }

  /** The first entry that is not acknowledged. */
  public long next() {
    return next;
  }

  /** The end, exclusive, of what was ever sent under this position. */
  public long deliveredEnd() {
    return deliveredEnd;
  }

  /**
   * Notes that every entry before {@code end} has been sent. Called by the connection's event loop
   * only.
   */
  public void delivered(long end) {
    if (end > deliveredEnd) {
      deliveredEnd = end;
    }
  }

  /** Acknowledges every entry up to and including {@code ordinal}. */
  public AckResult ackCumulative(long ordinal) {
    if (ordinal >= deliveredEnd) {
      return AckResult.NOT_SENT;
    }
    return advanceTo(ordinal + 1) ? AckResult.ADVANCED : AckResult.UNCHANGED;
  }

  /** Acknowledges the entry {@code ordinal} alone. */
  public AckResult ackIndividual(long ordinal) {
    if (ordinal >= deliveredEnd) {
      return AckResult.NOT_SENT;
    }
    synchronized (this) {
      long position = skipped.firstNotSkipped(next);
      if (ordinal < position) {
        return AckResult.UNCHANGED;
      }
      if (ordinal == position) {
        return advanceTo(ordinal + 1) ? AckResult.ADVANCED : AckResult.UNCHANGED;
      }
      if (acknowledgedAhead == null) {
        acknowledgedAhead = new Roaring64Bitmap();
      }
      acknowledgedAhead.addLong(ordinal);
      // A cumulative acknowledgement may have moved the position next to the new hole meanwhile.
      return closeHoles() ? AckResult.ADVANCED : AckResult.UNCHANGED;
    }
  }

  /** Whether the entry needs no further delivery. */
  public boolean isAcknowledged(long ordinal) {
    if (ordinal < next) {
      return true;
    }
    if (acknowledgedAhead == null) {
      return false;
    }
    synchronized (this) {
      return acknowledgedAhead != null && acknowledgedAhead.contains(ordinal);
    }
  }

  /** The entries acknowledged after the position, the first {@code limit} of them. */
  long[] acknowledgedAhead(int limit) {
    if (acknowledgedAhead == null) {
      return NONE;
    }
    synchronized (this) {
      return acknowledgedAhead == null ? NONE : acknowledgedAhead.stream().limit(limit).toArray();
    }
  }

  /** How many entries before {@code end} are not acknowledged; those given to nobody count too. */
  public long unacknowledgedBefore(long end) {
    if (acknowledgedAhead == null) {
      return Math.max(0, end - next);
    }
    synchronized (this) {
      long ahead = acknowledgedAhead == null ? 0 : acknowledgedAhead.rankLong(end - 1);
      return Math.max(0, end - next - ahead);
    }
  }

  /**
   * Moves the position up to {@code ordinal}, acknowledged or not; never back.
   *
   * @return how many entries were not acknowledged
   */
  synchronized long skipTo(long ordinal) {
    long entries = unacknowledgedBefore(ordinal);
    return advanceTo(ordinal) ? entries : 0;
  }

  /**
   * Moves the position to {@code ordinal}, back or forward, and forgets what was acknowledged after
   * it (seek).
   */
  public synchronized void reset(long ordinal) {
    acknowledgedAhead = null;
    next = ordinal;
    delivered(ordinal);
  }

  /**
   * Gives this position whatever {@code other}, of the same name, has not acknowledged: the lower
   * one holds.
   */
  synchronized void lowerTo(VirtualCursor other) {
    // Holes are kept only where both have them; of two positions under one name that is next to
    // never worth the work.
    acknowledgedAhead = null;
    next = Math.min(next, other.next());
    delivered(other.deliveredEnd());
  }

  private boolean advanceTo(long target) {
    long current;
    do {
      current = next;
      if (target <= current) {
        return false;
      }
    } while (!NEXT.compareAndSet(this, current, target));
    if (acknowledgedAhead != null || skipped.firstNotSkipped(target) != target) {
      closeHoles();
    }
    return true;
  }

  private synchronized boolean closeHoles() {
    long before = next;
    long position = skipped.firstNotSkipped(before);
    Roaring64Bitmap ahead = acknowledgedAhead;
    while (ahead != null && ahead.contains(position)) {
      position = skipped.firstNotSkipped(position + 1);
    }
    if (position > before && !NEXT.compareAndSet(this, before, position)) {
      return closeHoles();
    }
    if (ahead != null) {
      while (!ahead.isEmpty() && ahead.first() < position) {
        ahead.removeLong(ahead.first());
      }
      if (ahead.isEmpty()) {
        acknowledgedAhead = null;
      }
    }
    return position > before;
  }
}
