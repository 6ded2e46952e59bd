/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class RunResultTest {
  private static Histogram histogram(long... micros) {
    Histogram histogram = new Histogram(3);
    for (long value : micros) {
      histogram.recordValue(value);
    }
    return histogram;
  }

  private static final Plan PLAN =
      Plan.of("round", 3, 1, 1, 0, 100, 1, () -> LoadConfig.builder().broadcast("all"));

  private static RunResult result(long brokerCpuMillis, String firstError, long... micros) {
    return new RunResult(
        PLAN,
        1,
        List.of(),
        histogram(micros),
        histogram(micros[0]),
        List.of(micros[0]),
        histogram(10),
        micros[0] * 100,
        3,
        new DeliveryCounts(1, 3, 2, 1, 4, 5, 6, 7, 8, 9),
        brokerCpuMillis,
        6,
        1,
        "Pulsar",
        firstError,
        StageTimers.NONE,
        List.of(),
        null);
  }

  @Test
  void shouldAddUpRounds() {
    RunResult merged = RunResult.merge(List.of(result(2, null, 10, 20), result(4, "why", 30)));

    assertThat(merged.rounds()).isEqualTo(2);
    assertThat(merged.delivery()).isEqualTo(new DeliveryCounts(2, 6, 4, 2, 8, 10, 12, 14, 16, 18));
    assertThat(merged.endToEndMicros().getTotalCount()).isEqualTo(3);
    assertThat(merged.endToEndMicros().getMaxValue()).isEqualTo(30);
    assertThat(merged.lastReceiverPerMessageMicros()).containsExactly(10L, 30L);
    assertThat(merged.connectWallMicros()).as("the longest").isEqualTo(3_000);
    assertThat(merged.brokerCpuMillis()).isEqualTo(6);
    assertThat(merged.connectionsLost()).isEqualTo(2);
    assertThat(merged.firstError()).isEqualTo("why");
  }

  @Test
  void shouldNotChangeTheRoundsItAddsUp() {
    RunResult first = result(2, null, 10);

    RunResult.merge(List.of(first, result(2, null, 20)));

    assertThat(first.endToEndMicros().getTotalCount()).isEqualTo(1);
  }

  @Test
  void shouldDivideCpuByTimedDeliveries() {
    RunResult result = result(2, null, 10, 20, 30, 40);

    assertThat(result.brokerCpuMicrosPerDelivery()).isEqualTo(500);
    assertThat(result.generatorCpuMicrosPerDelivery()).isEqualTo(1_500);
  }

  @Test
  void shouldNotKnowTheCpuOfABrokerElsewhere() {
    assertThat(result(-1, null, 10).brokerCpuMicrosPerDelivery()).isNaN();
    assertThat(
            RunResult.merge(List.of(result(-1, null, 10), result(3, null, 10))).brokerCpuMillis())
        .isEqualTo(-1);
  }
}
