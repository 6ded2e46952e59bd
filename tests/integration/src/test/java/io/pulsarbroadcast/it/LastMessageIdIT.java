/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.publishBatches;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.impl.ConsumerImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1: a consumer that reads until there is no more message available has read them all. */
@ExtendWith(BrokerExtension.class)
class LastMessageIdIT {

  @Test
  void shouldBeTheTopicsLastMessageForEveryConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> ahead = broker.broadcast(topic, "all", "ahead").subscribe();
        Consumer<String> behind = broker.broadcast(topic, "all", "behind").subscribe()) {
      MessageId last = publish(broker, topic, 0, 10).get(9);
      receiveAndAck(ahead, 10);

      assertThat(lastMessageId(ahead)).isEqualByComparingTo(last);
      assertThat(lastMessageId(behind)).isEqualByComparingTo(last);
    }
  }

  @Test
  void shouldBeTheLastOfABatch(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "a").subscribe()) {
      publishBatches(broker, topic, 0, 10, 5);
      MessageId last = receive(consumer, 10).get(9).getMessageId();

      assertThat(lastMessageId(consumer)).isEqualByComparingTo(last);
    }
  }

  @Test
  void shouldFollowWhatEachConsumerHasReceived(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> ahead = broker.broadcast(topic, "all", "ahead").subscribe();
        Consumer<String> behind = broker.broadcast(topic, "all", "behind").subscribe()) {
      publish(broker, topic, 0, 10);
      receive(ahead, 10);
      receive(behind, 9);

      assertThat(hasMessageAvailable(ahead)).isFalse();
      assertThat(hasMessageAvailable(behind)).isTrue();
      receive(behind, 1);
      assertThat(hasMessageAvailable(behind)).isFalse();
    }
  }

  @Test
  void shouldFollowThePositionOfEachConsumerAfterASeekByTime(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> ahead = broker.broadcast(topic, "all", "ahead").subscribe();
        Consumer<String> behind = broker.broadcast(topic, "all", "behind").subscribe()) {
      publish(broker, topic, 0, 10);
      ahead.seek(System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1));
      behind.seek(System.currentTimeMillis() - TimeUnit.HOURS.toMillis(1));

      assertThat(hasMessageAvailable(ahead)).isFalse();
      assertThat(hasMessageAvailable(behind)).isTrue();
      assertThat(receiveValues(behind, 10)).isEqualTo(values(0, 10));
    }
  }

  /** Else it would read nothing, though the durable consumer has only acknowledged for itself. */
  @Test
  void shouldFollowThePositionOfANonDurableConsumerBeforeThatOfTheSubscription(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> durable = broker.broadcast(topic, "all", "durable").subscribe();
        Consumer<String> reading =
            broker
                .broadcast(topic, "all", "reading")
                .subscriptionMode(SubscriptionMode.NonDurable)
                // Nothing is fetched before it is asked for.
                .receiverQueueSize(0)
                .subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(durable, 10);
      awaitBacklog(broker, topic, "all", 0);
      reading.seek(System.currentTimeMillis() - TimeUnit.HOURS.toMillis(1));

      assertThat(hasMessageAvailable(reading)).isTrue();
      assertThat(reading.receiveAsync().get(1, TimeUnit.MINUTES).getValue()).isEqualTo("message-0");
    }
  }

  private static MessageId lastMessageId(Consumer<?> consumer) throws PulsarClientException {
    return consumer.getLastMessageIds().get(0);
  }

  private static boolean hasMessageAvailable(Consumer<?> consumer) throws PulsarClientException {
    return ((ConsumerImpl<?>) consumer).hasMessageAvailable();
  }
}
