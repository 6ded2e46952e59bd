/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

/**
 * Where a seek leads.
 *
 * @param ordinal of the first entry that is not acknowledged
 * @param remaining a bit for each message of that entry, a batch, that the seek does not pass over,
 *     as in the wire format; null: it leads to the whole entry. Kept, not copied.
 */
public record SeekTarget(long ordinal, long[] remaining) {

  /** The whole of an entry. */
  public static SeekTarget entry(long ordinal) {
    return new SeekTarget(ordinal, null);
  }
}
