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
import org.junit.jupiter.api.Test;

/**
 * I1 when stored positions are damaged on the bookie's disk: the topic loads, everybody goes on
 * from the subscription's position, which is the slowest consumer's, and the broker's log says why.
 */
class DamagedPositionsProcessIT {

  @Test
  void shouldGoOnFromTheSubscriptionsPosition() throws Exception {
    String topic = Broker.newTopic();
    String name = "car-" + UUID.randomUUID();
    try (Broker broker = Broker.start(BrokerExtension.newBroker())) {
      try (PulsarClient client = broker.newClient();
          Consumer<String> car = Broker.broadcast(client, topic, "all", name).subscribe();
          Consumer<String> slow = Broker.broadcast(client, topic, "all", "slow").subscribe()) {
        publish(client, topic, 0, 10);
        car.acknowledgeCumulative(receive(car, 10).get(6));
        slow.acknowledgeCumulative(receive(slow, 10).get(2));
      }
      broker.process().stop();
      assertThat(damage(broker.process().instanceFolder().resolve("data"), name)).isPositive();
      broker.process().start();

      try (PulsarClient client = broker.newClient();
          Consumer<String> car = Broker.broadcast(client, topic, "all", name).subscribe();
          Consumer<String> slow = Broker.broadcast(client, topic, "all", "slow").subscribe()) {
        for (Consumer<String> consumer : List.of(car, slow)) {
          assertThat(receiveAndAck(consumer, 7)).isEqualTo(values(3, 10));
        }
        assertThat(errors(broker))
            .singleElement()
            .asString()
            .contains(topic, "[all]", "every consumer goes on from the subscription's position");

        // From now on positions are stored again.
        broker.admin().topics().unload(topic);
        publish(client, topic, 10, 12);
        for (Consumer<String> consumer : List.of(car, slow)) {
          assertThat(receiveAndAck(consumer, 2)).isEqualTo(values(10, 12));
          Messages.assertNothingMore(consumer);
        }
      }
      assertThat(errors(broker)).hasSize(1);
    }
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

  private static List<String> errors(Broker broker) throws IOException {
    try (Stream<String> lines = Files.lines(broker.process().logFile())) {
      return lines.filter(line -> line.contains("Could not read the stored positions")).toList();
    }
  }
}
