/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.scenario.LatencyPhases.Phase;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatencyPhasesTest {
  private final LatencyPhases phases = new LatencyPhases();

  @Test
  void shouldTellPhasesApartByMessage() {
    Phase first = phases.begin("first", 2);
    phases.end(4);
    Phase second = phases.begin("second", 6);
    for (int sequence = 0; sequence < 10; sequence++) {
      phases.record(sequence, sequence * 1_000L);
    }

    assertThat(first.micros().getTotalCount()).isEqualTo(2);
    assertThat(first.micros().getMaxValue()).isEqualTo(3);
    assertThat(second.micros().getTotalCount()).isEqualTo(4);
    assertThat(LatencyPhases.sum(first, second).getTotalCount()).isEqualTo(6);
    assertThat(first.lastReceivers(List.of(9L, 9L, 5L, 4L, 9L), 5).getMaxValue()).isEqualTo(5);
  }
}
