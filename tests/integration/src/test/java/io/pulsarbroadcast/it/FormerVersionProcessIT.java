/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.file.Path;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * I1 over plugins that stored positions in former formats: this one reads what they stored; going
 * back, they refuse what this one stored with a sentence and do no damage. Needs their NARs, whose
 * names begin with pulsar-broadcast-: {@code -Dformat.2.nar=FILE}, of commit d67dba2, and {@code
 * -Dformat.3.nar=FILE}, of 566a3a9.
 */
class FormerVersionProcessIT {

  private static final String NEEDS_FORMAT_2 = "it needs a NAR of format 2, -Dformat.2.nar=FILE";
  private static final String NEEDS_FORMAT_3 = "it needs a NAR of format 3, -Dformat.3.nar=FILE";

  /** It refuses the moved log only, and this one takes over what it stored meanwhile. */
  @Test
  @EnabledIfSystemProperty(named = "format.2.nar", matches = ".+", disabledReason = NEEDS_FORMAT_2)
  void shouldReadWhatTheFormerVersionStoredAndBeRefusedByIt() throws Exception {
    Path former = Path.of(System.getProperty("format.2.nar"));
    String topic = Broker.newTopic();
    String joined = Broker.newTopic();
    try (Broker broker = Broker.start(BrokerExtension.plainBroker().nar(former))) {
      for (String each : List.of("away", "car", "slow")) {
        leaveAt(broker, topic, "all", each, 0);
      }
      publish(broker, topic, 0, 10);
      leaveAt(broker, topic, "all", "away", 5);
      leaveAt(broker, topic, "all", "car", 7);
      leaveAt(broker, topic, "all", "slow", 3);
      // Two subscriptions with one log.
      leaveAt(broker, joined, "x-y", "car", 0);
      leaveAt(broker, joined + "-x", "y", "car", 0);
      publish(broker, joined, 0, 10);
      publish(broker, joined + "-x", 0, 10);
      leaveAt(broker, joined, "x-y", "car", 4);
      leaveAt(broker, joined + "-x", "y", "car", 10);

      replaceNar(broker, BrokerExtension.nar());
      try (PulsarClient client = broker.newClient()) {
        assertThat(receiveAll(client, topic, "all", "car", 3)).isEqualTo(values(7, 10));
        assertThat(receiveAll(client, topic, "all", "slow", 7)).isEqualTo(values(3, 10));
        assertThat(receiveAll(client, joined, "x-y", "car", 6))
            .as("I1, of those that cannot be told apart")
            .isEqualTo(values(4, 10));
        publish(client, topic, 10, 12);
      }

      replaceNar(broker, former);
      try (PulsarClient client = broker.newClient()) {
        // Whoever returns starts at the subscription's position, where the one is that was away.
        try (Consumer<String> fresh = Broker.atOnce(client, topic, "all", "fresh").subscribe()) {
          assertThat(receiveAndAck(fresh, 2)).isEqualTo(values(5, 7));
        }
        assertThat(broker.logLines()).anyMatch(line -> line.contains("known are 1 and 2"));
        // That version knows nobody else, and moves the subscription on.
        awaitBacklog(broker, topic, "all", 5);
        assertThat(receiveAll(client, topic, "all", "car", 5)).isEqualTo(values(7, 12));
      }

      replaceNar(broker, BrokerExtension.nar());
      try (PulsarClient client = broker.newClient()) {
        publish(client, topic, 12, 13);
        // It was moved on to 7.
        SkippedLog.awaitEntries(
            broker, topic, 2, "a broker without the plugin, or with a former one");
        assertThat(receiveAll(client, topic, "all", "away", 6)).isEqualTo(values(7, 13));
        assertThat(receiveAll(client, topic, "all", "slow", 3)).as("I1").isEqualTo(values(10, 13));
        assertThat(receiveAll(client, topic, "all", "fresh", 6)).as("I1").isEqualTo(values(7, 13));
        assertThat(receiveAll(client, topic, "all", "car", 1)).as("I1").isEqualTo(values(12, 13));
      }
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "format.3.nar", matches = ".+", disabledReason = NEEDS_FORMAT_3)
  void shouldReadFormat3AndHaveItsSubscribesRefusedByThatVersion() throws Exception {
    Path former = Path.of(System.getProperty("format.3.nar"));
    String topic = Broker.newTopic();
    try (Broker broker = Broker.start(BrokerExtension.plainBroker().nar(former))) {
      for (String each : List.of("away", "car", "slow")) {
        leaveAt(broker, topic, "all", each, 0);
      }
      leaveTwoAt(broker, topic, 0, 0);
      publish(broker, topic, 0, 10);
      leaveAt(broker, topic, "all", "away", 5);
      leaveAt(broker, topic, "all", "car", 7);
      leaveAt(broker, topic, "all", "slow", 3);
      leaveTwoAt(broker, topic, 4, 6);

      replaceNar(broker, BrokerExtension.nar());
      try (PulsarClient client = broker.newClient()) {
        assertThat(receiveAll(client, topic, "all", "car", 3)).isEqualTo(values(7, 10));
        assertThat(receiveAll(client, topic, "all", "slow", 7)).isEqualTo(values(3, 10));
        try (Consumer<String> one = Broker.atOnce(client, topic, "all", "pair").subscribe();
            Consumer<String> other = Broker.atOnce(client, topic, "all", "pair").subscribe()) {
          assertThat(receiveAndAck(one, 6)).as("I1, of namesakes").isEqualTo(values(4, 10));
          assertThat(receiveAndAck(other, 6)).as("I1, of namesakes").isEqualTo(values(4, 10));
        }
      }

      replaceNar(broker, former);
      try (PulsarClient client = broker.newClient()) {
        assertThatThrownBy(() -> Broker.atOnce(client, topic, "all", "car").subscribe())
            .isInstanceOf(PulsarClientException.NotAllowedException.class)
            .hasMessageContaining("version 4 of the positions format; known are 1 to 3");
        publish(client, topic, 10, 12);
        awaitBacklog(broker, topic, "all", 7);
      }

      replaceNar(broker, BrokerExtension.nar());
      try (PulsarClient client = broker.newClient()) {
        assertThat(receiveAll(client, topic, "all", "away", 7)).as("I1").isEqualTo(values(5, 12));
        for (String each : List.of("car", "slow", "pair", "pair")) {
          assertThat(receiveAll(client, topic, "all", each, 2)).as("I1").isEqualTo(values(10, 12));
        }
      }
    }
  }

  private static void replaceNar(Broker broker, Path nar) throws Exception {
    // Stopping, a standalone broker's bookie is gone before positions can be stored.
    broker.admin().namespaces().unload("public/default");
    broker.process().stop();
    broker.process().installNar(nar);
    broker.process().start();
  }

  private static void leaveAt(
      Broker broker, String topic, String subscription, String name, int acknowledged)
      throws Exception {
    try (Consumer<String> consumer =
        Broker.atOnce(broker.client(), topic, subscription, name).subscribe()) {
      receiveAndAck(consumer, acknowledged);
    }
  }

  private static void leaveTwoAt(Broker broker, String topic, int acknowledged, int byTheOther)
      throws Exception {
    try (Consumer<String> one = Broker.atOnce(broker.client(), topic, "all", "pair").subscribe();
        Consumer<String> other = Broker.atOnce(broker.client(), topic, "all", "pair").subscribe()) {
      receiveAndAck(one, acknowledged);
      receiveAndAck(other, byTheOther);
    }
  }

  private static List<String> receiveAll(
      PulsarClient client, String topic, String subscription, String name, int count)
      throws Exception {
    try (Consumer<String> consumer = Broker.atOnce(client, topic, subscription, name).subscribe()) {
      List<String> received = receiveAndAck(consumer, count);
      assertNothingMore(consumer);
      return received;
    }
  }
}
