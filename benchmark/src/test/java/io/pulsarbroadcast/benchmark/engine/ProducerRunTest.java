/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The figures alone; {@code ProducersProcessIT} publishes. */
class ProducerRunTest {
  private static ProducerRun.Result result(long acknowledged, long entries) {
    return new ProducerRun.Result(1, 1, 1, 1, 1, 20, 1, 1, Map.of(), 100, acknowledged, entries);
  }

  @Test
  void shouldSayWhichRateWasReached() {
    assertThat(result(100, 100).messagesPerSecond()).isEqualTo(5);
  }

  @Test
  void shouldBeCompleteOnlyWhenEachMessageIsAcknowledgedAndPersistedOnce() {
    assertThat(result(100, 100).isComplete()).isTrue();
    assertThat(result(99, 100).isComplete()).isFalse();
    assertThat(result(100, 101).isComplete()).isFalse();
  }

  @Test
  void shouldNotPublishAnotherNumberThanAskedFor() {
    assertThat(new ProducerRun.Settings(30, 3, 5, 5_000, 100, 60).messages()).isEqualTo(300_000);
    assertThatThrownBy(() -> new ProducerRun.Settings(30, 3, 5, 50_000, 100, 86_400).messages())
        .isInstanceOf(ArithmeticException.class);
  }
}
