/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.acknowledge;
import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Messages.without;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.UUID;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I3, I4 and I5: positions outlive their topic's unloading, and end after their time to live. */
@ExtendWith(BrokerExtension.class)
class StoredPositionsIT {

  @Test
  void shouldContinueAfterWhatEachAcknowledgedWhenTheTopicIsUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.atOnce(topic, "all", "a").subscribe();
        Consumer<String> b = broker.atOnce(topic, "all", "b").subscribe();
        Consumer<String> c = broker.atOnce(topic, "all", "c").subscribe()) {
      publish(broker, topic, 0, 10);
      receive(a, 10);
      List<Message<String>> receivedByB = receive(b, 10);
      b.acknowledgeCumulative(receivedByB.get(2));
      assertThat(receiveAndAck(c, 10)).isEqualTo(values(0, 10));

      broker.admin().topics().unload(topic);
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(a, 12)).isEqualTo(values(0, 12));
      assertThat(receiveAndAck(b, 9)).isEqualTo(values(3, 12));
      assertThat(receiveAndAck(c, 2)).isEqualTo(values(10, 12));
      assertNothingMore(a);
      assertNothingMore(b);
      assertNothingMore(c);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldKeepTheHolesOfIndividualAcksWhenTheTopicIsUnloaded(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.atOnce(topic, "all", "a").subscribe();
        Consumer<String> b = broker.atOnce(topic, "all", "b").subscribe()) {
      publish(broker, topic, 0, 10);
      acknowledge(a, receive(a, 10), 0, 2, 3, 7);
      acknowledge(b, receive(b, 10), 9, 1);

      broker.admin().topics().unload(topic);
      assertThat(receiveAndAck(a, 6)).isEqualTo(without(values(0, 10), 0, 2, 3, 7));
      assertThat(receiveAndAck(b, 8)).isEqualTo(without(values(0, 10), 1, 9));
      assertNothingMore(a);
      assertNothingMore(b);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldKeepThePositionOfAConsumerThatIsAwayWhenTheTopicIsUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.atOnce(topic, "all", "beside").subscribe()) {
      try (Consumer<String> away = broker.atOnce(topic, "all", "away").subscribe()) {
        publish(broker, topic, 0, 10);
        acknowledge(away, receive(away, 10), 0, 1, 2, 5);
        assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      }
      broker.admin().topics().unload(topic);
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(beside, 2)).isEqualTo(values(10, 12));
      awaitBacklog(broker, topic, "all", 9);

      try (Consumer<String> returned = broker.atOnce(topic, "all", "away").subscribe()) {
        assertThat(receiveAndAck(returned, 8)).isEqualTo(without(values(3, 12), 2));
        assertNothingMore(returned);
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldKeepThePositionsThroughSeveralUnloads(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.atOnce(topic, "all", "away").subscribe().close();
    try (Consumer<String> beside = broker.atOnce(topic, "all", "beside").subscribe()) {
      for (int round = 0; round < 3; round++) {
        publish(broker, topic, 5 * round, 5 * round + 5);
        assertThat(receiveAndAck(beside, 5)).isEqualTo(values(5 * round, 5 * round + 5));
        broker.admin().topics().unload(topic);
      }
      awaitConnected(broker, beside);
    }
    try (Consumer<String> returned = broker.atOnce(topic, "all", "away").subscribe()) {
      assertThat(receiveAndAck(returned, 15)).isEqualTo(values(0, 15));
    }
    awaitBacklog(broker, topic, "all", 0);
  }

  @Test
  void shouldGiveANewNameOnAReloadedTopicWhatIsNewWithLatest(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> known = broker.atOnce(topic, "all", "known").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(known, 3)).isEqualTo(values(0, 3));
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> added = broker.atOnce(topic, "all", "added").subscribe()) {
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(added, 2)).isEqualTo(values(10, 12));
      assertNothingMore(added);
    }
  }

  @Test
  void shouldForgetPositionsWhenTheSubscriptionIsDeletedAndMadeAnew(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.atOnce(topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
    }
    broker.admin().topics().deleteSubscription(topic, "all");
    assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty();
    try (Consumer<String> a =
        broker
            .atOnce(topic, "all", "a")
            .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
            .subscribe()) {
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
    }
  }

  @Test
  void shouldForgetPositionsWhenTheSubscriptionOfAReloadedTopicIsDeletedAndMadeAnew(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    broker.admin().topics().createSubscription(topic, "keeps the messages", MessageId.earliest);
    try (Consumer<String> a = broker.atOnce(topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
    }
    broker.admin().topics().unload(topic);
    broker.admin().topics().deleteSubscription(topic, "all");
    try (Consumer<String> a =
        broker
            .atOnce(topic, "all", "a")
            .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
            .subscribe()) {
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
    }
  }

  @Test
  void shouldBeInTheWayOfNoListingAndNoDeletion(Broker broker) throws Exception {
    String namespace = "public/" + UUID.randomUUID();
    broker.admin().namespaces().createNamespace(namespace);
    String topic = "persistent://" + namespace + "/topic";
    try (Consumer<String> a = broker.atOnce(topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(a, 3)).isEqualTo(values(0, 3));
    }
    assertThat(broker.admin().topics().getList(namespace)).containsExactly(topic);
    broker.admin().topics().delete(topic);
    // On 3.0, of the broker's own topics there, one may fail whose reader is just being closed.
    await()
        .ignoreExceptionsInstanceOf(PulsarAdminException.ServerSideErrorException.class)
        .untilAsserted(() -> deleteForGood(broker, namespace));
  }

  private static void deleteForGood(Broker broker, String namespace) throws PulsarAdminException {
    if (broker.admin().namespaces().getNamespaces("public").contains(namespace)) {
      broker.admin().namespaces().deleteNamespace(namespace);
    }
    assertThat(broker.admin().namespaces().getNamespaces("public")).doesNotContain(namespace);
  }

  @Test
  void shouldDropThePositionOfAConsumerThatIsAwayAfterItsTimeToLive(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.atOnce(topic, "all", "beside").subscribe()) {
      shortLived(broker, topic, "away").subscribe().close();
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);

      publish(broker, topic, 10, 12);
      try (Consumer<String> returned = shortLived(broker, topic, "away").subscribe()) {
        publish(broker, topic, 12, 14);
        assertThat(receiveAndAck(returned, 2)).isEqualTo(values(12, 14));
      }
    }
  }

  @Test
  void shouldNotDropThePositionOfAConsumerThatIsConnected(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> connected = shortLived(broker, topic, "connected").subscribe()) {
      shortLived(broker, topic, "away").subscribe().close();
      publish(broker, topic, 0, 10);
      acknowledge(connected, receive(connected, 10), 0, 1, 2);
      // The position of the one that came later is gone, so more than the time to live has passed.
      awaitBacklog(broker, topic, "all", 7);

      connected.redeliverUnacknowledgedMessages();
      assertThat(receiveAndAck(connected, 7)).isEqualTo(values(3, 10));
    }
  }

  @Test
  void shouldDropAPositionAfterItsTimeToLiveAlsoWhenTheTopicWasReloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.atOnce(topic, "all", "beside").subscribe()) {
      shortLived(broker, topic, "away").subscribe().close();
      broker.admin().topics().unload(topic);
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private static ConsumerBuilder<String> shortLived(Broker broker, String topic, String name) {
    return broker.atOnce(topic, "all", name).property("pulsar.broadcast.cursor.ttl.seconds", "1");
  }
}
