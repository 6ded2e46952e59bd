/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ScheduleTest {

  @Test
  void shouldSpaceMessagesEvenly() {
    Schedule schedule = new Schedule(1_000, 4);

    assertThat(schedule.intendedNanos(0)).isEqualTo(1_000);
    assertThat(schedule.intendedNanos(1)).isEqualTo(250_001_000);
    assertThat(schedule.intendedNanos(8)).isEqualTo(2_000_001_000L);
  }

  @Test
  void shouldNotDriftWhenTheIntervalIsNotAWholeNumber() {
    assertThat(new Schedule(0, 3).intendedNanos(3_000_000)).isEqualTo(1_000_000_000_000_000L);
  }

  @Test
  void shouldStartAtAnyMessage() {
    Schedule schedule = Schedule.dueAt(5_000, 10, 4);

    assertThat(schedule.intendedNanos(10)).isEqualTo(5_000);
    assertThat(schedule.intendedNanos(11)).isEqualTo(250_005_000);
  }

  @Test
  void shouldAllowLessThanOnePerSecond() {
    assertThat(new Schedule(0, 0.5).intendedNanos(1)).isEqualTo(2_000_000_000L);
  }

  @Test
  void shouldRefuseRatesThatAreNone() {
    assertThatThrownBy(() -> new Schedule(0, 0)).hasMessageContaining("messagesPerSecond is 0.0");
    assertThatThrownBy(() -> new Schedule(0, Double.NaN)).hasMessageContaining("NaN");
    assertThatThrownBy(() -> new Schedule(0, Double.POSITIVE_INFINITY))
        .hasMessageContaining("Infinity");
  }
}
