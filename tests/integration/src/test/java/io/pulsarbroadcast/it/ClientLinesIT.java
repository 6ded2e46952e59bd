/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.ClientScenario.BEFORE_LEAVING;
import static io.pulsarbroadcast.it.ClientScenario.MESSAGES;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** I1 with the stock Java client of each line, as it is and through the extension. */
@Tag("complete")
@ExtendWith(BrokerExtension.class)
class ClientLinesIT {

  @ParameterizedTest
  @CsvSource({
    "3.0.7, false", "3.0.7, true",
    "3.3.6, false", "3.3.6, true",
    "4.0.8, false", "4.0.8, true",
    "4.2.4, false", "4.2.4, true"
  })
  void shouldServeTheClientOfEachLine(String version, boolean extension, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    Path tests =
        Path.of(ClientScenario.class.getProtectionDomain().getCodeSource().getLocation().toURI());

    try (ClientLine line = ClientLine.of(version, tests, ClientLine.extension())) {
      Class<?> scenario = line.loadClass(ClientScenario.class.getName());
      assertThat(scenario).isNotSameAs(ClientScenario.class);
      Object received =
          scenario
              .getMethod("run", String.class, String.class, boolean.class)
              .invoke(null, broker.process().serviceUrl(), topic, extension);

      assertThat(received)
          .isEqualTo(
              Map.of(
                  "car", values(0, BEFORE_LEAVING),
                  "car again", values(BEFORE_LEAVING, MESSAGES),
                  "beside", values(0, MESSAGES),
                  "unordered", values(0, MESSAGES),
                  "unordered again", List.of("message-0")));
    }
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
    awaitBacklog(broker, topic, "all", 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.0.7", "3.3.6", "4.0.8", "4.2.4"})
  void shouldServeAHubWithTheClientOfEachLine(String version, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    Path tests =
        Path.of(ClientScenario.class.getProtectionDomain().getCodeSource().getLocation().toURI());

    try (ClientLine line = ClientLine.of(version, tests, ClientLine.extension())) {
      Object received =
          line.loadClass(ClientScenario.class.getName())
              .getMethod("runHub", String.class, String.class)
              .invoke(null, broker.process().serviceUrl(), topic);

      assertThat(received).isEqualTo(values(0, MESSAGES));
    }
    awaitBacklog(broker, topic, "all", 0);
  }
}
