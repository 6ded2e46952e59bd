/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import java.util.ArrayDeque;
import java.util.List;

/**
 * What the tail reader brought and one connection's socket has not taken yet: references to entries
 * that all connections share. Confined to the connection's thread.
 */
final class TailQueue {

  private final ArrayDeque<BroadcastEntry> entries = new ArrayDeque<>();
  private long bytes;
  private long end;

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The entry to send next, or null. */
  BroadcastEntry first() {
    return entries.peek();
  }

  /** Bytes of memory that the entries hold. */
  long bytes() {
    return bytes;
  }

  /** The ordinal from which on a consumer can be served from here. */
  long start() {
    return entries.isEmpty() ? end : entries.peek().from();
  }

  /** The ordinal after the last entry that was handed over, held or not. */
  long end() {
    return end;
  }

  /** The tail has come to {@code ordinal}, if it had not before. */
  void moveEndTo(long ordinal) {
    end = Math.max(end, ordinal);
  }

  /** Adds entries, with one reference to each. */
  void add(List<BroadcastEntry> added) {
    for (BroadcastEntry entry : added) {
      entries.add(entry);
      bytes += entry.sizeBytes();
    }
  }

  /** Gives up the first entry. */
  void releaseFirst() {
    BroadcastEntry entry = entries.remove();
    bytes -= entry.sizeBytes();
    entry.release();
  }

  /** Gives up all entries. */
  void release() {
    entries.forEach(BroadcastEntry::release);
    entries.clear();
    bytes = 0;
  }
}
