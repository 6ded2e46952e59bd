/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NewNamesTest {

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
    while (!names.add(1)) {
      Thread.onSpinWait();
    }
  }
}
