/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * I1 when stored positions are damaged on the bookie's disk: the topic loads, everybody goes on
 * from the subscription's position, which is the slowest consumer's and stays there until an
 * operator decides, and the broker's log says why.
 */
@Tag("complete")
class DamagedPositionsProcessIT {

  @Test
  void shouldHoldTheSubscriptionsPositionUntilSomebodyDecides() throws Exception {
    String topic = Broker.newTopic();
    String name = "car-" + UUID.randomUUID();
    try (Broker broker = Broker.start(BrokerExtension.newBroker())) {
      try (PulsarClient client = broker.newClient();
          Consumer<String> car = Broker.atOnce(client, topic, "all", name).subscribe();
          Consumer<String> away = Broker.atOnce(client, topic, "all", "away").subscribe();
          Consumer<String> slow = Broker.atOnce(client, topic, "all", "slow").subscribe()) {
        publish(client, topic, 0, 10);
        car.acknowledgeCumulative(receive(car, 10).get(6));
        away.acknowledgeCumulative(receive(away, 10).get(4));
        slow.acknowledgeCumulative(receive(slow, 10).get(2));
      }
      broker.process().stop();
      assertThat(damage(broker.process().instanceFolder().resolve("data"), name)).isPositive();
      broker.process().start();

      try (PulsarClient client = broker.newClient();
          Consumer<String> car = Broker.atOnce(client, topic, "all", name).subscribe();
          Consumer<String> slow = Broker.atOnce(client, topic, "all", "slow").subscribe()) {
        for (Consumer<String> consumer : List.of(car, slow)) {
          assertThat(receiveAndAck(consumer, 7)).isEqualTo(values(3, 10));
        }
        assertThat(broker.logLines("The stored positions are lost"))
            .singleElement()
            .asString()
            .contains(topic, "[all]");

        // From now on positions are stored again, and what those miss who are not back stays.
        broker.admin().topics().unload(topic);
        publish(client, topic, 10, 12);
        for (Consumer<String> consumer : List.of(car, slow)) {
          assertThat(receiveAndAck(consumer, 2)).isEqualTo(values(10, 12));
          Messages.assertNothingMore(consumer);
        }
        assertLost(broker, topic, 1, 9);
        try (Consumer<String> away = Broker.atOnce(client, topic, "all", "away").subscribe()) {
          assertThat(receiveAndAck(away, 9)).as("I1").isEqualTo(values(3, 12));
        }

        broker.admin().topics().skipAllMessages(topic, "all");
        assertLost(broker, topic, 0, 0);
        broker.admin().topics().unload(topic);
        publish(client, topic, 12, 13);
        for (Consumer<String> consumer : List.of(car, slow)) {
          assertThat(receiveAndAck(consumer, 1)).isEqualTo(values(12, 13));
        }
        try (Consumer<String> away = Broker.atOnce(client, topic, "all", "away").subscribe()) {
          assertThat(receiveAndAck(away, 1)).isEqualTo(values(12, 13));
        }
        assertLost(broker, topic, 0, 0);
      }
    }
  }

  /** What the broker says of it: in statistics and metrics, and of the backlog. */
  private static void assertLost(Broker broker, String topic, int lost, int backlog)
      throws Exception {
    Subscriptions.awaitBacklog(broker, topic, "all", backlog);
    assertThat(Subscriptions.stats(broker, topic, "all").getSubscriptionProperties())
        .containsEntry("pulsar.broadcast.positions.lost", String.valueOf(lost));
    assertThat(
            Scrape.of(broker.process())
                .value("pulsar_broadcast_positions_lost", "topic", topic, "subscription", "all"))
        .isEqualTo(lost);
  }

  /** Changes a byte of every copy of a text in the files under a folder; returns how many. */
  private static int damage(Path folder, String text) throws IOException {
    byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
    int damaged = 0;
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String content = Files.readString(file, StandardCharsets.ISO_8859_1);
        for (int at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
          try (RandomAccessFile changed = new RandomAccessFile(file.toFile(), "rw")) {
            changed.seek(at);
            changed.write(wanted[0] ^ 1);
          }
          damaged++;
        }
      }
    }
    return damaged;
  }
}
