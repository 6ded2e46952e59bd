/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.FaultConsumers.assertOneTooMany;
import static io.pulsarbroadcast.it.FaultConsumers.assertRefusedWhileNoLogOpens;
import static io.pulsarbroadcast.it.FaultConsumers.brief;
import static io.pulsarbroadcast.it.FaultConsumers.fillTopic;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a non-durable consumer begins ends with it, also when its subscribe is refused or the broker
 * dies, unless somebody else needs it.
 */
@Tag("complete")
@Order(1)
class NonDurableFaultProcessIT {

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

  /** I3: nobody would ever acknowledge what it keeps. */
  @Test
  void shouldEndWhatANonDurableConsumerBeganWhenTheBrokerDied() throws Exception {
    String topic = topicWhoseFirstNonDurableSubscribeDied();
    publish(broker, topic, 0, 3);
    await()
        .untilAsserted(() -> assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty());
  }

  /** I1: a durable consumer that comes first after such an end is waited for as any other. */
  @Test
  void shouldKeepWhatADurableConsumerTookOverWhenTheBrokerDied() throws Exception {
    String topic = topicWhoseFirstNonDurableSubscribeDied();
    broker.broadcast(topic, "all", "car").subscribe().close();
    publish(broker, topic, 0, 3);
    broker.admin().topics().unload(topic);
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
    }
  }

  /** I1: another broker has the topic, and a durable consumer of it there is waited for. */
  @Test
  void shouldNotEndWithItsLastReaderWhatAnotherBrokerHas() throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient client = broker.newClient();
        Consumer<String> reader = nonDurable(client, topic).subscribe()) {
      PositionsFaults.in(folder).makeStale(topic, PositionsFaults.Stale.OWNER);
      reader.close();
      await()
          .untilAsserted(
              () ->
                  assertThat(broker.logLines(topic, "Kept after its last ephemeral consumer"))
                      .singleElement()
                      .asString()
                      .contains("another broker's"));
    }
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("all");
    broker.admin().topics().unload(topic);
    broker.admin().lookups().lookupTopic(topic);
    await()
        .untilAsserted(() -> assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty());
  }

  private static String topicWhoseFirstNonDurableSubscribeDied() throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.haltWhenALogIsDeclared(topic);
    try (PulsarClient client = broker.newClient()) {
      nonDurable(client, topic).subscribeAsync();
      await().until(() -> !broker.process().isAlive());
    }
    faults.startAgain(broker);
    return topic;
  }

  /** Nobody would ever acknowledge what a durable subscription keeps that nobody has. */
  @Test
  void shouldLeaveNoSubscriptionOfARefusedNonDurableConsumer() throws Exception {
    String topic = Broker.newTopic();
    List<Consumer<String>> others = fillTopic(broker, topic);
    assertOneTooMany(nonDurable(topic));
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("other");
    for (Consumer<String> other : others) {
      other.close();
    }
    try (PulsarClient client = brief(broker)) {
      assertRefusedWhileNoLogOpens(
          broker, folder, topic, () -> nonDurable(client, topic).subscribe());
    }
    await()
        .untilAsserted(
            () ->
                assertThat(broker.admin().topics().getSubscriptions(topic))
                    .containsExactly("other"));
  }

  /** The same when it cannot be deleted then; the topic is loaded again before anybody comes. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndWithTheNextLoadWhatARefusedNonDurableConsumerLeft(boolean marked) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    leaveRefusedNonDurable(topic, marked);
    broker.admin().topics().unload(topic);
    publish(broker, topic, 0, 1);
    await()
        .untilAsserted(() -> assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty());
  }

  /** A plain consumer that takes over what was left has its subscription for good. */
  @ParameterizedTest
  @CsvSource({"true, false", "false, false", "true, true", "false, true"})
  void shouldKeepWhatARefusedNonDurableConsumerLeftForAPlainOne(boolean loadedAgain, boolean marked)
      throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    leaveRefusedNonDurable(topic, marked);
    if (loadedAgain) {
      broker.admin().topics().unload(topic);
    }
    try (Consumer<String> plain = broker.plain(topic, "all").subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(plain, 2)).isEqualTo(values(0, 2));
      awaitBacklog(broker, topic, "all", 3);
    }
    broker.admin().topics().unload(topic);
    publish(broker, topic, 5, 6);
    assertThat(stats(broker, topic, "all").getType())
        .as("else it would end soon")
        .isNotEqualTo("Broadcast");
    try (Consumer<String> plain = broker.plain(topic, "all").subscribe()) {
      assertThat(receiveAndAck(plain, 4)).isEqualTo(values(2, 6));
    }
  }

  /**
   * @param marked whether its cursor is marked, and its log not declared; else neither
   */
  private static void leaveRefusedNonDurable(String topic, boolean marked) throws Exception {
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.failNextDeletion();
    if (marked) {
      faults.failNext(topic, PositionsFaults.Declaration.NOT_WRITTEN);
    } else {
      faults.failToOpen();
    }
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      assertThat(raw.subscribe(1_000_000, topic, "reader", false))
          .failsWithin(Duration.ofMinutes(1));
      assertThat(faults.isDeletionToFail()).isFalse();
    } finally {
      if (!marked) {
        faults.open();
      }
    }
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("all");
  }

  private static ConsumerBuilder<String> nonDurable(String topic) {
    return nonDurable(broker.client(), topic);
  }

  private static ConsumerBuilder<String> nonDurable(PulsarClient client, String topic) {
    return Broker.broadcast(client, topic, "all", "reader")
        .subscriptionMode(SubscriptionMode.NonDurable);
  }
}
