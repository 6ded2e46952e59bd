/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.util.Map;
import java.util.NavigableMap;
import org.roaringbitmap.RoaringBitmap;

/**
 * A set of ordinals, of which many lie close together one by one, and some in stretches that may be
 * as long as 2^32. At worst it takes about a bit for each ordinal from the first to the last. What
 * is in it is counted without being walked through.
 *
 * <p>Not thread-safe.
 */
final class OrdinalSet {

  /** How many ordinals share a bitmap: as many as one container of it has. */
  private static final long PAGE = 1 << 16;

  /** More than this a page takes only as runs, of which it has too many. */
  private static final long MAX_PAGE_BYTES = PAGE / Byte.SIZE + 64;

  /**
   * Pages that have some of their ordinals, and stretches of pages that have all, by their first
   * ordinal. Stretches do not touch: two that would are one.
   */
  private final NavigableMap<Long, Piece> pieces;

  /**
   * @param pieces an empty map
   */
  OrdinalSet(NavigableMap<Long, Piece> pieces) {
    this.pieces = pieces;
  }

  boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** Adds {@code from} to {@code to}, exclusive. */
  void add(long from, long to) {
    long firstWhole = Math.min(to, pageFrom(from));
    long endOfWhole = Math.max(firstWhole, pageOf(to));
    addToPage(from, firstWhole);
    addStretch(firstWhole, endOfWhole);
    addToPage(endOfWhole, to);
  }

  /** Removes what is before {@code ordinal}. */
  void removeBefore(long ordinal) {
    Map.Entry<Long, Piece> last = pieces.lowerEntry(ordinal);
    if (last == null) {
      return;
    }
    long start = last.getKey();
    Piece piece = last.getValue();
    pieces.headMap(start, true).clear();
    long removed = piece.countOfFirst(ordinal - start);
    if (removed == piece.count) {
      return;
    }
    // What is left was counted from the same place as before, as is all that follows.
    long before = piece.before + removed;
    if (piece.page == null) {
      long whole = pageFrom(ordinal);
      long end = start + piece.count;
      if (whole < end) {
        pieces.put(whole, Piece.stretch(before + whole - ordinal, end - whole));
      }
      if (ordinal < whole) {
        Piece page = Piece.page(before);
        page.add(ordinal - pageOf(ordinal), PAGE);
        pieces.put(pageOf(ordinal), page);
      }
    } else {
      piece.page.remove(0L, ordinal - start);
      piece.before = before;
      piece.count -= removed;
      pieces.put(start, piece);
    }
  }

  /** The first ordinal at or after {@code ordinal} that is not in the set. */
  long nextAbsent(long ordinal) {
    long absent = ordinal;
    while (true) {
      Map.Entry<Long, Piece> piece = pieces.floorEntry(absent);
      if (piece == null) {
        return absent;
      }
      long start = piece.getKey();
      long next = start + piece.getValue().nextAbsent(absent - start);
      if (next == absent) {
        return absent;
      }
      absent = next;
    }
  }

  /** How many of {@code from} to {@code to}, exclusive, are in the set. */
  long countWithin(long from, long to) {
    return countBefore(to) - countBefore(from);
  }

  /** Counted from some place that changes only when the set becomes empty. */
  private long countBefore(long ordinal) {
    Map.Entry<Long, Piece> last = pieces.lowerEntry(ordinal);
    if (last != null) {
      return last.getValue().before + last.getValue().countOfFirst(ordinal - last.getKey());
    }
    return pieces.isEmpty() ? 0 : pieces.firstEntry().getValue().before;
  }

  private void addToPage(long from, long to) {
    if (nextAbsent(from) >= to) {
      return;
    }
    long start = pageOf(from);
    Piece page = pieces.get(start);
    if (page == null) {
      compactBefore(start);
      page = Piece.page(countBefore(start));
      pieces.put(start, page);
    }
    countAfter(start, page.add(from - start, to - start));
    if (page.count == PAGE) {
      join(start, start + PAGE);
    }
  }

  /** The page before a new one is most likely complete. */
  private void compactBefore(long start) {
    Map.Entry<Long, Piece> last = pieces.lowerEntry(start);
    if (last != null && last.getValue().page != null) {
      last.getValue().page.runOptimize();
    }
  }

  private void addStretch(long from, long to) {
    if (nextAbsent(from) >= to) {
      return;
    }
    long added = to - from - countWithin(from, to);
    countAfter(join(from, to), added);
  }

  /** Puts a stretch in the place of what there is, and of the stretches that it touches. */
  private long join(long from, long to) {
    Map.Entry<Long, Piece> first = pieces.lowerEntry(from);
    Map.Entry<Long, Piece> last = pieces.floorEntry(to);
    long start = first != null && endOfStretch(first) >= from ? first.getKey() : from;
    long end = last == null ? to : Math.max(to, endOfStretch(last));
    Piece stretch = Piece.stretch(countBefore(start), end - start);
    pieces.subMap(start, end).clear();
    pieces.put(start, stretch);
    return start;
  }

  /** The end of a stretch; of a page its beginning. */
  private static long endOfStretch(Map.Entry<Long, Piece> piece) {
    return piece.getKey() + (piece.getValue().page == null ? piece.getValue().count : 0);
  }

  /** Mostly there is nothing after what is added. */
  private void countAfter(long start, long added) {
    pieces.tailMap(start, false).values().forEach(piece -> piece.before += added);
  }

  private static long pageOf(long ordinal) {
    return ordinal & -PAGE;
  }

  /** Where the first page begins that has nothing before {@code ordinal}. */
  private static long pageFrom(long ordinal) {
    return pageOf(ordinal + PAGE - 1);
  }

  /** Ordinals next to each other, counted from the first of them. */
  static final class Piece {

    /** Which of a page's ordinals; null: a stretch, that has all. */
    final RoaringBitmap page;

    /** How many there are in the pieces before this one. */
    private long before;

    private long count;

    private Piece(RoaringBitmap page, long before, long count) {
      this.page = page;
      this.before = before;
      this.count = count;
    }

    static Piece page(long before) {
      return new Piece(new RoaringBitmap(), before, 0);
    }

    static Piece stretch(long before, long count) {
      return new Piece(null, before, count);
    }

    /**
     * Adds to a page.
     *
     * @return how many it did not have
     */
    long add(long from, long to) {
      long known = count;
      page.add(from, to);
      if (page.serializedSizeInBytes() > MAX_PAGE_BYTES) {
        page.runOptimize();
      }
      count = page.getLongCardinality();
      return count - known;
    }

    /** How many of its first {@code length} ordinals, of one at least. */
    long countOfFirst(long length) {
      return page == null || length >= PAGE
          ? Math.min(count, length)
          : page.rankLong((int) length - 1);
    }

    long nextAbsent(long index) {
      if (page == null) {
        return Math.max(index, count);
      }
      return index >= PAGE ? index : page.nextAbsentValue((int) index);
    }
  }
}
