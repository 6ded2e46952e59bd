/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.Map;
import java.util.TreeMap;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * What one consumer has acknowledged after its position: whole entries, and parts of batches. Most
 * consumers never have any, so {@link VirtualCursor} allocates it with the first and drops it when
 * the holes are closed. Guarded by its cursor's monitor.
 */
final class IndividualAcks {

  /** What the parts of one consumer may take, in words of 64 messages: 1 MiB. */
  static final int MAX_PART_WORDS = 1 << 17;

  private final Roaring64Bitmap entries = new Roaring64Bitmap();

  /**
   * Per entry that is acknowledged in part, a bit for each message of the batch that is not; null
   * while there are none.
   */
  private TreeMap<Long, long[]> parts;

  private int partWords;

  void add(long ordinal) {
    entries.addLong(ordinal);
    removePart(ordinal);
  }

  /** Adds the whole entries {@code from} to {@code to}, exclusive. */
  void add(long from, long to) {
    entries.addRange(from, to);
  }

  /** The same whole entries, without parts. */
  IndividualAcks copyOfWhole() {
    IndividualAcks copy = new IndividualAcks();
    copy.entries.or(entries);
    return copy;
  }

  boolean contains(long ordinal) {
    return entries.contains(ordinal);
  }

  /** Whether a part of one more batch is kept. */
  boolean hasRoomFor(long ordinal, long[] remaining) {
    return remaining(ordinal) != null || partWords + remaining.length <= MAX_PART_WORDS;
  }

  /**
   * Forgets the bits of a batch beyond its messages, which a client may have named all the same.
   *
   * @return whether no message remains
   */
  boolean cutPart(long ordinal, int messages) {
    long[] left = remaining(ordinal);
    if (left == null) {
      return false;
    }
    for (int i = 0; i < left.length; i++) {
      int kept = Math.max(0, Math.min(Long.SIZE, messages - i * Long.SIZE));
      left[i] &= kept == Long.SIZE ? -1 : (1L << kept) - 1;
    }
    return isEmpty(left);
  }

  /**
   * Notes that of a batch only the messages with a bit in {@code remaining} are not acknowledged.
   *
   * @return whether no message remains; the part is then forgotten
   */
  boolean addPart(long ordinal, long[] remaining) {
    long[] known = parts == null ? null : parts.get(ordinal);
    long[] left = known == null ? remaining : and(known, remaining);
    if (isEmpty(left)) {
      removePart(ordinal);
      return true;
    }
    if (parts == null) {
      parts = new TreeMap<>();
    }
    parts.put(ordinal, left);
    partWords += left.length - (known == null ? 0 : known.length);
    return false;
  }

  /** The messages of a batch that are not acknowledged, as bits; null: all of them, or no batch. */
  long[] remaining(long ordinal) {
    return parts == null ? null : parts.get(ordinal);
  }

  /** Forgets what is before {@code ordinal}. */
  void removeBefore(long ordinal) {
    while (!entries.isEmpty() && entries.first() < ordinal) {
      entries.removeLong(entries.first());
    }
    if (parts != null) {
      while (!parts.isEmpty() && parts.firstKey() < ordinal) {
        partWords -= parts.pollFirstEntry().getValue().length;
      }
      dropEmptyParts();
    }
  }

  boolean isEmpty() {
    return entries.isEmpty() && parts == null;
  }

  /** How many whole entries before {@code end}. */
  long countBefore(long end) {
    return entries.rankLong(end - 1);
  }

  /**
   * Hands the first {@code limit} whole entries, then the first {@code limit} parts, to a visitor.
   */
  void forEach(int limit, Visitor visitor) {
    LongIterator ordinals = entries.getLongIterator();
    for (int i = 0; i < limit && ordinals.hasNext(); i++) {
      visitor.entry(ordinals.next());
    }
    if (parts != null) {
      int visited = 0;
      for (Map.Entry<Long, long[]> part : parts.entrySet()) {
        if (visited++ == limit) {
          return;
        }
        visitor.part(part.getKey(), part.getValue());
      }
    }
  }

  /** How many entries and parts {@link #forEach} leaves out. */
  long leftOut(int limit) {
    int partCount = parts == null ? 0 : parts.size();
    return Math.max(0, entries.getLongCardinality() - limit) + Math.max(0, partCount - limit);
  }

  private void removePart(long ordinal) {
    if (parts != null) {
      long[] removed = parts.remove(ordinal);
      partWords -= removed == null ? 0 : removed.length;
      dropEmptyParts();
    }
  }

  private void dropEmptyParts() {
    if (parts.isEmpty()) {
      parts = null;
    }
  }

  static long[] and(long[] one, long[] other) {
    long[] both = new long[Math.min(one.length, other.length)];
    for (int i = 0; i < both.length; i++) {
      both[i] = one[i] & other[i];
    }
    return both;
  }

  private static boolean isEmpty(long[] words) {
    for (long word : words) {
      if (word != 0) {
        return false;
      }
    }
    return true;
  }

  /** Takes what is acknowledged ahead. */
  interface Visitor {
    void entry(long ordinal);

    void part(long ordinal, long[] remaining);
  }
}
