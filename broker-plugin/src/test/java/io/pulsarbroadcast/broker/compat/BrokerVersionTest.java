/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerVersionTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"3.0.7", "3.0.17", "3.3.6", "3.3.7-SNAPSHOT", "4.0.8", "4.0.12", "4.2.4", "4.2.5"})
  void shouldTakeEveryVersionOfTheLines(String version) {
    assertThatCode(() -> BrokerVersion.check(version)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"2.11.4", "4.3.0", "5.0.1", "30.1.0", "3.03.1", "unknown", ""})
  void shouldRefuseOthersNamingTheVersionAndTheRemedy(String version) {
    assertThatThrownBy(() -> BrokerVersion.check(version))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("this broker's version " + version)
        .hasMessageContaining("made for Pulsar 3.0, 3.3, 4.0, 4.2;")
        .hasMessageContaining("brokerInterceptors=pulsar-broadcast");
  }
}
