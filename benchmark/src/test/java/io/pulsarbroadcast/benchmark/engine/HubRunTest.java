/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What counts as complete; {@code HubRunIT} publishes. */
class HubRunTest {
  @ParameterizedTest
  @CsvSource({
    "60, 60, 0, 0, true",
    "40, 40, 0, 0, false",
    "59, 60, 0, 0, false",
    "60, 59, 0, 0, false",
    "60, 60, 1, 0, false",
    "60, 60, 0, 1, false"
  })
  void shouldBeCompleteOnlyWithEveryMessageOnceAndInOrder(
      long acknowledged, long arrived, long repeated, long skips, boolean complete) {
    HubRun.Result result =
        new HubRun.Result(null, 1, 60, acknowledged, arrived, repeated, skips, 1, 1, 50, 1);

    assertThat(result.isComplete()).isEqualTo(complete);
  }
}
