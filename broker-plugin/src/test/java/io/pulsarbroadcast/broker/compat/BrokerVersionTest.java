/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
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

  /** What the check logs, each with its level. */
  private static List<String> logOfCheck(String version) {
    List<String> lines = new ArrayList<>();
    AbstractAppender appender =
        new AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
          @Override
          public void append(LogEvent event) {
            lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
          }
        };
    appender.start();
    Logger logger = (Logger) LogManager.getLogger(BrokerVersion.class);
    logger.addAppender(appender);
    try {
      BrokerVersion.check(version);
    } finally {
      logger.removeAppender(appender);
      appender.stop();
    }
    return lines;
  }
}
