/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerSettingsTest {

  private static final String PAUSING = "pulsarChannelPauseReceivingRequestsIfUnwritable";

  private final ServiceConfiguration configuration = new ServiceConfiguration();

  @Test
  void shouldSayNothingOfPulsarsDefaults() {
    configuration.getProperties().setProperty(PAUSING, "false");

    assertThat(logged()).isEmpty();
    assertThat(configuration).usingRecursiveComparison().isEqualTo(defaultsWith(PAUSING, "false"));
  }

  @Test
  void shouldRecoverCursorsBeforeATopicIsLoadedAndSaySo() {
    configuration.setLazyCursorRecovery(true);

    assertThat(logged())
        .singleElement()
        .asString()
        .startsWith("WARN lazyCursorRecovery=true")
        .contains("lazyCursorRecovery=false");
    assertThat(configuration.isLazyCursorRecovery()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", " TRUE "})
  void shouldWarnOfConnectionsThatArePaused(String value) {
    configuration.getProperties().setProperty(PAUSING, value);

    assertThat(logged()).singleElement().asString().startsWith("WARN " + PAUSING + "=true");
    assertThat(configuration).usingRecursiveComparison().isEqualTo(defaultsWith(PAUSING, value));
  }

  private List<String> logged() {
    return LogLines.of(BrokerSettings.class, () -> BrokerSettings.adapt(configuration));
  }

  private static ServiceConfiguration defaultsWith(String key, String value) {
    ServiceConfiguration defaults = new ServiceConfiguration();
    defaults.getProperties().setProperty(key, value);
    return defaults;
  }
}
