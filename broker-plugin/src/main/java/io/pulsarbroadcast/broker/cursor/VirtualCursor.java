/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * One consumer's acknowledged position on a Broadcast subscription (seed 000: "the virtual cursor
 * has a lightweight design; it does not contain any other information other than the incremental
 * position").
 *
 * <p>The position is {@link #next()}: every entry before it is acknowledged. Acknowledgements may
 * arrive in any order and on any thread. In the common case, a cumulative one or an individual one
 * at the position, it is one compare-and-set; an individual one takes this object's monitor
 * besides, for which hardly anybody contends. Individual acknowledgements further ahead leave
 * holes, those of single messages leave batches in part; what holds them, {@link IndividualAcks},
 * is allocated when the first arrives, is guarded by this object's monitor, and is gone again when
 * the holes are closed.
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
 */
public final class VirtualCursor {

  /** What became of an acknowledgement. */
  public enum AckResult {
    /** The position moved. */
    ADVANCED,
    /** Noted; the position stays. */
    PART,
    /** Known already. */
    UNCHANGED,
    /** Not taken: the entry was never sent to this consumer. */
    NOT_SENT,
    /** Not taken: parts of too many batches are acknowledged already. */
    TOO_MANY_PARTS
  }

  private static final VarHandle NEXT;
  private static final VarHandle DELIVERED_END;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NEXT = lookup.findVarHandle(VirtualCursor.class, "next", long.class);
      DELIVERED_END = lookup.findVarHandle(VirtualCursor.class, "deliveredEnd", long.class);
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
   * What is acknowledged at and after {@code next}; null while there is nothing. Changed under this
   * object's monitor; volatile so that a cumulative acknowledgement, which does not take it, sees
   * whether there is anything.
   */
  private volatile IndividualAcks ahead;

  /** Changes with {@code ahead}. Written under this object's monitor. */
  private volatile int aheadVersion;

  /**
   * The batch that a seek led into, of which the client leaves out what is before; null: none. It
   * is sent whole: clients acknowledge all messages of a batch or, if they acknowledge single ones,
   * never those that they leave out.
   */
  @GuardedBy("this")
  private SeekTarget soughtBatch;

  /** Where its consumer connected from last; null: not since the topic was loaded. */
  @GuardedBy("this")
  private byte[] address;

  /** Whether it was left behind before it was connected; owned by {@link CursorRegistry}. */
  boolean returned;

  /** Index in the registry's table; owned by {@link CursorRegistry}. */
  int slot = -1;

  /** Its name's entry there, or null for an ephemeral one; owned by {@link CursorRegistry}. */
  NamedPosition named;

  VirtualCursor(
      String name, boolean durable, SkippedEntries skipped, long next, long deliveredEnd) {
    this.name = Objects.requireNonNull(name);
    this.durable = durable;
    this.skipped = skipped;
    this.next = next;
    this.deliveredEnd = Math.max(next, deliveredEnd);
  }

  /** Another cursor at this position, without what is acknowledged after it. */
  synchronized VirtualCursor copy() {
    VirtualCursor copy = new VirtualCursor(name, durable, skipped, next, deliveredEnd);
    copy.connectedFrom(address);
    return copy;
  }

  /**
   * Notes where its consumer connects from.
   *
   * @param now its address, kept and not copied: consumers of one connection share it
   * @return where the consumer connected from that left the position; null: not known
   */
  public synchronized byte[] connectedFrom(byte[] now) {
    byte[] before = address;
    address = now;
    return before;
  }

  /** Whether it is in that table. Guarded by the {@link CursorRegistry}. */
  boolean isConnected() {
    return slot >= 0;
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
   * Notes that every entry before {@code end} has been sent. From any thread: one connection may
   * still be ending when another goes on at this position.
   */
  public void delivered(long end) {
    long before = deliveredEnd;
    while (end > before && !DELIVERED_END.compareAndSet(this, before, end)) {
      before = deliveredEnd;
    }
    if (ahead != null && skipped.firstNotSkipped(next) != next) {
      // Entries for nobody, read only now, were all that was left before a hole.
      closeHoles();
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
      return acknowledgeAhead(ordinal);
    }
  }

  /**
   * Acknowledges single messages of the batch {@code ordinal}.
   *
   * @param remaining a bit for each message that is <em>not</em> acknowledged, as in the wire
   *     format; kept, not copied
   */
  public AckResult ackPart(long ordinal, long[] remaining) {
    if (ordinal >= deliveredEnd) {
      return AckResult.NOT_SENT;
    }
    synchronized (this) {
      if (isAcknowledged(ordinal)) {
        return AckResult.UNCHANGED;
      }
      boolean isSought = soughtBatch != null && soughtBatch.ordinal() == ordinal;
      long[] left = isSought ? IndividualAcks.and(soughtBatch.remaining(), remaining) : remaining;
      if (!allocated().hasRoomFor(ordinal, left)) {
        return AckResult.TOO_MANY_PARTS;
      }
      aheadVersion++;
      if (allocated().addPart(ordinal, left)) {
        return acknowledgeAhead(ordinal);
      }
      // A cumulative acknowledgement may have moved the position past the batch meanwhile.
      return closeHoles() ? AckResult.ADVANCED : AckResult.PART;
    }
  }

  private AckResult acknowledgeAhead(long ordinal) {
    long position = skipped.firstNotSkipped(next);
    if (ordinal < position) {
      return AckResult.UNCHANGED;
    }
    if (ordinal == position) {
      return advanceTo(ordinal + 1) ? AckResult.ADVANCED : AckResult.UNCHANGED;
    }
    aheadVersion++;
    allocated().add(ordinal);
    // A cumulative acknowledgement may have moved the position next to the new hole meanwhile.
    return closeHoles() ? AckResult.ADVANCED : AckResult.PART;
  }

  private IndividualAcks allocated() {
    if (ahead == null) {
      ahead = new IndividualAcks();
    }
    return ahead;
  }

  /** Takes over what was acknowledged before this position began, and was never sent under it. */
  synchronized void inherit(IndividualAcks acknowledged) {
    ahead = acknowledged.copyOfWhole();
    aheadVersion++;
    closeHoles();
  }

  /** Whether the entry needs no further delivery. */
  public boolean isAcknowledged(long ordinal) {
    if (ordinal < next) {
      return true;
    }
    if (ahead == null) {
      // What was ahead may have been taken into the position since that was read.
      return ordinal < next;
    }
    synchronized (this) {
      return ordinal < next || (ahead != null && ahead.contains(ordinal));
    }
  }

  /**
   * The messages of a batch that are still to be acknowledged, as bits of the wire format; null
   * when none of them is acknowledged.
   */
  public long[] remaining(long ordinal) {
    if (ahead == null) {
      return null;
    }
    synchronized (this) {
      return ahead == null ? null : ahead.remaining(ordinal);
    }
  }

  /**
   * Forgets what an acknowledgement named of a batch beyond its messages.
   *
   * @return whether all of them are acknowledged
   */
  public boolean cutPart(long ordinal, int messages) {
    if (ahead == null) {
      return false;
    }
    synchronized (this) {
      return ahead != null && ahead.cutPart(ordinal, messages);
    }
  }

  /** How many entries before {@code end} are not acknowledged; those given to nobody count too. */
  public long unacknowledgedBefore(long end) {
    return Math.max(0, ordinalsBefore(end) - skipped.gapsWithin(next, end));
  }

  /** How many entries before {@code end} are not acknowledged and were given to the consumer. */
  public long outstandingBefore(long end) {
    return Math.max(0, ordinalsBefore(end) - skipped.countWithin(next, end));
  }

  private long ordinalsBefore(long end) {
    if (ahead == null) {
      return Math.max(0, end - next);
    }
    synchronized (this) {
      return Math.max(0, end - next - (ahead == null ? 0 : ahead.countBefore(end)));
    }
  }

  /** The first entry at or after {@code ordinal} that is not one of those given to nobody. */
  public long nextGiven(long ordinal) {
    return skipped.nextGiven(ordinal);
  }

  /**
   * Moves the position up to {@code ordinal}, acknowledged or not; never back.
   *
   * @return how many entries were not acknowledged, those given to nobody included
   */
  synchronized long skipTo(long ordinal) {
    long entries = unacknowledgedBefore(ordinal);
    return advanceTo(ordinal) ? entries : 0;
  }

  /** Changes whenever {@link #visitAhead} would show something else; 0: it never would have. */
  int aheadVersion() {
    return aheadVersion;
  }

  /**
   * Shows the first {@code limit} entries and batches that are acknowledged, or in part, after the
   * position.
   *
   * @return how many more there are
   */
  synchronized long visitAhead(int limit, IndividualAcks.Visitor visitor) {
    if (ahead == null) {
      return 0;
    }
    ahead.forEach(limit, visitor);
    return ahead.leftOut(limit);
  }

  /**
   * Moves the position to {@code ordinal}, back or forward, and forgets what was acknowledged after
   * it (seek).
   */
  public void reset(long ordinal) {
    reset(SeekTarget.entry(ordinal));
  }

  /** The same, also into a batch. */
  synchronized void reset(SeekTarget target) {
    ahead = null;
    aheadVersion++;
    soughtBatch = target.remaining() == null ? null : target;
    next = target.ordinal();
    delivered(next);
  }

  /** The seek into a batch has failed. */
  synchronized void forgetSoughtBatch() {
    soughtBatch = null;
  }

  /**
   * Gives this position whatever {@code other}, of the same name, has not acknowledged: the lower
   * one holds.
   */
  synchronized void lowerTo(VirtualCursor other) {
    // Holes are kept only where both have them; of two positions under one name that is next to
    // never worth the work.
    ahead = null;
    soughtBatch = null;
    aheadVersion++;
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
    if (ahead != null || skipped.firstNotSkipped(target) != target) {
      closeHoles();
    }
    return true;
  }

  private synchronized boolean closeHoles() {
    long before = next;
    long position = skipped.firstNotSkipped(before);
    IndividualAcks known = ahead;
    while (known != null && known.contains(position)) {
      position = skipped.firstNotSkipped(position + 1);
    }
    if (position > before && !NEXT.compareAndSet(this, before, position)) {
      return closeHoles();
    }
    if (known != null) {
      known.removeBefore(position);
      if (known.isEmpty()) {
        ahead = null;
      }
    }
    return position > before;
  }
}
