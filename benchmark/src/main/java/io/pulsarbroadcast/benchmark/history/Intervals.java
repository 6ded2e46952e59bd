/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A set of numbers, as intervals: small if most are consecutive. Beyond {@link #MAX} intervals it
 * also has numbers that lie between others. Only the checker's thread uses it.
 */
final class Intervals {
  static final int MAX = 10_000;

  private final NavigableMap<Long, Long> lastByFirst = new TreeMap<>();

  void add(long number) {
    if (contains(number)) {
      return;
    }
    boolean full = size() >= MAX;
    Map.Entry<Long, Long> before = lastByFirst.lowerEntry(number);
    Map.Entry<Long, Long> after = lastByFirst.higherEntry(number);
    long first = number;
    long last = number;
    if (after != null && (after.getKey() - 1 == number || (full && before == null))) {
      lastByFirst.remove(after.getKey());
      last = after.getValue();
    }
    if (before != null && (before.getValue() + 1 == number || full)) {
      first = before.getKey();
    }
    lastByFirst.put(first, last);
  }

  boolean contains(long number) {
    Map.Entry<Long, Long> from = lastByFirst.floorEntry(number);
    return from != null && number <= from.getValue();
  }

  /** How many intervals there are. */
  int size() {
    return lastByFirst.size();
  }
}
