/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.Maps;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LedgerIndexTest {

  private final TreeMap<Long, Long> ledgers = new TreeMap<>();

  /** As the managed ledger has it: changes while it is looked at. */
  private final ConcurrentSkipListMap<Long, Long> live = new ConcurrentSkipListMap<>();

  private Runnable whenASizeIsAskedFor = () -> {};

  @Test
  void shouldNumberEntriesAcrossLedgersInTopicOrder() {
    ledgers.put(5L, 10L);
    ledgers.put(9L, 3L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalOf(5, 0)).isZero();
    assertThat(index.ordinalOf(5, 9)).isEqualTo(9);
    assertThat(index.ordinalOf(9, 0)).isEqualTo(10);
    assertThat(index.entryAt(9)).isEqualTo(new EntryId(5, 9));
    assertThat(index.entryAt(10)).isEqualTo(new EntryId(9, 0));
  }

  @Test
  void shouldFollowARollover() {
    ledgers.put(1L, 0L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalOf(1, 7)).isEqualTo(7);
    ledgers.put(1L, 8L);
    ledgers.put(2L, 0L);
    assertThat(index.ordinalOf(2, 0)).isEqualTo(8);
    assertThat(index.entryAt(8)).isEqualTo(new EntryId(2, 0));
  }

  /** I6: what was numbered while its ledger was the last is not numbered like what follows. */
  @Test
  void shouldNotHaveEntriesOfALedgerThatIsSaidToHaveFewerWhenTheNextIsMet() {
    ledgers.put(1L, 0L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    List<EntryId> tail = List.of(new EntryId(1, 3), new EntryId(1, 4));
    assertThat(index.hasAll(tail)).isTrue();
    ledgers.put(2L, 0L);
    assertThat(index.hasAll(List.of(new EntryId(1, 4), new EntryId(2, 0)))).isFalse();
    assertThat(index.hasAll(tail)).isFalse();
    assertThat(index.hasAll(List.of(new EntryId(2, 0)))).isTrue();
  }

  @Test
  void shouldNotKnowALedgerThatTheTopicDoesNotHave() {
    ledgers.put(5L, 10L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalOf(7, 0)).isEqualTo(LedgerIndex.UNKNOWN);
    assertThat(index.isTrimmed(4)).isTrue();
    assertThat(index.isTrimmed(5)).as("the first there is").isFalse();
    assertThat(index.isTrimmed(7)).isFalse();
  }

  @Test
  void shouldTellOfOrdinalsThatNoEntryHas() {
    ledgers.put(5L, 10L);
    List<String> gaps = new ArrayList<>();
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> gaps.add(from + " to " + to));
    ledgers.remove(5L);
    ledgers.put(9L, 3L);
    assertThat(index.ordinalOf(9, 1)).isEqualTo((1L << 32) + 1);
    assertThat(gaps).as("I6: they do not count as missed").containsExactly("0 to " + (1L << 32));
  }

  @Test
  void shouldNotKnowAnEntryBeyondTheEndOfAClosedLedger() {
    ledgers.put(3L, 10L);
    ledgers.put(5L, 10L);
    ledgers.put(9L, 3L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalOf(5, 9)).isEqualTo(19);
    assertThat(index.ordinalOf(5, 10)).isEqualTo(LedgerIndex.UNKNOWN);
  }

  @Test
  void shouldPlaceAPositionAfterEveryLedgerAtTheEnd() {
    ledgers.put(5L, 10L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalAfter(7, 4)).isEqualTo(10);
  }

  @Test
  void shouldPlaceAPositionAfterATrimmedLastLedgerAtItsEnd() {
    ledgers.put(5L, 10L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    ledgers.clear();
    assertThat(index.ordinalAfter(7, -1)).isEqualTo(10);
  }

  @Test
  void shouldKnowNoLedgerOfATopicThatHasNone() {
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.isTrimmed(0)).isFalse();
    assertThat(index.ordinalAfter(5, 3)).isZero();
    assertThat(index.entryBefore(0)).isEqualTo(new EntryId(-1, -1));
    ledgers.put(5L, 10L);
    assertThat(index.ordinalOf(5, 3)).isEqualTo(3);
    assertThat(index.entryBefore(0)).isEqualTo(new EntryId(5, -1));
  }

  @Test
  void shouldPlaceAPositionBeforeTheFirstEntryOfALedger() {
    ledgers.put(5L, 10L);
    ledgers.put(9L, 3L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalAfter(5, -1)).isZero();
    assertThat(index.ordinalAfter(9, -1)).isEqualTo(10);
  }

  @Test
  void shouldPlaceAPositionPastTheEndOfALedgerAtTheNextOne() {
    ledgers.put(5L, 10L);
    ledgers.put(9L, 3L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalAfter(5, 9)).isEqualTo(10);
    assertThat(index.ordinalAfter(5, 99)).isEqualTo(10);
    assertThat(index.ordinalAfter(5, Long.MAX_VALUE)).isEqualTo(10);
  }

  /** I4: what an acknowledgement does not name is not acknowledged. */
  @Test
  void shouldTakeNothingForAnEntryThatALedgerCannotHave() {
    ledgers.put(5L, 10L);
    ledgers.put(9L, 3L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalOf(9, -1)).isEqualTo(LedgerIndex.UNKNOWN);
    assertThat(index.ordinalOf(5, 10)).isEqualTo(LedgerIndex.UNKNOWN);
    assertThat(index.ordinalOf(5, Long.MAX_VALUE)).isEqualTo(LedgerIndex.UNKNOWN);
  }

  @Test
  void shouldPlaceAPositionInATrimmedLedgerAtTheNextOne() {
    ledgers.put(5L, 10L);
    ledgers.put(9L, 3L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.ordinalAfter(3, 99)).isZero();
    assertThat(index.ordinalAfter(7, 2)).isEqualTo(10);
    assertThat(index.ordinalAfter(11, 2)).isEqualTo(13);
  }

  @Test
  void shouldKeepOrderWhenALedgerIsTrimmedBeforeItsSizeWasSeen() {
    ledgers.put(1L, 0L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    long last = index.ordinalOf(1, 49_999);
    ledgers.clear();
    ledgers.put(4L, 0L);
    assertThat(index.ordinalOf(4, 0)).isGreaterThan(last);
    assertThat(index.ordinalOf(1, 49_999)).isEqualTo(last);
  }

  @Test
  void shouldTakeTheLedgersOfOneMomentWhenTheTopicRollsOverMeanwhile() {
    live.put(1L, 10L);
    LedgerIndex index = liveIndex();
    live.put(2L, 10L);
    live.put(3L, 10L);
    whenASizeIsAskedFor = () -> live.put(4L, 0L);
    assertThat(index.ordinalOf(2, 0)).isEqualTo(10);
    assertThat(index.ordinalOf(4, 0)).isEqualTo(30);
    assertThat(index.entryAt(30)).isEqualTo(new EntryId(4, 0));
  }

  @Test
  void shouldKeepOrderWhenLedgersAreTrimmedMeanwhile() {
    live.put(1L, 10L);
    LedgerIndex index = liveIndex();
    IntStream.range(2, 6).forEach(ledger -> live.put((long) ledger, 10L));
    whenASizeIsAskedFor = () -> live.headMap(5L).clear();
    long last = index.ordinalOf(5, 0);
    assertThat(last).as("I5: after all that was before it").isGreaterThan(index.ordinalOf(1, 9));
    assertThat(index.entryAt(last)).isEqualTo(new EntryId(5, 0));
    live.put(6L, 0L);
    assertThat(index.ordinalOf(6, 0)).isEqualTo(last + 10);
  }

  @Test
  void shouldFindAnEntryBehindEmptyLedgers() {
    ledgers.put(1L, 2L);
    ledgers.put(2L, 0L);
    ledgers.put(3L, 5L);
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThat(index.entryAt(2)).isEqualTo(new EntryId(3, 0));
  }

  @Test
  void shouldRefuseAnOrdinalBeforeTheFirst() {
    LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
    assertThatThrownBy(() -> index.entryAt(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
  }

  private LedgerIndex liveIndex() {
    NavigableMap<Long, Long> sizes =
        Maps.transformValues(
            live,
            size -> {
              whenASizeIsAskedFor.run();
              return size;
            });
    return new LedgerIndex(() -> sizes, (from, to) -> {});
  }
}
