/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.Map;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I1 for clients that cannot set a consumer property: the administrator set the subscription's. */
@ExtendWith(BrokerExtension.class)
class DeclaredSubscriptionIT {
  private static final Map<String, String> BROADCAST =
      Map.of("pulsar.subscription.type", "Broadcast");

  @ParameterizedTest
  @EnumSource(names = {"Exclusive", "Shared"})
  void shouldMakePlainSubscribesBroadcast(SubscriptionType type, Broker broker) throws Exception {
    String topic = newTopicWithDeclaredSubscription(broker);
    try (Consumer<String> a = plain(broker, topic, "a", type).subscribe();
        Consumer<String> b = plain(broker, topic, "b", type).subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** As DotPulsar sends it, whose consumers have no properties. */
  @Test
  void shouldBeDeclaredByTheSubscribeThatMakesIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = declaring(broker, topic, "a").subscribe();
        Consumer<String> b = declaring(broker, topic, "b").subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(0, 10));
    }
  }

  @Test
  void shouldTakeSubscribesWithThePropertyBesideThoseWithout(Broker broker) throws Exception {
    String topic = newTopicWithDeclaredSubscription(broker);
    try (Consumer<String> a = plain(broker, topic, "a", SubscriptionType.Exclusive).subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertThat(receiveAndAck(a, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(0, 10));
    }
  }

  @Test
  void shouldStayBroadcastWhenTheTopicIsReloaded(Broker broker) throws Exception {
    String topic = newTopicWithDeclaredSubscription(broker);
    try (Consumer<String> a = plain(broker, topic, "a", SubscriptionType.Exclusive).subscribe()) {
      assertThat(receiveAndAck(a, 4)).isEqualTo(values(0, 4));
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> a = plain(broker, topic, "a", SubscriptionType.Exclusive).subscribe();
        Consumer<String> b = plain(broker, topic, "b", SubscriptionType.Exclusive).subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(a, 8)).isEqualTo(values(4, 12));
      assertThat(receiveAndAck(b, 2)).isEqualTo(values(10, 12));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"Failover", "Key_Shared"})
  void shouldRefuseATypeThatCannotBeBroadcast(SubscriptionType type, Broker broker)
      throws Exception {
    String topic = newTopicWithDeclaredSubscription(broker);
    assertThatThrownBy(() -> plain(broker, topic, "a", type).subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class)
        .hasMessageContaining(type.toString())
        .hasMessageContaining("Exclusive")
        .hasMessageContaining("Shared (");
  }

  /** A topic of ten messages, and a subscription at the first. */
  private static String newTopicWithDeclaredSubscription(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 10);
    Subscriptions.declare(broker, topic, "all");
    return topic;
  }

  private static ConsumerBuilder<String> declaring(Broker broker, String topic, String name) {
    return plain(broker, topic, name, SubscriptionType.Exclusive).subscriptionProperties(BROADCAST);
  }

  private static ConsumerBuilder<String> plain(
      Broker broker, String topic, String name, SubscriptionType type) {
    return broker.plain(topic, "all").subscriptionType(type).consumerName(name);
  }
}
