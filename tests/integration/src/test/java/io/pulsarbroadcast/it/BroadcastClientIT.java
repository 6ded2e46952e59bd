/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConsumers;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.BroadcastConsumerBuilder;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I6 through the client extension: it asks the broker for what its builder says. */
@ExtendWith(BrokerExtension.class)
class BroadcastClientIT {

  @Test
  void shouldContinueUnderItsName(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient());
        Consumer<String> beside = broadcast(client, topic).subscribe()) {
      try (Consumer<String> car = broadcast(client, topic).consumerName("car-4711").subscribe()) {
        publish(broker, topic, 0, 10);
        assertThat(receiveAndAck(car, 4)).isEqualTo(values(0, 4));
      }
      try (Consumer<String> car = broadcast(client, topic).consumerName("car-4711").subscribe()) {
        assertThat(receiveAndAck(car, 6)).isEqualTo(values(4, 10));
      }
      assertThat(receiveValues(beside, 10)).isEqualTo(values(0, 10));
    }
  }

  @Test
  void shouldTakePartUnderAGeneratedName(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient());
        Consumer<String> a = broadcast(client, topic).subscribe();
        Consumer<String> b = broadcast(client, topic).subscribe();
        Consumer<String> stock = broker.broadcast(topic, "all", "stock").subscribe()) {
      assertThat(stats(broker, topic, "all").getConsumers())
          .extracting(consumer -> consumer.getConsumerName())
          .containsExactlyInAnyOrder(a.getConsumerName(), b.getConsumerName(), "stock")
          .doesNotHaveDuplicates();
      publish(broker, topic, 0, 10);
      for (Consumer<String> each : List.of(a, b, stock)) {
        assertThat(receiveAndAck(each, 10)).isEqualTo(values(0, 10));
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldDropThePositionAfterItsTimeToLive(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient());
        Consumer<String> beside = broadcast(client, topic).subscribe()) {
      broadcast(client, topic).cursorTimeToLive(Duration.ofSeconds(1)).subscribe().close();
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldRedeliverUnorderedAfterANegativeAck(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient());
        Consumer<String> a =
            broadcast(client, topic)
                .unordered()
                .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
                .subscribe();
        Consumer<String> b = broadcast(client, topic).unordered().subscribe()) {
      publish(broker, topic, 0, 1);
      a.negativeAcknowledge(receive(a, 1).get(0));
      assertThat(receiveAndAck(a, 1)).isEqualTo(values(0, 1));
      assertThat(receiveAndAck(b, 1)).isEqualTo(values(0, 1));
    }
  }

  @Test
  void shouldRetryForTheConsumerAloneThatAskedForIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient());
        Consumer<String> a = retrying(client, topic, "a").subscribe();
        Consumer<String> b = retrying(client, topic, "b").subscribe()) {
      publish(broker, topic, 0, 1);
      assertThat(receiveAndAck(b, 1)).isEqualTo(values(0, 1));
      a.reconsumeLater(receive(a, 1).get(0), 100, TimeUnit.MILLISECONDS);
      Message<String> again = receive(a, 1).get(0);
      assertThat(again.getTopicName()).isEqualTo(topic + "-all-a-RETRY");
      a.acknowledge(again);
      assertNothingMore(b);
    }
  }

  private static BroadcastConsumerBuilder<String> retrying(
      BroadcastClient client, String topic, String name) {
    return broadcast(client, topic).consumerName(name).unordered().enableRetry(true);
  }

  @Test
  void shouldLeaveStockTypesToPulsar(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient());
        Consumer<String> shared =
            broadcast(client, topic).subscriptionType(SubscriptionType.Shared).subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Shared");
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(shared, 5)).isEqualTo(values(0, 5));
    }
  }

  @Test
  void shouldDisconnectItsConsumersAndThePulsarClientWhenClosed(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    PulsarClient wrapped = broker.newClient();
    try (Consumer<String> other = broker.broadcast(topic, "all", "other").subscribe()) {
      try (BroadcastClient client = BroadcastClient.wrap(wrapped)) {
        broadcast(client, topic).subscribe();
        awaitConsumers(broker, topic, "all", 2);
      }
      awaitConsumers(broker, topic, "all", 1);
      assertThat(wrapped.isClosed()).isTrue();
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(other, 5)).isEqualTo(values(0, 5));
    }
  }

  private static BroadcastConsumerBuilder<String> broadcast(BroadcastClient client, String topic) {
    return client
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName("all")
        .subscriptionType(SubscriptionType.Broadcast);
  }
}
