/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class NewNamesTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @Test
  void shouldTakeAsManyInAMinuteAsAreAllowed() {
    NewNames names = new NewNames(Duration.ofMinutes(1));
    assertThat(names.add(2)).isTrue();
    assertThat(names.add(2)).isTrue();
    assertThat(names.add(2)).isFalse();
    assertThat(names.add(2)).isFalse();
  }

  @Test
  void shouldTakeAsManyAgainInTheNext() {
    NewNames names = new NewNames(Duration.ofMillis(20));
    while (names.add(1)) {
      Thread.onSpinWait();
    }
    long startNanos = System.nanoTime();
    while (!names.add(1)) {
      assertThat(System.nanoTime() - startNanos).isLessThan(TIMEOUT.toNanos());
    }
  }
}
