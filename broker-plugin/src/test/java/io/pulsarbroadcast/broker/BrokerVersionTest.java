/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerVersionTest {

  @ParameterizedTest
  @ValueSource(strings = {"3.0.7", "3.3.6", "3.3.7-SNAPSHOT"})
  void shouldTakeThe3xLines(String version) {
    assertThatCode(() -> BrokerVersion.check(version)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"4.0.8", "2.11.4", "30.1.0", "unknown"})
  void shouldRefuseOthersNamingTheVersion(String version) {
    assertThatThrownBy(() -> BrokerVersion.check(version))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(String.valueOf(version));
  }
}
