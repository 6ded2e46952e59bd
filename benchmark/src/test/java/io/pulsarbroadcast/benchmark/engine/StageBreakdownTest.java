/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.Map;
import org.junit.jupiter.api.Test;

class StageBreakdownTest {
  private static final Map<String, Double> TIMERS =
      Map.of(
          "accept", 10.0,
          "persist", 2_000.0,
          "notify", 200.0,
          "prepare", 50.0,
          "first_write", 30.0,
          "last_write", 900.0);

  @Test
  void shouldAddUpToTheTimeOfTheLastReceiver() {
    Map<String, Double> stages = StageBreakdown.of(TIMERS, 2_600, 100, 5_000);

    assertThat(stages)
        .containsExactly(
            entry("produce", 700.0),
            entry("broker", 10.0),
            entry("persist", 1_990.0),
            entry("notify", 200.0),
            entry("prepare", 50.0),
            entry("broadcast", 900.0),
            entry("receive", 1_150.0));
    assertThat(stages.values().stream().mapToDouble(Double::doubleValue).sum()).isEqualTo(5_000);
  }

  @Test
  void shouldSayNothingOfTheReceiversWhenNobodyTimedThem() {
    assertThat(StageBreakdown.of(TIMERS, 2_600, 0, 0)).doesNotContainKey("receive").hasSize(6);
  }

  @Test
  void shouldGiveTheProducerNoMoreThanTheLastReceiverLeaves() {
    Map<String, Double> stages = StageBreakdown.of(TIMERS, 9_000, 100, 4_000);

    assertThat(stages).containsEntry("produce", 850.0).containsEntry("receive", 0.0);
  }

  @Test
  void shouldHaveNoNegativeStageWhereTwoClocksDisagree() {
    assertThat(StageBreakdown.of(TIMERS, 1_999, 0, 1_000))
        .containsEntry("produce", 0.0)
        .containsEntry("receive", 0.0);
  }

  @Test
  void shouldBeEmptyWhenATimerIsMissing() {
    assertThat(StageBreakdown.of(Map.of("persist", 1.0), 2, 0, 3)).isEmpty();
  }
}
