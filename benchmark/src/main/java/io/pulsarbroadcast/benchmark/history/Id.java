/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Comparator;

/**
 * A place in the topic; in a file {@code "7:13"}, or {@code "7:13:2"} in a batch. Immutable; any
 * thread may use it.
 *
 * @param batchIndex -1 for a message that is in no batch
 */
public record Id(long ledgerId, long entryId, int batchIndex) implements Comparable<Id> {
  private static final Comparator<Id> ORDER =
      Comparator.comparingLong(Id::ledgerId)
          .thenComparingLong(Id::entryId)
          .thenComparingInt(Id::batchIndex);

  /** A message that is in no batch. */
  public static Id of(long ledgerId, long entryId) {
    return new Id(ledgerId, entryId, -1);
  }

  /** Reads what {@link #toString} has written. */
  @JsonCreator
  public static Id parse(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length < 2 || parts.length > 3) {
      throw new IllegalArgumentException(
          "id is " + text + "; allowed: ledger:entry or ledger:entry:index");
    }
    return new Id(
        Long.parseLong(parts[0]),
        Long.parseLong(parts[1]),
        parts.length == 3 ? Integer.parseInt(parts[2]) : -1);
  }

  /** Behind everything of its entry. */
  Id endOfEntry() {
    return new Id(ledgerId, entryId, Integer.MAX_VALUE);
  }

  /** Before everything of its entry. */
  Id startOfEntry() {
    return new Id(ledgerId, entryId, Integer.MIN_VALUE);
  }

  /** Before this message, and behind all that are before it. */
  Id justBefore() {
    return batchIndex > 0
        ? new Id(ledgerId, entryId, batchIndex - 1)
        : new Id(ledgerId, entryId - 1, Integer.MAX_VALUE);
  }

  /** This one, unless the other is before it. */
  Id orEarlier(Id other) {
    return other.compareTo(this) < 0 ? other : this;
  }

  boolean isSameEntry(Id other) {
    return other != null && ledgerId == other.ledgerId && entryId == other.entryId;
  }

  @Override
  public int compareTo(Id other) {
    return ORDER.compare(this, other);
  }

  @JsonValue
  @Override
  public String toString() {
    return ledgerId + ":" + entryId + (batchIndex < 0 ? "" : ":" + batchIndex);
  }
}
