/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.FaultConsumers.assertCarIsAtTwo;
import static io.pulsarbroadcast.it.FaultConsumers.assertOneTooMany;
import static io.pulsarbroadcast.it.FaultConsumers.assertRefusedWhileNoLogOpens;
import static io.pulsarbroadcast.it.FaultConsumers.brief;
import static io.pulsarbroadcast.it.FaultConsumers.fillTopic;
import static io.pulsarbroadcast.it.FaultConsumers.leaveCarAtTwo;
import static io.pulsarbroadcast.it.FaultConsumers.subscribeSoon;
import static io.pulsarbroadcast.it.Messages.SILENCE;
import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveUntil;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.common.policies.data.DispatchRate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A subscription becomes Broadcast or plain, or that is refused, while something fails: it is the
 * one or the other, and who is refused leaves nothing behind.
 */
@Tag("complete")
@Order(1)
class TypeChangeFaultProcessIT {

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

  /** A subscribe that is refused changes nothing. */
  @Test
  void shouldLeaveAPlainSubscriptionAsItWasWhenTheBroadcastConsumerIsOneTooMany() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> plain = broker.plain(topic, "all").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(plain, 4)).isEqualTo(values(0, 4));
    }
    List<Consumer<String>> others = fillTopic(broker, topic);
    assertOneTooMany(broker.broadcast(topic, "all", "a"));
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Exclusive");
    others.get(0).close();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe()) {
      assertThat(receiveAndAck(a, 6)).isEqualTo(values(4, 10));
    }
  }

  /** The same of a plain consumer, whose refusal ends what had begun already. */
  @Test
  void shouldStillLimitTheDispatchRateWhenThePlainConsumerWasOneTooMany() throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    DispatchRate rate =
        DispatchRate.builder()
            .dispatchThrottlingRateInMsg(20)
            .dispatchThrottlingRateInByte(-1)
            .ratePeriodInSecond(1)
            .build();
    broker.admin().namespaces().setSubscriptionDispatchRate(namespace, rate);
    String topic = OperatedBroker.topicIn(namespace);
    leaveNoPosition(topic);
    List<Consumer<String>> others = fillTopic(broker, topic);
    assertOneTooMany(broker.plain(topic, "all"));
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
    others.get(0).close();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe()) {
      long start = System.nanoTime();
      publish(broker, topic, 0, 100);
      assertThat(receiveAndAck(a, 100)).isEqualTo(values(0, 100));
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as("100 deliveries at 20 a second, of which the first, and one read more, come at once")
          .isGreaterThan(Duration.ofSeconds(2));
    }
  }

  /** A subscribe that is refused changes nothing, nor for a consumer that uses transactions. */
  @Test
  void shouldTakeAcknowledgementsInTransactionsWhenItCouldNotBecomeBroadcast() throws Exception {
    String topic = Broker.newTopic();
    broker.plain(topic, "all").subscribe().close();
    publish(broker, topic, 0, 3);
    assertRefusedWhileNoLogOpens(broker, folder, topic, () -> subscribeSoon(broker, topic, "car"));
    try (Consumer<String> plain = broker.plain(topic, "all").subscribe()) {
      Transaction transaction =
          broker
              .client()
              .newTransaction()
              .withTransactionTimeout(1, TimeUnit.MINUTES)
              .build()
              .get();
      plain.acknowledgeAsync(receive(plain, 3).get(0).getMessageId(), transaction).get();
      transaction.commit().get();
      awaitBacklog(broker, topic, "all", 2);
    }
  }

  /** With a mark and nothing declared it would be taken for one whose positions are lost. */
  @Test
  void shouldBePlainWhenTheBrokerDiesAsItBecomesPlain() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> brief =
        broker
            .atOnce(topic, "all", "brief")
            .property("pulsar.broadcast.cursor.ttl.seconds", "0")
            .subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(brief, 2)).isEqualTo(values(0, 2));
      awaitBacklog(broker, topic, "all", 3);
    }
    await()
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic, "all").getSubscriptionProperties())
                    .containsEntry("pulsar.broadcast.positions.waiting", "0"));
    PositionsFaults.in(folder).haltWhenNothingIsDeclared(topic);
    try (PulsarClient client = broker.newClient()) {
      client.newConsumer(Schema.STRING).topic(topic).subscriptionName("all").subscribeAsync();
      PositionsFaults.in(folder).startAgain(broker);
    }
    try (PulsarClient client = broker.newClient();
        Consumer<String> plain =
            client.newConsumer(Schema.STRING).topic(topic).subscriptionName("all").subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Exclusive");
      assertThat(receiveUntil(plain, "message-4"))
          .as("I1, and what the broker had not stored yet")
          .endsWith(values(2, 5).toArray(String[]::new));
    }
  }

  /** What it writes of the cursor would come between that and what closing the topic writes. */
  @Test
  void shouldNotCloseTheTopicUntilTheTypeChangeHasEnded() throws Exception {
    String topic = Broker.newTopic();
    broker.plain(topic, "all").subscribe().close();
    publish(broker, topic, 0, 1);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.holdNextDeclaration(topic);
    CompletableFuture<Consumer<String>> subscribed =
        broker.atOnce(topic, "all", "car").subscribeAsync();
    CompletableFuture<Void> unloaded;
    await().until(faults::isDeclarationHeld);
    try {
      unloaded = broker.admin().topics().unloadAsync(topic);
      assertThat(unloaded)
          .as("an unload in a type change")
          .failsWithin(SILENCE)
          .withThrowableOfType(TimeoutException.class);
    } finally {
      faults.release();
    }
    unloaded.get();
    try (Consumer<String> car = subscribed.get()) {
      awaitConnected(broker, car);
      assertThat(receiveAndAck(car, 1)).isEqualTo(values(0, 1));
      assertNothingMore(car);
    }
  }

  /** Whoever comes back misses nothing, though the write that made it plain was not answered. */
  @Test
  void shouldGoOnWithItsLogWhenItCouldNotFindOutWhetherItBecamePlain() throws Exception {
    String topic = Broker.newTopic();
    leaveNoPosition(topic);
    PositionsFaults faults = PositionsFaults.in(folder);
    faults.loseNextRevocation(topic);
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      assertThat(raw.subscribePlain(1_000_000, topic, "plain")).failsWithin(Duration.ofMinutes(1));
    }
    assertThat(faults.isRevocationToBeLost()).isFalse();

    leaveCarAtTwo(broker, topic);
    assertThat(faults.declared(topic)).matches("\\w+/-?\\d+/");
    try (Consumer<String> other = broker.atOnce(topic, "all", "other").subscribe()) {
      other.seek(MessageId.earliest);
      assertThat(receiveAndAck(other, 1)).isEqualTo(values(0, 1));
      awaitConnected(broker, other);
    }
    broker.admin().topics().unload(topic);
    assertCarIsAtTwo(broker, topic);
  }

  private static void leaveNoPosition(String topic) throws Exception {
    broker
        .broadcast(topic, "all", "brief")
        .property("pulsar.broadcast.cursor.ttl.seconds", "0")
        .subscribe()
        .close();
    await()
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic, "all").getSubscriptionProperties())
                    .containsEntry("pulsar.broadcast.positions.waiting", "0"));
  }
}
