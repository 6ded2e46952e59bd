/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I7: each consumer is sent what it has permits for, and goes on when it has more. */
@ExtendWith(BrokerExtension.class)
class FlowPermitsIT {

  @Test
  void shouldServeSmallReceiverQueuesBesideBigOnes(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> zero =
            broker.broadcast(topic, "all", "zero").receiverQueueSize(0).subscribe();
        Consumer<String> one =
            broker.broadcast(topic, "all", "one").receiverQueueSize(1).subscribe();
        Consumer<String> many =
            broker.broadcast(topic, "all", "many").receiverQueueSize(1000).subscribe()) {
      publish(broker, topic, 0, 200);

      assertThat(receiveAndAck(many, 200)).isEqualTo(values(0, 200));
      assertThat(receiveAndAck(one, 200)).isEqualTo(values(0, 200));
      assertThat(receiveOneByOne(zero, 200)).isEqualTo(values(0, 200));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldSendNoMoreThanThePermits(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> few =
            broker.broadcast(topic, "all", "few").receiverQueueSize(10).subscribe();
        Consumer<String> many = broker.broadcast(topic, "all", "many").subscribe()) {
      publish(broker, topic, 0, 100);
      assertThat(receiveAndAck(many, 100)).isEqualTo(values(0, 100));

      await()
          .untilAsserted(
              () -> assertThat(statsOf(broker, topic, "few").getUnackedMessages()).isEqualTo(10));
      assertThat(statsOf(broker, topic, "few").getMsgOutCounter()).isEqualTo(10);
      assertThat(statsOf(broker, topic, "few").getAvailablePermits()).isZero();
      assertThat(statsOf(broker, topic, "many").getMsgOutCounter()).isEqualTo(100);
      assertThat(receiveAndAck(few, 100)).isEqualTo(values(0, 100));
    }
  }

  @Test
  void shouldHoldAPausedConsumerAndGoOnWhenItResumes(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> paused =
            broker.broadcast(topic, "all", "paused").receiverQueueSize(10).subscribe();
        Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      paused.pause();
      publish(broker, topic, 0, 100);
      assertThat(receiveAndAck(beside, 100)).isEqualTo(values(0, 100));
      assertThat(receiveAndAck(paused, 10)).isEqualTo(values(0, 10));
      assertNothingMore(paused);

      paused.resume();
      assertThat(receiveAndAck(paused, 90)).isEqualTo(values(10, 100));
    }
  }

  @Test
  void shouldServeAConsumerThatStartsPaused(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> paused =
        broker.broadcast(topic, "all", "paused").startPaused(true).subscribe()) {
      publish(broker, topic, 0, 10);
      assertNothingMore(paused);
      paused.resume();
      assertThat(receiveAndAck(paused, 10)).isEqualTo(values(0, 10));
    }
  }

  private static ConsumerStats statsOf(Broker broker, String topic, String name) throws Exception {
    return stats(broker, topic, "all").getConsumers().stream()
        .filter(consumer -> consumer.getConsumerName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Without a receiver queue the client offers no receive with a timeout. */
  private static List<String> receiveOneByOne(Consumer<String> consumer, int count)
      throws Exception {
    List<String> received = new ArrayList<>();
    while (received.size() < count) {
      Message<String> message = consumer.receiveAsync().get(1, TimeUnit.MINUTES);
      received.add(message.getValue());
      consumer.acknowledge(message);
    }
    return received;
  }
}
