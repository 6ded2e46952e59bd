/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 for the unordered contract: the wire type Shared with the property. */
@ExtendWith(BrokerExtension.class)
class SharedWireIT {

  @Test
  void shouldGiveEveryConsumerEverything(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = shared(broker, topic, "a").subscribe();
        Consumer<String> b = shared(broker, topic, "b").subscribe();
        Consumer<String> ordered = broker.broadcast(topic, "all", "ordered").subscribe()) {
      publish(broker, topic, 0, 10);
      for (Consumer<String> each : List.of(a, b, ordered)) {
        assertThat(receiveAndAck(each, 10)).isEqualTo(values(0, 10));
        assertNothingMore(each);
      }
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldRedeliverToTheOneConsumerAfterANegativeAck(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a =
            shared(broker, topic, "a")
                .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
                .subscribe();
        Consumer<String> b = shared(broker, topic, "b").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(0, 10));
      for (Message<String> message : receive(a, 10)) {
        if (message.getValue().equals("message-3")) {
          a.negativeAcknowledge(message);
        } else {
          a.acknowledge(message);
        }
      }
      assertThat(receiveAndAck(a, 1)).containsExactly("message-3");
      assertNothingMore(a);
      assertNothingMore(b);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldRedeliverAfterTheAckTimeout(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a =
        shared(broker, topic, "a")
            .ackTimeout(5, TimeUnit.SECONDS)
            .ackTimeoutTickTime(100, TimeUnit.MILLISECONDS)
            .subscribe()) {
      publish(broker, topic, 0, 3);
      assertThat(receiveValues(a, 3)).isEqualTo(values(0, 3));
      assertThat(receiveAndAck(a, 3)).containsExactlyInAnyOrderElementsOf(values(0, 3));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private static ConsumerBuilder<String> shared(Broker broker, String topic, String name) {
    return broker.atOnce(topic, "all", name).subscriptionType(SubscriptionType.Shared);
  }
}
