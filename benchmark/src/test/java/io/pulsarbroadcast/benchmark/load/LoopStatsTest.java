/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoopStatsTest {
  private static final long MILLI = 1_000_000;

  @Test
  void shouldKeepTheLastReceiverOfEachMessage() {
    LoopStats stats = new LoopStats(2, 0);

    stats.record(0, 3 * MILLI);
    stats.record(0, 7 * MILLI);
    stats.record(0, 5 * MILLI);
    stats.record(1, 1 * MILLI);

    assertThat(stats.lastReceiverMicros).containsExactly(7_000, 1_000);
    assertThat(stats.receivers).containsExactly(3, 1);
    assertThat(stats.latencyMicros.getTotalCount()).isEqualTo(4);
  }

  @Test
  void shouldCountWarmupMessagesButNotTimeThem() {
    LoopStats stats = new LoopStats(3, 2);

    stats.record(0, 900 * MILLI);
    stats.record(1, 800 * MILLI);
    stats.record(2, 2 * MILLI);

    assertThat(stats.receivers).containsExactly(1, 1, 1);
    assertThat(stats.latencyMicros.getTotalCount()).isEqualTo(1);
    assertThat(stats.latencyMicros.getMaxValue()).isBetween(2_000L, 2_001L);
  }

  @Test
  void shouldShowOthersWhatIsPublished() {
    LoopStats stats = new LoopStats(1, 0);
    stats.record(0, 1);
    assertThat(stats.receivedSoFar()).isZero();

    stats.publish();

    assertThat(stats.receivedSoFar()).isEqualTo(1);
  }
}
