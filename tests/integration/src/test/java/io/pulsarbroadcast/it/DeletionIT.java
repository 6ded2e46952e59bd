/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitConsumers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.Topics;
import org.apache.pulsar.client.api.Consumer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I9: deleting a Broadcast subscription, or its topic, does what it does to a plain one, and leaves
 * no position behind.
 */
@Order(1)
@ExtendWith(OperatedBroker.class)
class DeletionIT {

  private static final Duration EXPIRED = Duration.ofMinutes(3);

  @Test
  void shouldRefuseToDeleteASubscriptionInUse(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "a").subscribe()) {
      assertThatThrownBy(() -> broker.admin().topics().deleteSubscription(topic, "all"))
          .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(consumer, 3)).isEqualTo(values(0, 3));
    }
  }

  @Test
  void shouldForgetEverybodyWhenASubscriptionInUseIsDeletedByForce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertForgotten(broker, topic, topics -> topics.deleteSubscriptionAsync(topic, "all", true));
  }

  @Test
  void shouldForgetEverybodyWhenATopicInUseIsDeletedByForce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertForgotten(broker, topic, topics -> topics.deleteAsync(topic, true));
  }

  private static void assertForgotten(
      Broker broker, String topic, Function<Topics, CompletableFuture<Void>> deletion)
      throws Exception {
    broker.broadcast(topic, "all", "away").subscribe().close();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 3);
      deletion.apply(broker.admin().topics()).get();
      // A stock client subscribes again, which makes the subscription anew.
      awaitReconnected(broker, topic);
      publish(broker, topic, 3, 6);
      assertNewAt(broker, topic, 6);
    }
  }

  @Test
  @Tag("complete")
  void shouldDeleteASubscriptionThatNobodyUsesForLong(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    broker.admin().namespaces().setSubscriptionExpirationTime(namespace, 1);
    String topic = OperatedBroker.topicIn(namespace);
    try (Consumer<String> here = broker.broadcast(topic, "used", "here").subscribe()) {
      broker.broadcast(topic, "unused", "away").subscribe().close();
      await()
          .atMost(EXPIRED)
          .pollInterval(Duration.ofSeconds(1))
          .untilAsserted(
              () ->
                  assertThat(broker.admin().topics().getSubscriptions(topic))
                      .containsExactly("used"));
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(here, 3)).isEqualTo(values(0, 3));
    }
    publish(broker, topic, 3, 5);
    try (Consumer<String> made = broker.broadcast(topic, "unused", "away").subscribe()) {
      publish(broker, topic, 5, 6);
      assertThat(receiveAndAck(made, 1)).isEqualTo(values(5, 6));
    }
  }

  private static void awaitReconnected(Broker broker, String topic) {
    await().ignoreExceptions().untilAsserted(() -> awaitConsumers(broker, topic, "all", 1));
  }

  /** The name that was known has no position any more: it gets what is published from now on. */
  private static void assertNewAt(Broker broker, String topic, int published) throws Exception {
    try (Consumer<String> away = broker.broadcast(topic, "all", "away").subscribe()) {
      publish(broker, topic, published, published + 2);
      assertThat(receiveAndAck(away, 2)).isEqualTo(values(published, published + 2));
      assertNothingMore(away);
    }
  }
}
