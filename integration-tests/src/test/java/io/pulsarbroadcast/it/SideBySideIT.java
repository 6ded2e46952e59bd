/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** I9: Broadcast subscriptions and plain ones of every stock type share a topic undisturbed. */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class SideBySideIT {

  @Test
  void shouldServeEverySubscriptionOfOneTopicByItsOwnRules(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> oneA = broker.broadcast(topic, "one", "a").subscribe();
        Consumer<String> oneB = broker.broadcast(topic, "one", "b").subscribe();
        Consumer<String> twoA = broker.broadcast(topic, "two", "a").subscribe();
        Consumer<String> twoB = broker.broadcast(topic, "two", "b").subscribe();
        Consumer<String> exclusive = plain(broker, topic, SubscriptionType.Exclusive);
        Consumer<String> failover = plain(broker, topic, SubscriptionType.Failover);
        Consumer<String> standby = plain(broker, topic, SubscriptionType.Failover);
        Consumer<String> sharedA = plain(broker, topic, SubscriptionType.Shared);
        Consumer<String> sharedB = plain(broker, topic, SubscriptionType.Shared);
        Consumer<String> keyA = plain(broker, topic, SubscriptionType.Key_Shared);
        Consumer<String> keyB = plain(broker, topic, SubscriptionType.Key_Shared)) {
      publish(broker, topic, 0, 20);

      for (Consumer<String> each : List.of(oneA, oneB, twoA, twoB, exclusive)) {
        assertThat(receiveAndAck(each, 20)).isEqualTo(values(0, 20));
      }
      assertThat(receiveAndAckBetween(failover, standby)).isEqualTo(values(0, 20));
      assertThat(receiveAndAckBetween(sharedA, sharedB))
          .containsExactlyInAnyOrderElementsOf(values(0, 20));
      assertThat(receiveAndAckBetween(keyA, keyB))
          .containsExactlyInAnyOrderElementsOf(values(0, 20));

      for (String type : List.of("Exclusive", "Failover", "Shared", "Key_Shared")) {
        assertThat(stats(broker, topic, type).getType()).isEqualTo(type);
        awaitBacklog(broker, topic, type, 0);
      }
      for (String broadcast : List.of("one", "two")) {
        assertThat(stats(broker, topic, broadcast).getType()).isEqualTo("Broadcast");
        awaitBacklog(broker, topic, broadcast, 0);
      }
    }
  }

  @Test
  void shouldKeepThePositionsOfOneNameInTwoSubscriptionsApart(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> one = broker.broadcast(topic, "one", "a").subscribe();
        Consumer<String> two = broker.broadcast(topic, "two", "a").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(one, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(two, 4)).isEqualTo(values(0, 4));
      awaitBacklog(broker, topic, "one", 0);
      awaitBacklog(broker, topic, "two", 6);
    }
  }

  private static Consumer<String> plain(Broker broker, String topic, SubscriptionType type)
      throws PulsarClientException {
    return broker
        .client()
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName(type.toString())
        .subscriptionType(type)
        .subscribe();
  }

  /** Everything that the two consumers of one subscription receive together. */
  private static List<String> receiveAndAckBetween(Consumer<String> a, Consumer<String> b)
      throws PulsarClientException {
    List<String> received = new ArrayList<>();
    boolean more = true;
    while (more) {
      more = false;
      for (Consumer<String> each : List.of(a, b)) {
        Message<String> message = each.receive(1, TimeUnit.SECONDS);
        if (message != null) {
          received.add(message.getValue());
          each.acknowledge(message);
          more = true;
        }
      }
    }
    return received;
  }
}
