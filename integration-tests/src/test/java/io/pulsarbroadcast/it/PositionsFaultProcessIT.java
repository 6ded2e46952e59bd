/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I1 while the storage of positions does not answer: nothing is forgotten, and nothing made up. */
class PositionsFaultProcessIT {

  @TempDir private static Path folder;
  private static Broker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = PositionsFaults.start(folder);
  }

  @AfterAll
  static void stopBroker() throws Exception {
    broker.close();
  }

  @Test
  void shouldNotLoadATopicWhosePositionsCannotBeReadNow() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe();
        Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      publish(broker, topic, 0, 10);
      car.acknowledgeCumulative(receive(car, 10).get(6));
      slow.acknowledgeCumulative(receive(slow, 10).get(2));
    }
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failToOpen();
    try {
      broker.admin().topics().unload(topic);
      assertThatThrownBy(() -> subscribeSoon(topic, "car"))
          .isInstanceOf(PulsarClientException.class);
      assertThat(faultsOf(topic)).as("times that it was tried").isPositive();
    } finally {
      faults.open();
    }
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe();
        Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(7, 10));
      assertThat(receiveAndAck(slow, 7)).isEqualTo(values(3, 10));
      assertNothingMore(car);
      assertNothingMore(slow);
    }
  }

  @Test
  void shouldNotAnswerASubscribeThatCannotBeStored() throws Exception {
    String topic = Broker.newTopic();
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failToOpen();
    try {
      assertThatThrownBy(() -> subscribeSoon(topic, "car"))
          .isInstanceOf(PulsarClientException.class);
    } finally {
      faults.open();
    }
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
    }
  }

  @Test
  void shouldRefuseAFormatThatItDoesNotKnowAndChangeNothing() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 5);
      car.acknowledgeCumulative(receive(car, 5).get(1));
      awaitBacklog(broker, topic, "all", 3);
      PositionsFaults.in(folder).storeNewerFormat(topic);
    }
    broker.admin().topics().unload(topic);
    publish(broker, topic, 5, 6);
    assertThatThrownBy(() -> broker.broadcast(topic, "all", "car").subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class)
        .hasMessageContaining("version 4 of the positions format; known are 1 to 3");
    assertThatThrownBy(
            () ->
                broker
                    .client()
                    .newConsumer(Schema.STRING)
                    .topic(topic)
                    .subscriptionName("all")
                    .subscribe())
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
    awaitBacklog(broker, topic, "all", 4);
    assertThat(Subscriptions.stats(broker, topic, "all").getConsumers()).isEmpty();
  }

  @Test
  void shouldTakeNewNamesAgainAfterAFailedWrite() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(0, 2));
      PositionsFaults.in(folder).failWrite();
      try (Consumer<String> second = broker.broadcast(topic, "all", "second").subscribe()) {
        publish(broker, topic, 5, 6);
        assertThat(receiveAndAck(second, 1)).isEqualTo(values(5, 6));
      }
      broker.admin().topics().unload(topic);
      publish(broker, topic, 6, 7);
      try (Consumer<String> second = broker.broadcast(topic, "all", "second").subscribe()) {
        assertThat(receiveAndAck(second, 1)).as("stored").isEqualTo(values(6, 7));
      }
    }
  }

  /** Subscribes with a client that does not try for long. */
  private static void subscribeSoon(String topic, String name) throws Exception {
    try (PulsarClient client =
            PulsarClient.builder()
                .serviceUrl(broker.process().serviceUrl())
                .operationTimeout(3, TimeUnit.SECONDS)
                .lookupTimeout(3, TimeUnit.SECONDS)
                .build();
        Consumer<String> consumer = Broker.broadcast(client, topic, "all", name).subscribe()) {
      assertThat(consumer).as("should not have been answered").isNull();
    }
  }

  private static long faultsOf(String topic) throws IOException {
    String local = PositionsFaults.localNameOf(topic);
    try (Stream<String> lines = Files.lines(broker.process().logFile())) {
      return lines
          .filter(line -> line.contains("Fault: cannot open") && line.contains(local))
          .count();
    }
  }
}
