/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A broker that the plugin does not fit, or whose settings it does not understand, does not start,
 * and says why in one sentence: it never runs half-wired (I9).
 */
@Tag("complete")
class UnsupportedBrokerProcessIT {

  @Test
  void shouldRefuseToStartOnAnUnsupportedLineWithOneSentenceThatNamesTheVersion() throws Exception {
    PulsarProcessBuilder broker =
        BrokerExtension.newBroker()
            .pulsarHome(Path.of(System.getProperty("pulsar.unsupported.home")))
            .classPath(null);

    assertThat(sentencesOfFailedStart(broker))
        .singleElement()
        .asString()
        .contains(
            "does not support this broker's version 4.0.8",
            "made for Pulsar 3.x",
            "install a pulsar-broadcast-broker NAR made for Pulsar 4.0 instead");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          broadcastMarkDeleteIntervalMillis | abc | a whole number from 1 to 60000
          broadcastFoo                      | 1   | broadcastMarkDeleteIntervalMillis, broadcast
          """)
  void shouldRefuseToStartWithASettingThatIsNotAllowed(String key, String value, String allowed)
      throws Exception {
    PulsarProcessBuilder broker = BrokerExtension.newBroker().setting(key, value);

    assertThat(sentencesOfFailedStart(broker))
        .singleElement()
        .asString()
        .contains(key + "=" + value, allowed);
  }

  /** The different messages of exceptions that are about this plugin. */
  private static Set<String> sentencesOfFailedStart(PulsarProcessBuilder builder)
      throws IOException {
    try (PulsarProcess broker = builder.build()) {
      IOException failure = catchThrowableOfType(IOException.class, broker::start);
      // Ended by itself, and not because it took too long.
      assertThat(failure).hasMessageContaining("ended with code");
      return Pattern.compile("(?:IllegalStateException|IllegalArgumentException): (.*)")
          .matcher(Files.readString(broker.logFile()))
          .results()
          .map(MatchResult::group)
          .map(line -> line.substring(line.indexOf(": ") + 2))
          .filter(line -> !line.startsWith("java.lang."))
          .collect(Collectors.toSet());
    }
  }
}
