/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.broker.LogLines;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerVersionTest {

  @ParameterizedTest
  @ValueSource(strings = {"3.0.7", "3.3.6", "4.0.8", "4.2.4"})
  void shouldSayNothingOfATestedVersion(String version) {
    assertThat(logOfCheck(version)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"3.0.17", "3.3.0", "3.3.7-SNAPSHOT", "4.0.0", "4.0.13", "4.2.5", "4.2.0-rc1"})
  void shouldTakeAnotherVersionOfALineWithOneWarning(String version) {
    assertThat(logOfCheck(version))
        .singleElement()
        .asString()
        .startsWith("WARN")
        .contains(
            "this broker's version " + version, "tested on Pulsar 3.0.7, 3.3.6, 4.0.8, 4.2.4");
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "2.11.4",
        "3.1.3",
        "3.2.4",
        "4.1.3",
        "4.3.0",
        "5.0.0-M1",
        "5.0.1",
        "30.1.0",
        "3.03.1",
        "unknown",
        ""
      })
  void shouldRefuseOthersNamingTheVersionAndTheRemedy(String version) {
    assertThatThrownBy(() -> BrokerVersion.check(version))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("this broker's version " + version)
        .hasMessageContaining("made for Pulsar 3.0, 3.3, 4.0, 4.2;")
        .hasMessageContaining("brokerInterceptors=pulsar-broadcast");
  }

  private static List<String> logOfCheck(String version) {
    return LogLines.of(BrokerVersion.class, () -> BrokerVersion.check(version));
  }
}
