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
   * @param must what has to count as acknowledged
   * @param may what may count as acknowledged
   * @param optional whether it may also be unknown
   */
  record Name(Object registration, long ttlSeconds, BitSet must, BitSet may, boolean optional) {

    Name asOptional() {
      return new Name(registration, ttlSeconds, must, may, true);
    }

    private Name or(Name other) {
      BitSet both = (BitSet) must.clone();
      both.and(other.must);
      if (registration != other.registration) {
        // Both can be there, when the end of the first is not: then the lower holds, without holes.
        both.clear(both.nextClearBit(0), both.length());
      }
      BitSet either = (BitSet) may.clone();
      either.or(other.may);
      return new Name(
          registration,
          ttlSeconds == other.ttlSeconds ? ttlSeconds : UNKNOWN,
          both,
          either,
          registration != other.registration || optional || other.optional);
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
        (name, there) -> result.names.put(name, isSame(name, now) ? names.get(name) : there));
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
