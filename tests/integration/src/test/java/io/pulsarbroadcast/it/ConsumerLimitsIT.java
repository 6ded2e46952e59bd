/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I9: the policies on who may subscribe hold for Broadcast consumers, and change while in use. */
@ExtendWith(OperatedBroker.class)
class ConsumerLimitsIT {

  private static final int MAX_NAME = 1_024;

  @Test
  void shouldKeepTheLimitOfConsumersOfTheNamespace(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setMaxConsumersPerSubscription(namespace, 2);
    String topic = OperatedBroker.topicIn(namespace);
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertFull(broker, topic);
      broker.admin().namespaces().setMaxConsumersPerSubscription(namespace, 3);
      awaitRoom(broker, topic);
      b.close();
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(a, 3)).isEqualTo(values(0, 3));
    }
  }

  @Test
  void shouldKeepTheLimitOfConsumersOfTheTopic(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      broker.admin().topicPolicies().setMaxConsumersPerSubscription(topic, 2);
      await().untilAsserted(() -> assertFull(broker, topic));
      broker.admin().topicPolicies().removeMaxConsumersPerSubscription(topic);
      awaitRoom(broker, topic);
      assertThat(a.isConnected()).isTrue();
      assertThat(b.isConnected()).isTrue();
    }
  }

  @Test
  void shouldKeepTheLimitWhenManySubscribeAtOnce(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setMaxConsumersPerSubscription(namespace, 5);
    String topic = OperatedBroker.topicIn(namespace);
    List<CompletableFuture<Consumer<String>>> subscribing = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      subscribing.add(broker.broadcast(topic, "all", "car-" + i).subscribeAsync());
    }
    int connected = 0;
    for (CompletableFuture<Consumer<String>> consumer : subscribing) {
      connected += consumer.handle((subscribed, e) -> e == null ? 1 : 0).get();
    }
    assertThat(connected).isEqualTo(5);
    publish(broker, topic, 0, 3);
    for (CompletableFuture<Consumer<String>> consumer : subscribing) {
      if (!consumer.isCompletedExceptionally()) {
        assertThat(receiveAndAck(consumer.get(), 3)).isEqualTo(values(0, 3));
      }
    }
    // Those that were refused have left nothing behind that would hold the backlog.
    awaitBacklog(broker, topic, "all", 0);
    for (CompletableFuture<Consumer<String>> consumer : subscribing) {
      if (!consumer.isCompletedExceptionally()) {
        consumer.get().close();
      }
    }
  }

  /** I1: who comes back before its former connection is known to be dead has a place. */
  @Test
  void shouldNotCountADeadNamesake(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setMaxConsumersPerSubscription(namespace, 1);
    String topic = OperatedBroker.topicIn(namespace);
    broker.broadcast(topic, "all", "a").subscribe().close();
    try (PulsarClient client = broker.newClient()) {
      RawConnection dead = new RawConnection(broker, client);
      dead.subscribe(0, topic, "a").get();
      assertFull(broker, topic);
      dead.fallSilent();
      try (Consumer<String> returned = broker.broadcast(topic, "all", "a").subscribe()) {
        publish(broker, topic, 0, 3);
        assertThat(receiveAndAck(returned, 3)).isEqualTo(values(0, 3));
      }
    }
  }

  @Test
  void shouldMakeNoSubscriptionWhereThatIsSwitchedOff(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.leaveSubscriptionsToOperators(namespace);
    String topic = OperatedBroker.topicIn(namespace);
    broker.admin().topics().createNonPartitionedTopic(topic);
    assertThatThrownBy(() -> broker.broadcast(topic, "all", "a").subscribe())
        .isInstanceOf(PulsarClientException.class)
        .hasMessageContaining("Subscription does not exist");
    assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty();

    broker.admin().topics().createSubscription(topic, "all", MessageId.earliest);
    Subscriptions.declare(broker, topic, "declared");
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "declared", "b").subscribe()) {
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(a, 3)).isEqualTo(values(0, 3));
      assertThat(receiveAndAck(b, 3)).isEqualTo(values(0, 3));
    }
  }

  @Test
  void shouldRefuseANameThatIsTooLong(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> longest =
        broker.broadcast(topic, "all", "\u00e4".repeat(MAX_NAME)).subscribe()) {
      assertThatThrownBy(() -> broker.broadcast(topic, "all", "n".repeat(MAX_NAME + 1)).subscribe())
          .isInstanceOf(PulsarClientException.NotAllowedException.class)
          .hasMessageContaining("1025 characters")
          .hasMessageContaining("allowed on a Broadcast subscription are 1024");
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(longest, 3)).isEqualTo(values(0, 3));
      awaitBacklog(broker, topic, "all", 0);
      assertThat(stats(broker, topic, "all").getConsumers()).hasSize(1);
    }
  }

  private static void assertFull(Broker broker, String topic) {
    assertThatThrownBy(() -> broker.broadcast(topic, "all", "c").subscribe().close())
        .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .hasMessageContaining("reached max consumers limit");
  }

  private static void awaitRoom(Broker broker, String topic) {
    await()
        .ignoreExceptionsInstanceOf(PulsarClientException.ConsumerBusyException.class)
        .untilAsserted(() -> broker.broadcast(topic, "all", "c").subscribe().close());
  }
}
