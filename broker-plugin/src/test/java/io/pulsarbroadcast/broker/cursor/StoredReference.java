/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.BitSet;
import java.util.TreeMap;

/** What the reference expects of stored positions: of each name, between what bounds it is. */
final class StoredReference {

  /** One of two times to live. */
  static final long UNKNOWN = -2;

  final TreeMap<String, Name> names = new TreeMap<>();

  /**
   * One name.
   *
   * @param registration whose it is: a name that was dropped and comes again is another one
   * @param ttlSeconds its time to live, or {@link #UNKNOWN}
   * @param lastSeenMillis when the last of its consumers left, 0: one was connected, or {@link
   *     #UNKNOWN}
   * @param least how many positions there are at least
   * @param most how many there are at most
   * @param must what has to count as acknowledged
   * @param may what may count as acknowledged
   * @param mayOfNew what may count as acknowledged for consumers that no write has had yet; null:
   *     there is none
   * @param isNew whether a position was added since the last write
   * @param optional whether it may also be unknown
   */
  record Name(
      Object registration,
      long ttlSeconds,
      long lastSeenMillis,
      int least,
      int most,
      BitSet must,
      BitSet may,
      BitSet mayOfNew,
      boolean isNew,
      boolean optional) {

    Name asOptional() {
      return new Name(
          registration, ttlSeconds, lastSeenMillis, least, most, must, may, mayOfNew, isNew, true);
    }

    Name found(int count) {
      return new Name(
          registration, ttlSeconds, lastSeenMillis, count, count, must, may, null, false, false);
    }

    boolean isUncertain() {
      return ttlSeconds == UNKNOWN || lastSeenMillis == UNKNOWN;
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
      return new Name(
          registration,
          ttlSeconds == other.ttlSeconds ? ttlSeconds : UNKNOWN,
          lastSeenMillis == other.lastSeenMillis ? lastSeenMillis : UNKNOWN,
          Math.min(least, other.least),
          Math.max(most, other.most),
          both,
          either,
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
      if (now.mayOfNew != null) {
        grown.may.and(now.mayOfNew);
      }
      return new Name(
          registration,
          now.ttlSeconds,
          now.lastSeenMillis,
          now.least,
          now.most,
          grown.must,
          grown.may,
          null,
          false,
          optional);
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
