/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.pulsar.PulsarVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A broker that the plugin does not fit, or whose settings it does not understand, does not start,
 * and says why in one sentence: it never runs half-wired (I9).
 */
@Tag("complete")
class UnsupportedBrokerProcessIT {

  @Test
  void shouldRefuseToStartOnAnUnsupportedLineWithOneSentenceThatNamesTheVersion(
      @TempDir Path folder) throws Exception {
    saysItIsOf("5.0.1", folder);
    PulsarProcessBuilder broker =
        BrokerExtension.newBroker()
            .classPath(folder + ":" + System.getProperty("pulsar.home") + "/lib/*");

    assertThat(sentencesOfFailedStart(broker))
        .singleElement()
        .asString()
        .contains(
            "does not fit this broker's version 5.0.1",
            "made for Pulsar 3.0, 3.3, 4.0, 4.2",
            "install a pulsar-broadcast-broker NAR made for it instead");
  }

  /** Puts into a folder the class that tells a broker's version, with another version in it. */
  private static void saysItIsOf(String version, Path folder) throws IOException {
    String name = PulsarVersion.class.getName().replace('.', '/') + ".class";
    try (InputStream bytes = PulsarVersion.class.getClassLoader().getResourceAsStream(name)) {
      // Every byte of a class file is a character of this set, and the versions are as long.
      String changed =
          new String(bytes.readAllBytes(), StandardCharsets.ISO_8859_1)
              .replace(PulsarVersion.getVersion(), version);
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, changed, StandardCharsets.ISO_8859_1);
    }
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
