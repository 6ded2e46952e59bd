/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.pulsarbroadcast.benchmark.bench.RampSchedule.Step;
import org.junit.jupiter.api.Test;

class RampScheduleTest {
  @Test
  void shouldRiseUpToTheHighestRateWithoutGapsBetweenMessages() {
    RampSchedule schedule = new RampSchedule(10, 2, 50, 10, 5);

    assertThat(schedule.steps())
        .containsExactly(
            new Step(10, 5, 105),
            new Step(20, 105, 305),
            new Step(40, 305, 705),
            new Step(50, 705, 1_205));
    assertThat(schedule.messages()).isEqualTo(1_205);
  }

  @Test
  void shouldPublishEnoughAtALowRate() {
    assertThat(new RampSchedule(0.1, 2, 0.1, 10, 0).messages()).isEqualTo(10);
  }

  @Test
  void shouldFindWhereTheLimitIsPassed() {
    assertThat(RampSchedule.crossing(1_000, 100, 10_000, 10_000, 1_000))
        .isCloseTo(3_162, within(1.0));
    assertThat(RampSchedule.crossing(1_000, 100, 2_000, 1_000, 1_000))
        .isCloseTo(2_000, within(1e-6));
  }
}
