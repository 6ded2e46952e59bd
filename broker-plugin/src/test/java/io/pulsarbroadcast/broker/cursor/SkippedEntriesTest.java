/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import io.pulsarbroadcast.broker.Seeds;
import io.pulsarbroadcast.broker.cursor.OrdinalSet.Piece;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SkippedEntriesTest {

  /** As many ordinals share a bitmap. */
  private static final int PAGE = 1 << 16;

  private int comparisons;

  private final NavigableMap<Long, Piece> pieces =
      new TreeMap<>(
          (one, other) -> {
            comparisons++;
            return Long.compare(one, other);
          });

  private final SkippedEntries skipped = new SkippedEntries(new OrdinalSet(pieces));

  @Test
  void shouldForgetRangesThatAreBeforeEverybody() {
    skipped.add(2, 4);
    skipped.add(6, 8);
    skipped.forgetBefore(3);
    assertThat(skipped.firstNotSkipped(2)).isEqualTo(2);
    assertThat(skipped.firstNotSkipped(3)).isEqualTo(4);
    skipped.forgetBefore(8);
    assertThat(skipped.firstNotSkipped(6)).isEqualTo(6);
    skipped.add(9, 10);
    assertThat(skipped.firstNotSkipped(9)).as("after all were forgotten").isEqualTo(10);
  }

  @Test
  void shouldSkipNothingForAnEmptyRange() {
    skipped.add(5, 5);
    assertThat(skipped.firstNotSkipped(5)).isEqualTo(5);
  }

  @Test
  void shouldCountOrdinalsThatNoEntryHas() {
    skipped.addGap(10, 20);
    skipped.addGap(30, 40);
    assertThat(skipped.gapsWithin(0, 100)).isEqualTo(20);
    assertThat(skipped.gapsWithin(15, 35)).isEqualTo(10);
    assertThat(skipped.gapsWithin(20, 30)).isZero();
    assertThat(skipped.gapsWithin(15, 15)).isZero();
  }

  @Test
  void shouldFindTheNextEntryThatIsGivenToSomebody() {
    assertThat(skipped.nextGiven(3)).isEqualTo(3);
    skipped.add(2, 4);
    assertThat(skipped.nextGiven(3)).isEqualTo(4);
    skipped.addGap(4, 6);
    skipped.add(6, 7);
    assertThat(skipped.nextGiven(1)).isEqualTo(1);
    assertThat(skipped.nextGiven(2)).as("a range, a gap, and a range").isEqualTo(7);
    assertThat(skipped.nextGiven(5)).isEqualTo(7);
  }

  @Test
  void shouldCountWhatIsGivenToNobody() {
    assertThat(skipped.countWithin(0, 100)).isZero();
    skipped.addGap(10, 12);
    assertThat(skipped.countWithin(0, 100)).as("a gap alone").isEqualTo(2);
    skipped.add(2, 4);
    skipped.addGap(4, 6);
    assertThat(skipped.countWithin(0, 100)).isEqualTo(6);
    assertThat(skipped.countWithin(3, 11)).as("parts of the first and the last").isEqualTo(4);
    assertThat(skipped.countWithin(3, 5)).as("ends within a gap").isEqualTo(2);
    assertThat(skipped.countWithin(6, 10)).isZero();
    assertThat(skipped.countWithin(3, 3)).isZero();
    assertThat(skipped.countWithin(5, 3)).isZero();
  }

  @Test
  void shouldCountRangesWhereThereAreNoGaps() {
    skipped.add(2, 4);
    assertThat(skipped.countWithin(0, 100)).isEqualTo(2);
    skipped.forgetBefore(4);
    assertThat(skipped.countWithin(0, 100)).isZero();
  }

  @Test
  void shouldTakeLittleForTransactionsWhileAMessageHoldsTheSubscription() {
    int transactions = 1_000_000;
    for (long i = 0; i < transactions; i++) {
      skipped.add(2 * i + 1, 2 * i + 2);
      skipped.forgetBefore(0);
    }
    assertThat(pieces).hasSizeLessThanOrEqualTo(2 * transactions / PAGE + 1);
    assertThat(bytes()).as("a bit for each ordinal").isLessThan(2 * transactions / 8 * 102 / 100);
    comparisons = 0;
    assertThat(skipped.countWithin(0, 2L * transactions)).isEqualTo(transactions);
    assertThat(skipped.countWithin(1_001, 1_500_000)).isEqualTo(749_500);
    assertThat(skipped.firstNotSkipped(1_000_001)).isEqualTo(1_000_002);
    assertThat(skipped.nextGiven(1_000_001)).isEqualTo(1_000_002);
    assertThat(comparisons).as("what is counted is not walked through").isLessThan(100);
  }

  @Test
  void shouldTakeNextToNothingForStretches() {
    skipped.add(5, 5 + (1L << 32));
    assertThat(pieces).hasSizeLessThanOrEqualTo(3);
    skipped.forgetBefore(6 * PAGE + 1);
    skipped.add(1, 2 * PAGE + 1);
    assertThat(pieces).hasSizeLessThanOrEqualTo(6);
    assertThat(bytes()).isLessThan(100);
  }

  @Test
  void shouldTakeNextToNothingForAStretchThatWasAddedOneByOne() {
    for (long i = 0; i < 4 * PAGE; i++) {
      skipped.add(i, i + 1);
    }
    assertThat(pieces).hasSize(1);
    assertThat(bytes()).isZero();
  }

  @Test
  void shouldTakeLittleForLongRunsThatWereAddedOneByOne() {
    for (long i = 0; i < 2 * PAGE; i++) {
      if (i % 10_000 > 0) {
        skipped.add(i, i + 1);
      }
    }
    skipped.add(2 * PAGE, 2 * PAGE + 1);
    assertThat(bytes()).isLessThan(200);
  }

  @Test
  void shouldTakeNoMoreThanABitForEachOrdinalBetweenRuns() {
    skipped.add(0, 10);
    for (long i = 10; i < PAGE; i += 2) {
      skipped.add(i, i + 1);
    }
    assertThat(bytes()).isLessThan(PAGE / 8 + 100);
  }

  private int bytes() {
    return pieces.values().stream()
        .mapToInt(piece -> piece.page == null ? 0 : piece.page.serializedSizeInBytes())
        .sum();
  }

  @Test
  void shouldAnswerAsPlainRangesWould() {
    Seeds.forEach("skipped", 20, SkippedEntriesTest::compareWithRanges);
  }

  private static void compareWithRanges(long seed) {
    Random random = Seeds.random(seed);
    SkippedEntries skipped = new SkippedEntries();
    Ranges expected = new Ranges();
    for (int i = 0; i < 100; i++) {
      long from = anyOrdinal(random);
      long to = from + anyLength(random);
      int what = random.nextInt(100);
      if (what < 10) {
        skipped.forgetBefore(from);
        expected.forgetBefore(from);
      } else if (what < 15) {
        skipped.addGap(from, to);
        expected.gaps.add(Range.closedOpen(from, to));
      } else if (what < 18) {
        int step = 1 + random.nextInt(3);
        for (long each = from; each < from + 5_000L * step; each += step) {
          skipped.add(each, each + 1);
          expected.skipped.add(Range.closedOpen(each, each + 1));
        }
      } else {
        skipped.add(from, to);
        expected.skipped.add(Range.closedOpen(from, to));
      }
      RangeSet<Long> notGiven = expected.notGiven();
      for (long at : new long[] {from - 1, from, to - 1, to, anyOrdinal(random)}) {
        expected.compare(skipped, notGiven, at, anyOrdinal(random));
      }
    }
  }

  /** Mostly close to where a page begins or ends. */
  private static long anyOrdinal(Random random) {
    long page = (long) random.nextInt(8) + (random.nextInt(8) == 0 ? 1 << 16 : 0);
    int within = random.nextInt(3) == 0 ? random.nextInt(PAGE) : random.nextInt(8) - 4;
    return Math.max(1, page * PAGE + within);
  }

  private static long anyLength(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt(PAGE);
      case 1 -> (long) PAGE * random.nextInt(4);
      case 2 -> random.nextInt(4) == 0 ? 1L << 32 : 0;
      default -> random.nextInt(5);
    };
  }

  /** What is expected: two sets of ranges. */
  private static final class Ranges {
    private final RangeSet<Long> skipped = TreeRangeSet.create();
    private final RangeSet<Long> gaps = TreeRangeSet.create();

    void forgetBefore(long ordinal) {
      skipped.remove(Range.lessThan(ordinal));
    }

    RangeSet<Long> notGiven() {
      RangeSet<Long> both = TreeRangeSet.create(skipped);
      both.addAll(gaps);
      return both;
    }

    void compare(SkippedEntries actual, RangeSet<Long> notGiven, long one, long other) {
      long from = Math.min(one, other);
      long to = Math.max(one, other);
      assertThat(actual.firstNotSkipped(one)).as("from %d", one).isEqualTo(after(skipped, one));
      assertThat(actual.nextGiven(one)).as("from %d", one).isEqualTo(after(notGiven, one));
      assertThat(actual.countWithin(from, to))
          .as("%d to %d", from, to)
          .isEqualTo(count(notGiven, from, to));
      assertThat(actual.gapsWithin(from, to))
          .as("%d to %d", from, to)
          .isEqualTo(count(gaps, from, to));
    }

    private static long after(RangeSet<Long> set, long ordinal) {
      Range<Long> range = set.rangeContaining(ordinal);
      return range == null ? ordinal : range.upperEndpoint();
    }

    private static long count(RangeSet<Long> set, long from, long to) {
      return set.subRangeSet(Range.closedOpen(from, to)).asRanges().stream()
          .mapToLong(range -> range.upperEndpoint() - range.lowerEndpoint())
          .sum();
    }
  }
}
