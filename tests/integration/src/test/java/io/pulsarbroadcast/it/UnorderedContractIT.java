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
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The unordered contract: single messages come again with a count, so what the stock client builds
 * on that (dead-letter and retry topics, delayed delivery, limits of unacknowledged messages) works
 * for each consumer by itself.
 */
@ExtendWith(BrokerExtension.class)
class UnorderedContractIT {

  @Test
  void shouldCountHowOftenAMessageWasAskedForAgain(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = shared(broker, topic, "a").subscribe();
        Consumer<String> b = shared(broker, topic, "b").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(b, 10)).isEqualTo(values(0, 10));
      Message<String> refused = null;
      for (Message<String> message : receive(a, 10)) {
        if (message.getValue().equals("message-3")) {
          refused = message;
        } else {
          a.acknowledge(message);
        }
      }
      for (int count = 1; count <= 3; count++) {
        a.negativeAcknowledge(refused);
        refused = receive(a, 1).get(0);
        assertThat(refused.getValue()).isEqualTo("message-3");
        assertThat(refused.getRedeliveryCount()).isEqualTo(count);
      }
      assertNothingMore(a);
      assertNothingMore(b);
      a.acknowledge(refused);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldRedeliverSinglyWhileNewMessagesCome(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = shared(broker, topic, "a").subscribe()) {
      publish(broker, topic, 0, 200);
      List<String> firsts = new ArrayList<>();
      List<String> seconds = new ArrayList<>();
      for (int received = 0; received < 220; received++) {
        Message<String> message = receive(a, 1).get(0);
        if (message.getRedeliveryCount() > 0) {
          seconds.add(message.getValue());
          a.acknowledge(message);
        } else {
          firsts.add(message.getValue());
          if (firsts.size() % 10 == 5) {
            a.negativeAcknowledge(message);
          } else {
            a.acknowledge(message);
          }
        }
      }
      assertThat(firsts).as("I1, I2").isEqualTo(values(0, 200));
      assertThat(seconds).hasSize(20).allMatch(value -> value.endsWith("4"));
      assertNothingMore(a);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldRedeliverEverythingUnacknowledgedWhenAsked(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = shared(broker, topic, "a").subscribe()) {
      publish(broker, topic, 0, 10);
      List<Message<String>> received = receive(a, 10);
      a.acknowledge(received.get(4));
      a.redeliverUnacknowledgedMessages();
      List<Message<String>> again = receive(a, 9);
      assertThat(again).extracting(Message::getValue).doesNotContain("message-4");
      assertThat(again).allMatch(message -> message.getRedeliveryCount() == 1);
      assertNothingMore(a);
    }
  }

  @Test
  void shouldMoveWhatOneConsumerCannotHandleToTheDeadLetterTopic(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    DeadLetterPolicy policy =
        DeadLetterPolicy.builder()
            .maxRedeliverCount(2)
            .deadLetterTopic(topic + "-dead")
            .initialSubscriptionName("morgue")
            .build();
    try (Consumer<String> dead =
            broker
                .client()
                .newConsumer(Schema.STRING)
                .topic(topic + "-dead")
                .subscriptionName("morgue")
                .subscribe();
        Consumer<String> a = shared(broker, topic, "a").deadLetterPolicy(policy).subscribe();
        Consumer<String> b = shared(broker, topic, "b").deadLetterPolicy(policy).subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveAndAck(b, 5)).isEqualTo(values(0, 5));
      int poisoned = 0;
      for (int received = 0; received < 4 + 3; received++) {
        Message<String> message = receive(a, 1).get(0);
        if (message.getValue().equals("message-2")) {
          poisoned++;
          a.negativeAcknowledge(message);
        } else {
          a.acknowledge(message);
        }
      }
      assertThat(poisoned).as("first delivery and two more").isEqualTo(3);
      assertThat(receiveAndAck(dead, 1)).containsExactly("message-2");
      assertNothingMore(dead);
      assertNothingMore(a);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldRetryThroughTheConsumersOwnRetryTopic(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = retrying(broker, topic, "a").subscribe();
        Consumer<String> b = retrying(broker, topic, "b").subscribe()) {
      publish(broker, topic, 0, 3);
      assertThat(receiveAndAck(b, 3)).isEqualTo(values(0, 3));
      List<Message<String>> received = receive(a, 3);
      // The client counts from its call, and dates the message later.
      long asked = System.currentTimeMillis();
      for (Message<String> message : received) {
        if (message.getValue().equals("message-1")) {
          a.reconsumeLater(message, 500, TimeUnit.MILLISECONDS);
        } else {
          a.acknowledge(message);
        }
      }
      Message<String> retried = receive(a, 1).get(0);
      assertThat(retried.getValue()).isEqualTo("message-1");
      assertThat(retried.getProperties()).containsEntry("RECONSUMETIMES", "1");
      assertThat(System.currentTimeMillis() - asked)
          .as("delayed delivery")
          .isGreaterThanOrEqualTo(500);
      a.acknowledge(retried);
      assertNothingMore(a);
      assertNothingMore(b);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldDeliverDelayedMessagesAtTheirTimeAndOthersBefore(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> unordered = shared(broker, topic, "a").subscribe();
        Consumer<String> ordered = broker.broadcast(topic, "all", "b").subscribe();
        Producer<String> producer = unbatched(broker, topic)) {
      long asked = System.currentTimeMillis();
      producer.newMessage().value("later").deliverAfter(5, TimeUnit.SECONDS).send();
      producer.newMessage().value("now").send();
      assertThat(receiveAndAck(ordered, 2))
          .as("as Exclusive: at once")
          .containsExactly("later", "now");
      List<Message<String>> received = receive(unordered, 2);
      assertThat(received).extracting(Message::getValue).containsExactly("now", "later");
      assertThat(received.get(1).getRedeliveryCount()).isZero();
      assertThat(System.currentTimeMillis() - asked).isGreaterThanOrEqualTo(5_000);
      for (Message<String> message : received) {
        unordered.acknowledge(message);
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldSendNoMoreThanTheLimitOfUnacknowledgedMessages(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> blocked = shared(broker, topic, "a").subscribe();
        Consumer<String> beside = shared(broker, topic, "b").subscribe()) {
      broker.admin().topicPolicies().setMaxUnackedMessagesOnConsumer(topic, 10);
      await()
          .until(
              () ->
                  broker.admin().topicPolicies().getMaxUnackedMessagesOnConsumer(topic, true)
                      == 10);
      publish(broker, topic, 0, 50);
      List<Message<String>> first = receive(blocked, 10);
      assertThat(receiveAndAck(beside, 50)).as("I8").isEqualTo(values(0, 50));
      assertNothingMore(blocked);
      assertThat(stats(broker, topic, "all").getConsumers())
          .anyMatch(consumer -> consumer.isBlockedConsumerOnUnackedMsgs());
      for (Message<String> message : first.subList(0, 5)) {
        blocked.acknowledge(message);
      }
      assertThat(receiveAndAck(blocked, 40)).as("I7").isEqualTo(values(10, 50));
      for (Message<String> message : first.subList(5, 10)) {
        blocked.acknowledge(message);
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** What was to be sent later, and is skipped, is neither counted nor taken for acknowledged. */
  @Test
  void shouldLimitUnacknowledgedMessagesAfterDelayedOnesWereSkipped(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> unordered = shared(broker, topic, "a").subscribe();
        Consumer<String> ordered = broker.broadcast(topic, "all", "b").subscribe();
        Producer<String> producer = unbatched(broker, topic)) {
      broker.admin().topicPolicies().setMaxUnackedMessagesOnConsumer(topic, 10);
      await()
          .until(
              () ->
                  broker.admin().topicPolicies().getMaxUnackedMessagesOnConsumer(topic, true)
                      == 10);
      for (int i = 0; i < 20; i++) {
        producer.newMessage().value("later").deliverAfter(1, TimeUnit.HOURS).send();
      }
      producer.newMessage().value("now").send();
      assertThat(receive(ordered, 21)).hasSize(21);
      assertThat(receiveAndAck(unordered, 1)).containsExactly("now");
      broker.admin().topics().skipAllMessages(topic, "all");
      await()
          .untilAsserted(
              () ->
                  assertThat(stats(broker, topic, "all").getConsumers())
                      .as("what is sent and not acknowledged")
                      .allMatch(consumer -> consumer.getUnackedMessages() == 0));

      publish(broker, topic, 0, 50);
      assertThat(receiveValues(unordered, 10)).isEqualTo(values(0, 10));
      assertNothingMore(unordered);
      broker.admin().topics().skipAllMessages(topic, "all");
      publish(broker, topic, 50, 51);
      assertThat(receiveValues(unordered, 1)).as("I7").isEqualTo(values(50, 51));
    }
  }

  private static Producer<String> unbatched(Broker broker, String topic)
      throws PulsarClientException {
    return broker.client().newProducer(Schema.STRING).topic(topic).enableBatching(false).create();
  }

  private static ConsumerBuilder<String> shared(Broker broker, String topic, String name) {
    return broker
        .atOnce(topic, "all", name)
        .subscriptionType(SubscriptionType.Shared)
        .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS);
  }

  private static ConsumerBuilder<String> retrying(Broker broker, String topic, String name) {
    return shared(broker, topic, name)
        .enableRetry(true)
        .deadLetterPolicy(
            DeadLetterPolicy.builder()
                .maxRedeliverCount(3)
                .retryLetterTopic(topic + "-" + name + "-retry")
                .deadLetterTopic(topic + "-dead")
                .build());
  }
}
