/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.acknowledge;
import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Messages.without;
import static io.pulsarbroadcast.it.SkippedLog.awaitEntries;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.awaitCursorLedger;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.ReaderBuilder;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I1 and I3 when an unused subscription changes its type: nothing is skipped on the way. */
@ExtendWith(BrokerExtension.class)
@Order(1)
class ConversionIT {

  @Test
  void shouldGiveBroadcastConsumersWhatThePlainOneLeft(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leavePlainAt(broker, topic, 4);
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
      assertThat(receiveAndAck(a, 6)).isEqualTo(values(4, 10));
      assertThat(receiveAndAck(b, 6)).isEqualTo(values(4, 10));
      assertNothingMore(a);
      assertNothingMore(b);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldGiveThemThatAlsoWhenABroadcastSubscribeWasRefusedBefore(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    assertThatThrownBy(
            () -> broker.broadcast(topic, "all", "early").readCompacted(true).subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class);
    leavePlainAt(broker, topic, 4);
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertThat(receiveAndAck(a, 6)).isEqualTo(values(4, 10));
      assertThat(receiveAndAck(b, 6)).isEqualTo(values(4, 10));
    }
  }

  /**
   * I1: also once the topic is loaded again, with the positions that were made from the plain one.
   */
  @Test
  void shouldNotGiveThemWhatThePlainOneAcknowledgedOutOfOrder(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leavePlainWithout(broker, topic, 3, 8);
    assertGetWithoutAcknowledging(broker, topic);
    broker.admin().topics().unload(topic);
    assertGetWithoutAcknowledging(broker, topic);
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertThat(receiveAndAck(a, 5)).isEqualTo(without(values(0, 10), 3, 4, 5, 6, 7));
      assertThat(receiveAndAck(b, 5)).isEqualTo(without(values(0, 10), 3, 4, 5, 6, 7));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private static void assertGetWithoutAcknowledging(Broker broker, String topic) throws Exception {
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertThat(receiveValues(a, 5)).isEqualTo(without(values(0, 10), 3, 4, 5, 6, 7));
      assertThat(receiveValues(b, 5)).isEqualTo(without(values(0, 10), 3, 4, 5, 6, 7));
      assertNothingMore(a);
      assertNothingMore(b);
    }
  }

  /** I1 and I3: the consumer has not acknowledged what it is given then. */
  @ParameterizedTest
  @EnumSource
  void shouldKeepWhatThePlainOneAcknowledgedForAConsumerThatIsSetBackBeforeIt(
      Back back, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leavePlainWithout(broker, topic, 3, 8);
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveValues(car, 5)).isEqualTo(without(values(0, 10), 3, 4, 5, 6, 7));
      back.set(broker, topic, car);
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
      assertThat(receiveValues(car, 7)).isEqualTo(values(3, 10));
      awaitBacklog(broker, topic, "all", 7);
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(returned, 7)).isEqualTo(values(3, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** I7: nothing follows that would have the tail read again. */
  @ParameterizedTest
  @EnumSource
  void shouldGiveWhatThePlainOneAcknowledgedUpToTheEndToAConsumerThatIsSetBackBeforeIt(
      Back back, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leavePlainWithout(broker, topic, 3, 10);
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveValues(car, 3)).isEqualTo(values(0, 3));
      assertNothingMore(car);
      back.set(broker, topic, car);
      assertThat(receiveAndAck(car, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private enum Back {
    BY_SEEK {
      @Override
      void set(Broker broker, String topic, Consumer<String> consumer) throws Exception {
        consumer.seek(MessageId.earliest);
      }
    },
    BY_RESET {
      @Override
      void set(Broker broker, String topic, Consumer<String> consumer) throws Exception {
        broker.admin().topics().resetCursor(topic, "all", 0);
      }
    };

    abstract void set(Broker broker, String topic, Consumer<String> consumer) throws Exception;
  }

  /** I6: nobody missed it. */
  @Test
  void shouldNotCountWhatThePlainOneAcknowledgedAsSkipped(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leavePlainWithout(broker, topic, 3, 10);
    try (Consumer<String> car = broker.broadcast(topic, "all", "car").subscribe()) {
      assertThat(receiveAndAck(car, 3)).isEqualTo(values(0, 3));
      awaitBacklog(broker, topic, "all", 0);
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(car, 2)).isEqualTo(values(10, 12));
      awaitBacklog(broker, topic, "all", 0);
    }
    publish(broker, topic, 12, 13);
    broker.admin().topics().skipMessages(topic, "all", 1);
    awaitEntries(broker, topic, 1, "an operator skipped messages");
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseAPlainConsumerAndKeepEveryPositionThatWaits(SubscriptionType type, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    leaveBroadcastAt(broker, topic, 5, 15);

    assertThatThrownBy(() -> broker.plain(topic, "all").subscriptionType(type).subscribe())
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessageContaining("Broadcast")
        .hasMessageContaining("2 durable positions (0 connected, 2 waiting)")
        .hasMessageContaining("topics unsubscribe");
    assertBothGoOn(broker, topic);
  }

  @Test
  void shouldRefuseAReaderAndKeepEveryPositionThatWaits(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leaveBroadcastAt(broker, topic, 5, 15);

    assertThatThrownBy(() -> reader(broker, topic).create())
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessageContaining("2 durable positions (0 connected, 2 waiting)");
    assertBothGoOn(broker, topic);
  }

  @Test
  void shouldRefuseAPlainConsumerAlsoAfterTheTopicWasUnloaded(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leaveBroadcastAt(broker, topic, 5, 15);
    broker.admin().topics().unload(topic);

    assertThatThrownBy(() -> broker.plain(topic, "all").subscribe())
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessageContaining("2 durable positions (0 connected, 2 waiting)");
    assertBothGoOn(broker, topic);
  }

  /** The slow one last: its position is the subscription's, and would survive by chance. */
  private static void assertBothGoOn(Broker broker, String topic) throws Exception {
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
    try (Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      assertThat(receiveAndAck(slow, 15)).isEqualTo(values(5, 20));
      awaitBacklog(broker, topic, "all", 5);
      try (Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe()) {
        assertThat(receiveAndAck(fast, 5)).isEqualTo(values(15, 20));
        awaitBacklog(broker, topic, "all", 0);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldServeAPlainConsumerAsIfTheSubscriptionHadAlwaysBeenPlain(
      SubscriptionType type, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leaveWithoutPositions(broker, topic);

    try (Consumer<String> plain = broker.plain(topic, "all").subscriptionType(type).subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo(type.toString());
      publish(broker, topic, 10, 20);
      assertThat(receiveAndAck(plain, 5)).isEqualTo(values(10, 15));
      awaitBacklog(broker, topic, "all", 5);
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> plain = broker.plain(topic, "all").subscriptionType(type).subscribe()) {
      assertThat(receiveAndAck(plain, 5)).isEqualTo(values(15, 20));
      awaitBacklog(broker, topic, "all", 0);
    }
    try (Consumer<String> broadcast = broker.broadcast(topic, "all", "late").subscribe()) {
      publish(broker, topic, 20, 22);
      assertThat(receiveAndAck(broadcast, 2)).isEqualTo(values(20, 22));
    }
  }

  @Test
  void shouldStayPlainWhenTheTopicIsUnloadedBeforeAnythingIsAcknowledged(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    leaveWithoutPositions(broker, topic);
    broker.plain(topic, "all").subscribe().close();

    broker.admin().topics().unload(topic);
    publish(broker, topic, 10, 11);
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("None");
    assertThat(stats(broker, topic, "all").getMsgBacklog()).isEqualTo(1);
  }

  @Test
  void shouldStayBroadcastWhenThePlainConsumerIsRefusedByTheBrokersOwnChecks(Broker broker)
      throws Exception {
    String namespace = "public/" + UUID.randomUUID();
    broker.admin().namespaces().createNamespace(namespace);
    broker
        .admin()
        .namespaces()
        .setSubscriptionTypesEnabled(namespace, Set.of(SubscriptionType.Exclusive));
    String topic = "persistent://" + namespace + "/refused";
    leaveWithoutPositions(broker, topic);

    assertThatThrownBy(
            () -> broker.plain(topic, "all").subscriptionType(SubscriptionType.Shared).subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class);
    assertThatThrownBy(() -> reader(broker, topic).create())
        .isInstanceOf(PulsarClientException.NotAllowedException.class);
    assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
    try (Consumer<String> late = broker.broadcast(topic, "all", "late").subscribe()) {
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(late, 2)).isEqualTo(values(10, 12));
    }
  }

  /** I1: whatever comes first, and whether the subscription has changed its type by then. */
  @Test
  void shouldMissNothingWhenTheTopicIsUnloadedWhileTheTypeChanges(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.plain(topic, "all").subscribe().close();
    for (int round = 0; round < 6; round++) {
      publish(broker, topic, 2 * round, 2 * round + 1);
      CompletableFuture<Consumer<String>> broadcast =
          broker
              .broadcast(topic, "all", "car")
              .property("pulsar.broadcast.cursor.ttl.seconds", "0")
              .subscribeAsync();
      broker.admin().topics().unload(topic);
      assertGetsWhatWasPublished(broker, topic, broadcast.get(), 2 * round);
      awaitNoPosition(broker, topic);

      publish(broker, topic, 2 * round + 1, 2 * round + 2);
      CompletableFuture<Consumer<String>> plain = broker.plain(topic, "all").subscribeAsync();
      broker.admin().topics().unload(topic);
      assertGetsWhatWasPublished(broker, topic, plain.get(), 2 * round + 1);
    }
  }

  /**
   * Exactly once: what is published into an unload may be stored twice, so that was done before.
   */
  private static void assertGetsWhatWasPublished(
      Broker broker, String topic, Consumer<String> consumer, int number) throws Exception {
    // Else an acknowledgement may find no connection.
    awaitConnected(broker, consumer);
    assertThat(receiveAndAck(consumer, 1)).isEqualTo(values(number, number + 1));
    awaitBacklog(broker, topic, "all", 0);
    awaitCursorLedger(broker, topic, "all");
    consumer.close();
  }

  private static void leavePlainAt(Broker broker, String topic, int acknowledged)
      throws PulsarClientException {
    try (Consumer<String> plain = broker.plain(topic, "all").subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(plain, acknowledged);
    }
  }

  /**
   * A plain subscription to ten messages that has only some in the middle, or at the end,
   * acknowledged.
   */
  private static void leavePlainWithout(Broker broker, String topic, int from, int to)
      throws PulsarClientException {
    try (Consumer<String> plain =
        broker.plain(topic, "all").subscriptionType(SubscriptionType.Shared).subscribe()) {
      publish(broker, topic, 0, 10);
      acknowledge(plain, receive(plain, 10), IntStream.range(from, to).toArray());
    }
  }

  private static void leaveBroadcastAt(Broker broker, String topic, int slowest, int fastest)
      throws PulsarClientException {
    try (Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe();
        Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe()) {
      publish(broker, topic, 0, 20);
      receiveAndAck(slow, slowest);
      receiveAndAck(fast, fastest);
    }
  }

  /** A Broadcast subscription whose last position is gone; it waited for messages at the end. */
  private static void leaveWithoutPositions(Broker broker, String topic) throws Exception {
    try (Consumer<String> brief =
        broker
            .broadcast(topic, "all", "brief")
            .property("pulsar.broadcast.cursor.ttl.seconds", "0")
            .subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(brief, 10);
      awaitBacklog(broker, topic, "all", 0);
    }
    awaitNoPosition(broker, topic);
  }

  private static void awaitNoPosition(Broker broker, String topic) {
    await()
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic, "all").getSubscriptionProperties())
                    .containsEntry("pulsar.broadcast.positions.waiting", "0"));
  }

  private static ReaderBuilder<String> reader(Broker broker, String topic) {
    return broker
        .client()
        .newReader(Schema.STRING)
        .topic(topic)
        .subscriptionName("all")
        .startMessageId(MessageId.earliest);
  }
}
