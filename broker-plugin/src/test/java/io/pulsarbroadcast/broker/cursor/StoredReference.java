/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/** What the reference expects of stored positions: of each name, between what bounds it is. */
final class StoredReference {

  /** One of two times to live. */
  static final long UNKNOWN = -2;

  /** Instead of the time last seen. */
  static final long CONNECTED = 0;

  final TreeMap<String, Name> names = new TreeMap<>();

  /**
   * One name.
   *
   * @param registration whose it is: a name that was dropped and comes again is another one
   * @param ttlSeconds its time to live, or {@link #UNKNOWN}
   * @param lastSeenMillis when the last of its consumers left, {@link #CONNECTED}, or {@link
   *     #UNKNOWN}
   * @param left where they are when they are not all in one place; empty: they are; null: not known
   * @param least how many positions there are at least
   * @param most how many there are at most
   * @param must what has to count as acknowledged
   * @param may what may count as acknowledged
   * @param mayOfConnected the same without those who are away; null: nobody is connected
   * @param mayOfLeft the same of those who are away; null: nobody is
   * @param mayOfNew what may count as acknowledged for consumers that no write has had yet; null:
   *     there is none
   * @param isNew whether a position was added since the last write
   * @param optional whether it may also be unknown
   */
  record Name(
      Object registration,
      long ttlSeconds,
      long lastSeenMillis,
      List<Left> left,
      int least,
      int most,
      BitSet must,
      BitSet may,
      BitSet mayOfConnected,
      BitSet mayOfLeft,
      BitSet mayOfNew,
      boolean isNew,
      boolean optional) {

    Name asOptional() {
      return new Name(
          registration,
          ttlSeconds,
          lastSeenMillis,
          left,
          least,
          most,
          must,
          may,
          mayOfConnected,
          mayOfLeft,
          mayOfNew,
          isNew,
          true);
    }

    Name found(int count) {
      return new Name(
          registration,
          ttlSeconds,
          lastSeenMillis,
          left,
          count,
          count,
          must,
          may,
          null,
          null,
          null,
          false,
          false);
    }

    /** What may count as acknowledged at the place that is stored beside those who are away. */
    private BitSet mayOfPosition() {
      return (BitSet) (mayOfConnected == null ? may : mayOfConnected).clone();
    }

    boolean isUncertain() {
      return ttlSeconds == UNKNOWN || lastSeenMillis == UNKNOWN || left == null;
    }

    /** Where those are who may return. */
    List<Left> positions() {
      return left == null || left.isEmpty()
          ? List.of(new Left(must, may, lastSeenMillis, lastSeenMillis, least))
          : left;
    }

    private Name or(Name other) {
      BitSet both = (BitSet) must.clone();
      both.and(other.must);
      if (registration != other.registration || most > 1 || other.most > 1) {
        // Both can be there, when the end of the first is not: then the lower holds, without holes.
        both.clear(both.nextClearBit(0), both.length());
      }
      BitSet either = (BitSet) may.clone();
      either.or(other.may);
      BitSet eitherPosition = mayOfPosition();
      eitherPosition.or(other.mayOfPosition());
      return new Name(
          registration,
          ttlSeconds == other.ttlSeconds ? ttlSeconds : UNKNOWN,
          lastSeenMillis == other.lastSeenMillis ? lastSeenMillis : UNKNOWN,
          registration == other.registration && Objects.equals(left, other.left) ? left : null,
          Math.min(least, other.least),
          Math.max(most, other.most),
          both,
          either,
          eitherPosition,
          null,
          null,
          false,
          registration != other.registration || optional || other.optional);
    }

    /** This, with the positions that a write of new names adds. */
    private Name grownTo(Name now) {
      if (!now.isNew) {
        return this;
      }
      Name grown = or(now);
      // Such a write has no holes, because namesakes do not share them; not even when all but one
      // have unsubscribed by then.
      grown.must.clear(grown.must.nextClearBit(0), grown.must.length());
      // It has those who are away as they are now; some may have expired.
      BitSet asBefore = mayOfPosition();
      if (now.mayOfLeft != null) {
        asBefore.and(now.mayOfLeft);
      }
      grown.may.or(asBefore);
      if (now.mayOfNew != null) {
        grown.may.and(now.mayOfNew);
      }
      return new Name(
          registration,
          // Not written if all who were new have unsubscribed by then.
          now.mayOfNew == null ? grown.ttlSeconds : now.ttlSeconds,
          now.lastSeenMillis,
          now.left.isEmpty() ? now.left : null,
          now.least,
          now.most,
          grown.must,
          grown.may,
          null,
          null,
          null,
          false,
          optional);
    }
  }

  /** Where some of a name are who may return, and since when; as of {@link Name}. */
  record Left(BitSet must, BitSet may, long firstMillis, long lastMillis, int leaves) {

    /** What is stored of cursors as one: the lowest, and no holes. */
    static Left of(List<ReferenceCursor> cursors, long firstMillis, long lastMillis, int leaves) {
      BitSet must = new BitSet();
      must.set(
          0, cursors.stream().mapToInt(cursor -> cursor.must.nextClearBit(0)).min().getAsInt());
      BitSet may = (BitSet) cursors.get(0).may.clone();
      cursors.forEach(cursor -> may.and(cursor.may));
      return new Left(must, may, firstMillis, lastMillis, leaves);
    }
  }

  /** Whether a name is the same registration here and there. */
  boolean isSame(String name, StoredReference other) {
    Name here = names.get(name);
    Name there = other.names.get(name);
    return here != null && there != null && here.registration == there.registration;
  }

  /** This, with the names that are new there, and without those that are no more. */
  StoredReference withNewNames(StoredReference now) {
    StoredReference result = new StoredReference();
    now.names.forEach(
        (name, there) ->
            result.names.put(name, isSame(name, now) ? names.get(name).grownTo(there) : there));
    return result;
  }

  /** What is expected when each name may be as here or as there. */
  StoredReference or(StoredReference other) {
    StoredReference result = new StoredReference();
    names.forEach(
        (name, here) -> {
          Name there = other.names.get(name);
          result.names.put(name, there == null ? here.asOptional() : here.or(there));
        });
    other.names.forEach((name, there) -> result.names.putIfAbsent(name, there.asOptional()));
    return result;
  }
}
