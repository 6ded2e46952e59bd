/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import java.util.List;

/**
 * What waits under one name for consumers to return. Immutable.
 *
 * @param arrivals how often its consumers have come, to any topic of those that share it
 * @param leftMillis when the last of them left, by the wall clock
 * @param lowest the lowest of the positions
 * @param unacknowledged how many consumers are away, and what they have not acknowledged
 */
public record Waiting(
    String name, int arrivals, long leftMillis, long lowest, Skipped unacknowledged) {

  /** What the consumers of several names have not acknowledged. */
  public static Skipped sum(List<Waiting> names) {
    int positions = 0;
    long entries = 0;
    for (Waiting each : names) {
      positions += each.unacknowledged.positions();
      entries += each.unacknowledged.entries();
    }
    return new Skipped(positions, entries);
  }
}
