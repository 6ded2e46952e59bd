/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * I1 and I3 beyond the plugin's life: without the NAR a Broadcast subscription is an ordinary one
 * at its slowest consumer's position.
 */
@Order(1)
class UninstallProcessIT {
  private static final String SUBSCRIPTION = "all";

  @Test
  void shouldLeaveAPlainSubscriptionAtTheSlowestPositionAndTakeItUpAgain() throws Exception {
    String topic = Broker.newTopic();
    String trimmed = "persistent://public/trimmed/topic";
    try (Broker broker = Broker.start(BrokerExtension.newBroker())) {
      broker.admin().namespaces().setRetention("public/default", new RetentionPolicies(60, 100));
      broker.admin().namespaces().createNamespace("public/trimmed");
      leaveBehind(broker, trimmed);
      Message<String> slowest = stopWithConsumersAtDifferentPositions(broker, topic);
      broker.process().removeNar();
      broker.process().start();
      readOnWithoutThePlugin(broker, topic, slowest);
      MessageId kept = readAndTrimWithoutThePlugin(broker, trimmed);
      broker.process().stop();
      broker.process().installNar(BrokerExtension.nar());
      broker.process().start();
      takeUpAgain(broker, topic);
      noticeWhatWasTrimmed(broker, trimmed, kept);
    }
  }

  /** A consumer that acknowledged 3 of 20 messages stays away. */
  private static void leaveBehind(Broker broker, String topic) throws Exception {
    try (Consumer<String> away = broker.broadcast(topic, SUBSCRIPTION, "away").subscribe()) {
      Messages.publish(broker, topic, 0, 20);
      Messages.receiveAndAck(away, 3);
    }
  }

  /** Returns the one message that is left: those before it are read, and then trimmed. */
  private static MessageId readAndTrimWithoutThePlugin(Broker broker, String topic)
      throws Exception {
    try (Consumer<String> plain =
            broker
                .client()
                .newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName(SUBSCRIPTION)
                .subscribe();
        Producer<String> producer =
            broker.client().newProducer(Schema.STRING).topic(topic).create()) {
      assertThat(Messages.receiveAndAck(plain, 17)).isEqualTo(Messages.values(3, 20));
      MessageId kept = producer.send("message-20");
      TrimmedIT.trim(broker, topic, kept);
      return kept;
    }
  }

  private static void noticeWhatWasTrimmed(Broker broker, String topic, MessageId kept)
      throws Exception {
    try (Consumer<String> away = broker.broadcast(topic, SUBSCRIPTION, "away").subscribe()) {
      assertThat(Messages.receive(away, 1).get(0).getMessageId()).isEqualTo(kept);
      await()
          .untilAsserted(
              () ->
                  assertThat(broker.logLines(topic))
                      .as("I6")
                      .anyMatch(
                          line ->
                              line.contains("1 consumers stand before the oldest stored entry")
                                  && line.contains("a broker without the plugin")));
    }
  }

  /** Returns the last message that the slowest consumer acknowledged, number 2 of 0 to 19. */
  private static Message<String> stopWithConsumersAtDifferentPositions(Broker broker, String topic)
      throws Exception {
    try (PulsarClient client = broker.newClient()) {
      Consumer<String> slow =
          Broker.broadcast(client, topic, SUBSCRIPTION, "slow")
              .isAckReceiptEnabled(true)
              .subscribe();
      Consumer<String> middle = Broker.broadcast(client, topic, SUBSCRIPTION, "middle").subscribe();
      Consumer<String> fast = Broker.broadcast(client, topic, SUBSCRIPTION, "fast").subscribe();
      Messages.publish(client, topic, 0, 20);
      List<String> sent = Messages.values(0, 20);
      assertThat(Messages.receiveAndAck(fast, 20)).isEqualTo(sent);
      assertThat(Messages.receiveAndAck(middle, 10)).isEqualTo(sent.subList(0, 10));
      List<Message<String>> slowly = Messages.receive(slow, 20);
      assertThat(Messages.valuesOf(slowly)).isEqualTo(sent);
      slow.acknowledgeCumulative(slowly.get(2));
      // A hole: number 5 is acknowledged, 3 and 4 are not.
      slow.acknowledge(slowly.get(5));
      middle.close();
      fast.close();
      // The slowest is still connected, and has acknowledged a moment ago.
      broker.process().stop();
      return slowly.get(2);
    }
  }

  private static void readOnWithoutThePlugin(Broker broker, String topic, Message<String> slowest)
      throws Exception {
    MessageIdImpl slowestId = (MessageIdImpl) slowest.getMessageId();
    try (Consumer<String> plain =
        broker
            .client()
            .newConsumer(Schema.STRING)
            .topic(topic)
            .subscriptionName(SUBSCRIPTION)
            .startPaused(true)
            .subscribe()) {
      assertThat(stats(broker, topic).getType()).isEqualTo("Exclusive");
      assertThat(Subscriptions.cursor(broker, topic, SUBSCRIPTION).markDeletePosition)
          .isEqualTo(slowestId.getLedgerId() + ":" + slowestId.getEntryId());
      plain.resume();
      assertThat(Messages.receiveAndAck(plain, 17)).isEqualTo(Messages.values(3, 20));
      Messages.assertNothingMore(plain);
    }
  }

  private static void takeUpAgain(Broker broker, String topic) throws Exception {
    try (Consumer<String> slow = broker.broadcast(topic, SUBSCRIPTION, "slow").subscribe();
        Consumer<String> other = broker.broadcast(topic, SUBSCRIPTION, "other").subscribe()) {
      assertThat(stats(broker, topic).getType()).isEqualTo("Broadcast");
      Messages.publish(broker, topic, 20, 30);
      List<String> sent = Messages.values(20, 30);
      assertThat(Messages.receiveAndAck(slow, 10)).isEqualTo(sent);
      assertThat(Messages.receiveAndAck(other, 10)).isEqualTo(sent);
      // Of 3 to 19 the slowest had acknowledged number 5; the middle one missed 10 to 19. What was
      // not stored yet when the broker stopped counts too.
      await()
          .untilAsserted(
              () ->
                  assertThat(SkippedLog.of(broker, topic))
                      .as("I6")
                      .singleElement()
                      .satisfies(
                          event -> {
                            assertThat(event.cause()).contains("a broker without the plugin");
                            assertThat(event.entries()).isBetween(26L, 60L);
                          }));
    }
  }

  private static SubscriptionStats stats(Broker broker, String topic) throws Exception {
    return broker.admin().topics().getStats(topic).getSubscriptions().get(SUBSCRIPTION);
  }
}
