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
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** I9: wrong use gets one clear error and harms nobody. */
@ExtendWith(BrokerExtension.class)
class RefusalIT {

  private static final String TYPE = "pulsar.subscription.type";
  private static final String TTL = "pulsar.broadcast.cursor.ttl.seconds";

  @Test
  void shouldRefuseAnUnknownTypeAndMakeNoTopicForIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertThatThrownBy(() -> broker.plain(topic, "all").property(TYPE, "Multicast").subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class)
        .hasMessageContaining("Multicast")
        .hasMessageContaining(TYPE)
        .hasMessageContaining("allowed is Broadcast");
    assertThat(broker.admin().topics().getList("public/default")).doesNotContain(topic);
  }

  @ParameterizedTest
  @EnumSource(names = {"Failover", "Key_Shared"})
  void shouldRefuseATypeThatCannotBeBroadcast(SubscriptionType type, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      assertThatThrownBy(
              () -> broker.broadcast(topic, "all", "a").subscriptionType(type).subscribe())
          .isInstanceOf(PulsarClientException.NotAllowedException.class)
          .hasMessageContaining(type.toString())
          .hasMessageContaining("Exclusive")
          .hasMessageContaining("Shared (");
      assertStillServed(broker, topic, beside);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "soon", "1.5"})
  void shouldRefuseAnInvalidTimeToLive(String value, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      assertThatThrownBy(() -> broker.broadcast(topic, "all", "a").property(TTL, value).subscribe())
          .isInstanceOf(PulsarClientException.NotAllowedException.class)
          .hasMessageContaining("'" + value + "'")
          .hasMessageContaining(TTL)
          .hasMessageContaining("whole number of seconds");
      assertStillServed(broker, topic, beside);
    }
  }

  @Test
  void shouldRefuseReadCompacted(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      assertThatThrownBy(() -> broker.broadcast(topic, "all", "a").readCompacted(true).subscribe())
          .isInstanceOf(PulsarClientException.NotAllowedException.class)
          .hasMessageContaining("readCompacted");
      assertStillServed(broker, topic, beside);
    }
  }

  /** It is a reader with readCompacted. */
  @Test
  void shouldRefuseATableViewOfADeclaredSubscription(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createNonPartitionedTopic(topic);
    Subscriptions.declare(broker, topic, "all");
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      assertThatThrownBy(
              () ->
                  broker
                      .client()
                      .newTableView(Schema.STRING)
                      .topic(topic)
                      .subscriptionName("all")
                      .create())
          .isInstanceOf(PulsarClientException.NotAllowedException.class)
          .hasMessageContaining("readCompacted is not supported on a Broadcast subscription");
      assertStillServed(broker, topic, beside);
    }
  }

  @Test
  void shouldRefuseANonPersistentTopic(Broker broker) {
    String topic = "non-" + Broker.newTopic();
    assertThatThrownBy(() -> broker.broadcast(topic, "all", "a").subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class)
        .hasMessageContaining("needs a persistent topic")
        .hasMessageContaining(topic);
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseAPlainConsumerWhileBroadcastOnesAreConnected(
      SubscriptionType type, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      assertThatThrownBy(() -> broker.plain(topic, "all").subscriptionType(type).subscribe())
          .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
          .hasMessageContaining("is a Broadcast subscription in use")
          .hasMessageContaining(TYPE + "=Broadcast");
      assertStillServed(broker, topic, beside);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseABroadcastConsumerWhilePlainOnesAreConnected(
      SubscriptionType type, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> plain = broker.plain(topic, "all").subscriptionType(type).subscribe()) {
      assertThatThrownBy(() -> broker.broadcast(topic, "all", "a").subscribe())
          .isInstanceOf(PulsarClientException.ConsumerBusyException.class)
          .hasMessageContaining(type.toString())
          .hasMessageContaining("in use");
      assertStillServed(broker, topic, plain);
      assertThat(stats(broker, topic, "all").getType()).isEqualTo(type.toString());
    }
  }

  /** One position for all clusters cannot be that of many consumers. */
  @Test
  void shouldRefuseToBeReplicated(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      assertThatThrownBy(
              () -> broker.admin().topics().setReplicatedSubscriptionStatus(topic, "all", true))
          .isInstanceOf(PulsarAdminException.class);
      assertThatThrownBy(
              () -> broker.plain(topic, "all").replicateSubscriptionState(true).subscribe())
          .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
      assertThat(stats(broker, topic, "all").isReplicated()).isFalse();
      assertStillServed(broker, topic, beside);
    }
  }

  private static void assertStillServed(Broker broker, String topic, Consumer<String> consumer)
      throws Exception {
    publish(broker, topic, 0, 5);
    assertThat(receiveAndAck(consumer, 5)).isEqualTo(values(0, 5));
    awaitBacklog(broker, topic, "all", 0);
    assertThat(stats(broker, topic, "all").getConsumers()).hasSize(1);
  }
}
