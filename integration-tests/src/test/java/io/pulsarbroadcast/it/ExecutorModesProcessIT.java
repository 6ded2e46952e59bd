/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** I1, I2 and I7 hold whichever threads do the work. */
@Tag("complete")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ExecutorModesProcessIT {

  private static final int CONNECTIONS = 3;
  private static final int CONSUMERS_PER_CONNECTION = 5;
  private static final int MESSAGES = 300;

  @ParameterizedTest
  @CsvSource({"subscription, random", "topic, topic"})
  void shouldGiveEveryConsumerEverythingInOrder(String dispatch, String acks) throws Exception {
    try (Broker broker =
        Broker.start(
            BrokerExtension.newBroker()
                .setting("broadcastDispatchExecutor", dispatch)
                .setting("broadcastAckExecutor", acks))) {
      shouldGiveEveryConsumerEverythingInOrder(broker);
      shouldRedeliverToOneConsumer(broker);
    }
  }

  private static void shouldGiveEveryConsumerEverythingInOrder(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    List<PulsarClient> clients = new ArrayList<>();
    List<Consumer<String>> consumers = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      clients.add(broker.newClient());
      for (int j = 0; j < CONSUMERS_PER_CONNECTION; j++) {
        consumers.add(
            Broker.broadcast(clients.get(i), topic, "all", "car-" + consumers.size())
                .receiverQueueSize(1 + 50 * j)
                .subscribe());
      }
    }
    publish(broker, topic, 0, MESSAGES);
    for (Consumer<String> consumer : consumers) {
      assertThat(receiveAndAck(consumer, MESSAGES)).as("I1, I2").isEqualTo(values(0, MESSAGES));
      assertNothingMore(consumer);
    }
    awaitBacklog(broker, topic, "all", 0);
    for (PulsarClient client : clients) {
      client.close();
    }
  }

  private static void shouldRedeliverToOneConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> ordered = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> unordered =
            broker
                .broadcast(topic, "all", "b")
                .subscriptionType(SubscriptionType.Shared)
                .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
                .subscribe()) {
      publish(broker, topic, 0, 10);
      for (Message<String> message : receive(unordered, 10)) {
        if (message.getValue().equals("message-4")) {
          unordered.negativeAcknowledge(message);
        } else {
          unordered.acknowledge(message);
        }
      }
      assertThat(receiveAndAck(unordered, 1)).containsExactly("message-4");
      receive(ordered, 10);
      ordered.redeliverUnacknowledgedMessages();
      assertThat(receiveAndAck(ordered, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }
}
