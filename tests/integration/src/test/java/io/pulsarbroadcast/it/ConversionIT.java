/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
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

  @ParameterizedTest
  @EnumSource
  void shouldRefuseAPlainConsumerAndKeepEveryPositionThatWaits(SubscriptionType type, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    leaveBroadcastAt(broker, topic, 5, 15);

    assertThatThrownBy(() -> plain(broker, topic).subscriptionType(type).subscribe())
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

    assertThatThrownBy(() -> plain(broker, topic).subscribe())
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

    try (Consumer<String> plain = plain(broker, topic).subscriptionType(type).subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo(type.toString());
      publish(broker, topic, 10, 20);
      assertThat(receiveAndAck(plain, 5)).isEqualTo(values(10, 15));
      awaitBacklog(broker, topic, "all", 5);
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> plain = plain(broker, topic).subscriptionType(type).subscribe()) {
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
    plain(broker, topic).subscribe().close();

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
            () -> plain(broker, topic).subscriptionType(SubscriptionType.Shared).subscribe())
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
    plain(broker, topic).subscribe().close();
    for (int round = 0; round < 10; round++) {
      CompletableFuture<Consumer<String>> broadcast =
          broker
              .broadcast(topic, "all", "car")
              .property("pulsar.broadcast.cursor.ttl.seconds", "0")
              .subscribeAsync();
      CompletableFuture<Void> unloaded = broker.admin().topics().unloadAsync(topic);
      assertGetsWhatIsPublished(broker, topic, broadcast.get(), 2 * round);
      unloaded.get();
      awaitNoPosition(broker, topic);

      CompletableFuture<Consumer<String>> plain = plain(broker, topic).subscribeAsync();
      unloaded = broker.admin().topics().unloadAsync(topic);
      assertGetsWhatIsPublished(broker, topic, plain.get(), 2 * round + 1);
      unloaded.get();
    }
  }

  private static void assertGetsWhatIsPublished(
      Broker broker, String topic, Consumer<String> consumer, int number) throws Exception {
    publish(broker, topic, number, number + 1);
    assertThat(receiveAndAck(consumer, 1)).isEqualTo(values(number, number + 1));
    awaitBacklog(broker, topic, "all", 0);
    consumer.close();
  }

  private static void leavePlainAt(Broker broker, String topic, int acknowledged)
      throws PulsarClientException {
    try (Consumer<String> plain = plain(broker, topic).subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(plain, acknowledged);
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

  private static ConsumerBuilder<String> plain(Broker broker, String topic) {
    return broker.client().newConsumer(Schema.STRING).topic(topic).subscriptionName("all");
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
