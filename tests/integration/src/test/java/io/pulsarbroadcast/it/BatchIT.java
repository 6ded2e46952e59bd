/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.publishBatches;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Messages.valuesOf;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * I1, I2 and I4 with batches: one entry that is many messages, sent and acknowledged as a whole.
 */
@ExtendWith(BrokerExtension.class)
class BatchIT {

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1000})
  void shouldDeliverInOrderWithAnyNumberOfPermits(int receiverQueueSize, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
            broker.broadcast(topic, "all", "a").receiverQueueSize(receiverQueueSize).subscribe();
        Consumer<String> beside =
            broker
                .broadcast(topic, "all", "b")
                .subscriptionType(SubscriptionType.Shared)
                .subscribe()) {
      publishBatches(broker, topic, 0, 200, 50);

      List<Message<String>> received = receive(consumer, 200);
      assertThat(valuesOf(received)).isEqualTo(values(0, 200));
      assertThat(((MessageIdAdv) received.get(0).getMessageId()).getBatchSize()).isEqualTo(50);
      assertNothingMore(consumer);
      assertThat(receiveValues(beside, 200)).isEqualTo(values(0, 200));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRedeliverABatchOfWhichSomeAreAcknowledged(boolean indexAcks, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    ConsumerBuilder<String> builder =
        broker.broadcast(topic, "all", "car").enableBatchIndexAcknowledgment(indexAcks);
    try (Consumer<String> consumer = builder.subscribe()) {
      publishBatches(broker, topic, 0, 20, 10);
      for (Message<String> message : receive(consumer, 20).subList(0, 15)) {
        consumer.acknowledge(message);
      }
      awaitBacklog(broker, topic, "all", 1);
    }
    try (Consumer<String> returned = builder.subscribe()) {
      assertThat(receiveValues(returned, 10)).isEqualTo(values(10, 20));
      assertNothingMore(returned);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldStayBeforeABatchThatIsAcknowledgedCumulativelyInPart(boolean indexAcks, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    ConsumerBuilder<String> builder =
        broker.broadcast(topic, "all", "car").enableBatchIndexAcknowledgment(indexAcks);
    try (Consumer<String> consumer = builder.subscribe()) {
      publishBatches(broker, topic, 0, 20, 10);
      consumer.acknowledgeCumulative(receive(consumer, 20).get(14));
    }
    try (Consumer<String> returned = builder.subscribe()) {
      assertThat(receiveValues(returned, 10)).isEqualTo(values(10, 20));
      assertNothingMore(returned);
    }
  }

  /** Clients name the entry before such a batch, which is none where it is its ledger's first. */
  @Test
  void shouldBeDoneWithWhatIsBeforeALedgerWhoseFirstBatchIsAcknowledgedInPart(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    ConsumerBuilder<String> builder = broker.broadcast(topic, "all", "car");
    try (Consumer<String> consumer = builder.subscribe()) {
      publish(broker, topic, 0, 20);
      receive(consumer, 20);
      broker.admin().topics().unload(topic);
      publishBatches(broker, topic, 20, 30, 10);
      consumer.acknowledgeCumulative(receive(consumer, 30).get(24));
    }
    try (Consumer<String> returned = builder.subscribe()) {
      assertThat(receiveValues(returned, 10)).isEqualTo(values(20, 30));
      assertNothingMore(returned);
      awaitBacklog(broker, topic, "all", 1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldBeDoneWithABatchWhenEachMessageIsAcknowledged(boolean indexAcks, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
        broker
            .broadcast(topic, "all", "car")
            .enableBatchIndexAcknowledgment(indexAcks)
            .subscribe()) {
      publishBatches(broker, topic, 0, 20, 10);
      List<Message<String>> received = receive(consumer, 20);
      awaitBacklog(broker, topic, "all", 2);
      for (int i = 19; i >= 0; i--) {
        consumer.acknowledge(received.get(i));
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldRedeliverAWholeBatchAfterANegativeAck(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
        broker
            .broadcast(topic, "all", "car")
            .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
            .subscribe()) {
      publishBatches(broker, topic, 0, 30, 10);
      List<Message<String>> received = receive(consumer, 30);
      consumer.acknowledgeCumulative(received.get(9));
      consumer.negativeAcknowledge(received.get(25));

      assertThat(receiveAndAck(consumer, 20)).isEqualTo(values(10, 30));
      assertNothingMore(consumer);
      awaitBacklog(broker, topic, "all", 0);
    }
  }
}
