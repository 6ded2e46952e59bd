/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.PulsarProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.AuthAction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Broadcast through the Pulsar proxy, which authenticates clients and passes their tokens on. */
class ProxyProcessIT {

  private static SecureBroker broker;
  private static PulsarProxy proxy;

  private String topic;

  @BeforeAll
  static void start() throws Exception {
    broker = new SecureBroker();
    proxy = broker.newProxy();
  }

  @AfterAll
  static void stop() throws IOException {
    if (proxy != null) {
      proxy.close();
    }
    if (broker != null) {
      broker.close();
    }
  }

  @BeforeEach
  void makeTopicOfMembers() throws Exception {
    String namespace = broker.newNamespace();
    topic = "persistent://" + namespace + "/" + UUID.randomUUID();
    broker.allow(namespace, "member", AuthAction.consume, AuthAction.produce);
  }

  @Test
  void shouldServeStockConsumersAndTheExtensionsTogether() throws Exception {
    try (PulsarClient client = client(broker.token("member"));
        PulsarClient direct = broker.client("member");
        BroadcastClient extended = BroadcastClient.wrap(client(broker.token("member")));
        Consumer<String> stock = Broker.broadcast(client, topic, "all", "stock").subscribe();
        Consumer<String> beside = Broker.broadcast(direct, topic, "all", "beside").subscribe();
        Consumer<String> extension =
            extended
                .newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("all")
                .subscriptionType(SubscriptionType.Broadcast)
                .consumerName("extension")
                .subscribe()) {
      publish(client, topic, 0, 20);
      for (Consumer<String> consumer : List.of(stock, beside, extension)) {
        assertThat(receiveAndAck(consumer, 20)).isEqualTo(values(0, 20));
      }
      assertThat(
              broker.admin().topics().getStats(topic).getSubscriptions().get("all").getConsumers())
          .hasSize(3);
    }
  }

  @Test
  void shouldAnswerForPositionsThroughTheProxy() throws Exception {
    try (PulsarClient client = client(broker.token("member"))) {
      Broker.broadcast(client, topic, "all", "parked").subscribe().close();
    }
    PositionsRequests members = positions(broker.token("member"));
    assertThat(members.list().names()).containsExactly("parked");
    assertThat(positions(broker.token("stranger")).drop(Map.of("all", true)).status())
        .isEqualTo(401);
    assertThat(members.drop(Map.of("all", true)).number("positions")).isEqualTo(1);
  }

  private PositionsRequests positions(String token) {
    return new PositionsRequests(proxy.adminUrl(), topic, "all", token);
  }

  @Test
  void shouldKeepThePositionOfAConsumerBehindTheProxy() throws Exception {
    try (PulsarClient client = client(broker.token("member"));
        Consumer<String> other = Broker.broadcast(client, topic, "all", "other").subscribe()) {
      try (Consumer<String> car = Broker.broadcast(client, topic, "all", "car").subscribe()) {
        publish(client, topic, 0, 10);
        List<Message<String>> received = Messages.receive(car, 10);
        car.acknowledgeCumulative(received.get(3));
      }
      broker.admin().topics().unload(topic);
      try (Consumer<String> car = Broker.broadcast(client, topic, "all", "car").subscribe()) {
        assertThat(receiveAndAck(car, 6)).isEqualTo(values(4, 10));
      }
      assertThat(Messages.valuesOf(Messages.receive(other, 10))).isEqualTo(values(0, 10));
    }
  }

  @Test
  void shouldRefuseAsWithoutTheProxy() throws Exception {
    try (PulsarClient strangers = client(broker.token("stranger"));
        PulsarClient expired = client(broker.token("member", Duration.ofMinutes(-1)));
        PulsarClient members = client(broker.token("member"));
        Consumer<String> member = Broker.broadcast(members, topic, "all", "a").subscribe()) {
      TopicState before = TopicState.of(broker.admin(), topic, "all");
      for (String subscription : List.of("all", "another")) {
        assertThatThrownBy(Broker.broadcast(strangers, topic, subscription, "b")::subscribe)
            .isInstanceOf(PulsarClientException.AuthorizationException.class);
        assertThatThrownBy(Broker.broadcast(expired, topic, subscription, "b")::subscribe)
            .isInstanceOf(PulsarClientException.AuthenticationException.class);
      }
      assertThat(TopicState.of(broker.admin(), topic, "all")).isEqualTo(before);
      publish(members, topic, 0, 5);
      assertThat(receiveAndAck(member, 5)).isEqualTo(values(0, 5));
    }
  }

  private static PulsarClient client(String token) throws IOException {
    return SecureBroker.clientBuilder(proxy.serviceUrl())
        .authentication(AuthenticationFactory.token(token))
        .build();
  }
}
