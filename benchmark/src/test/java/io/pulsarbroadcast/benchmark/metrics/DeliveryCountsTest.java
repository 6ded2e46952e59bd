/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class DeliveryCountsTest {

  private static FleetSnapshot fleet(Integer... receivers) {
    Histogram empty = new Histogram(3);
    return new FleetSnapshot(
        10, 10, 0, 4, 3, 2, 1, 5, 6, 0, empty, List.of(), List.of(receivers), empty, 0, "", null);
  }

  private static BitSet acknowledged(int... sequences) {
    BitSet set = new BitSet();
    for (int sequence : sequences) {
      set.set(sequence);
    }
    return set;
  }

  @Test
  void shouldMissNothingWhenEveryConsumerHasEveryMessage() {
    DeliveryCounts counts = DeliveryCounts.of(fleet(10, 10, 10), acknowledged(0, 1, 2));

    assertThat(counts.published()).isEqualTo(3);
    assertThat(counts.expected()).isEqualTo(30);
    assertThat(counts.received()).isEqualTo(30);
    assertThat(counts.missing()).isZero();
  }

  @Test
  void shouldCountWhatIsMissingPerConsumerAndMessage() {
    DeliveryCounts counts = DeliveryCounts.of(fleet(10, 7, 0), acknowledged(0, 1, 2));

    assertThat(counts.received()).isEqualTo(17);
    assertThat(counts.missing()).isEqualTo(13);
  }

  @Test
  void shouldNotLetUnacknowledgedMessagesMakeUpForMissingOnes() {
    DeliveryCounts counts = DeliveryCounts.of(fleet(10, 10, 9), acknowledged(0, 2));

    assertThat(counts.expected()).isEqualTo(20);
    assertThat(counts.missing()).isEqualTo(1);
    assertThat(counts.unacknowledged()).isEqualTo(10);
  }

  @Test
  void shouldHandOnTheOtherCounts() {
    DeliveryCounts counts = DeliveryCounts.of(fleet(10), acknowledged(0));

    assertThat(counts.duplicates()).isEqualTo(4);
    assertThat(counts.outOfOrder()).isEqualTo(3);
    assertThat(counts.skipped()).isEqualTo(2);
    assertThat(counts.corrupt()).isEqualTo(1);
    assertThat(counts.unexpected()).isEqualTo(11);
  }
}
