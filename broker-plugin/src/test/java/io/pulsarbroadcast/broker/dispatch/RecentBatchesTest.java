/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** I8: what is kept for others is bounded, and given back. */
class RecentBatchesTest {
  private static final int ENTRY_BYTES = 100;
  private final RecentBatches recent = new RecentBatches(2 * ENTRY_BYTES);

  private static BroadcastEntry entry(long ordinal) {
    return new BroadcastEntry(
        ordinal, ordinal, 1, ordinal, 1, null, Unpooled.wrappedBuffer(new byte[ENTRY_BYTES]));
  }

  private BroadcastEntry add(long ordinal) {
    BroadcastEntry entry = entry(ordinal);
    recent.add(List.of(entry), ordinal, ordinal + 1, ENTRY_BYTES);
    return entry;
  }

  @Test
  void shouldFindTheBatchThatHasAPlace() {
    add(5);
    add(6);

    assertThat(recent.find(4)).isNull();
    assertThat(recent.find(5).from()).isEqualTo(5);
    assertThat(recent.find(6).from()).isEqualTo(6);
    assertThat(recent.find(7)).isNull();
  }

  @Test
  void shouldGiveBackTheOldestWhenThereIsTooMuch() {
    BroadcastEntry oldest = add(5);
    BroadcastEntry newer = add(6);
    add(7);

    assertThat(recent.find(5)).isNull();
    assertThat(oldest.refCnt()).isEqualTo(1);
    assertThat(newer.refCnt()).isEqualTo(2);
  }

  @Test
  void shouldNotKeepWhatIsTooLarge() {
    BroadcastEntry kept = add(5);
    BroadcastEntry large = entry(6);
    recent.add(List.of(large), 6, 7, 3 * ENTRY_BYTES);

    assertThat(large.refCnt()).isEqualTo(1);
    assertThat(kept.refCnt()).isEqualTo(2);
  }

  @Test
  void shouldKeepABoundedNumberOfBatchesThatHaveNoBytes() {
    BroadcastEntry first = BroadcastEntry.skipping(0, 0);
    recent.add(List.of(first), 0, 1, 0);
    for (int ordinal = 1; ordinal <= 100; ordinal++) {
      recent.add(List.of(BroadcastEntry.skipping(ordinal, ordinal)), ordinal, ordinal + 1, 0);
    }

    assertThat(first.refCnt()).isEqualTo(1);
    assertThat(recent.find(0)).isNull();
    assertThat(recent.find(100)).isNotNull();
  }

  @Test
  void shouldGiveBackEverythingWhenCleared() {
    BroadcastEntry entry = add(5);
    recent.clear();

    assertThat(entry.refCnt()).isEqualTo(1);
    assertThat(recent.isEmpty()).isTrue();
  }
}
