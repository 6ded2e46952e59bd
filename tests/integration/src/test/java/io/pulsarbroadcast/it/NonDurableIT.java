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
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I1 and I3 for non-durable consumers: they get what comes while they are there, and hold nothing.
 */
@ExtendWith(BrokerExtension.class)
class NonDurableIT {

  @Test
  void shouldGetWhatIsPublishedWhileConnected(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 5);
    try (Consumer<String> durable = broker.broadcast(topic, "all", "durable").subscribe();
        Consumer<String> nonDurable = nonDurable(broker, topic).subscribe()) {
      publish(broker, topic, 5, 10);
      assertThat(receiveAndAck(nonDurable, 5)).isEqualTo(values(5, 10));
      assertThat(receiveAndAck(durable, 5)).isEqualTo(values(5, 10));
      assertNothingMore(nonDurable);
    }
  }

  @Test
  void shouldNotHoldTheBacklogWhileConnected(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> durable = broker.broadcast(topic, "all", "durable").subscribe();
        Consumer<String> nonDurable = nonDurable(broker, topic).subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(durable, 10);
      awaitBacklog(broker, topic, "all", 0);
      assertThat(receiveValues(nonDurable, 10)).isEqualTo(values(0, 10));
    }
  }

  @Test
  void shouldLeaveNoPositionBehind(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> durable = broker.broadcast(topic, "all", "durable").subscribe()) {
      nonDurable(broker, topic).subscribe().close();
      publish(broker, topic, 0, 10);
      receiveAndAck(durable, 10);
      awaitBacklog(broker, topic, "all", 0);
      try (Consumer<String> returned = nonDurable(broker, topic).subscribe()) {
        publish(broker, topic, 10, 12);
        assertThat(receiveAndAck(returned, 2)).isEqualTo(values(10, 12));
        assertNothingMore(returned);
      }
    }
  }

  @Test
  void shouldLeaveNoBacklogBehindWhenNobodyElseEverSubscribed(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> alone = nonDurable(broker, topic).subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveValues(alone, 10)).isEqualTo(values(0, 10));
    }
    publish(broker, topic, 10, 12);
    await()
        .untilAsserted(
            () ->
                assertThat(broker.admin().topics().getStats(topic).getSubscriptions().values())
                    .extracting(SubscriptionStats::getMsgBacklog)
                    .allMatch(backlog -> backlog == 0));
  }

  @Test
  void shouldStillEndWithTheLastNonDurableConsumerAfterTheTopicWasUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> alone = nonDurable(broker, topic).subscribe()) {
      publish(broker, topic, 0, 5);
      assertThat(receiveValues(alone, 5)).isEqualTo(values(0, 5));
      broker.admin().topics().unload(topic);
      awaitConsumers(broker, topic, "all", 1);
      publish(broker, topic, 5, 10);
      assertThat(receiveValues(alone, 5)).isEqualTo(values(5, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
    await()
        .untilAsserted(() -> assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty());
  }

  @Test
  void shouldAlsoEndWhenNobodyComesBackAfterTheTopicWasUnloaded(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient gone = broker.newClient()) {
      Broker.broadcast(gone, topic, "all", "non-durable")
          .subscriptionMode(SubscriptionMode.NonDurable)
          .subscribe();
      publish(broker, topic, 0, 5);
      // Marked on storage, as of non-durable consumers.
      awaitBacklog(broker, topic, "all", 0);
      gone.shutdown();
      broker.admin().topics().unload(topic);
    }
    await()
        .untilAsserted(() -> assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty());
  }

  @Test
  void shouldNotEndOnceADurableConsumerHasCome(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> first = nonDurable(broker, topic).subscribe()) {
      broker.broadcast(topic, "all", "durable").subscribe().close();
      publish(broker, topic, 0, 5);
      assertThat(receiveValues(first, 5)).isEqualTo(values(0, 5));
      broker.admin().topics().unload(topic);
      awaitConsumers(broker, topic, "all", 1);
    }
    try (Consumer<String> durable = broker.broadcast(topic, "all", "durable").subscribe()) {
      assertThat(receiveAndAck(durable, 5)).isEqualTo(values(0, 5));
    }
  }

  @Test
  void shouldLeaveDurableConsumersToTheirInitialPositionAfterTheTopicWasUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> first = nonDurable(broker, topic).subscribe()) {
      // Is sent nothing, and so does not take the subscription along.
      first.pause();
      broker.admin().topics().unload(topic);
      awaitConsumers(broker, topic, "all", 1);
      publish(broker, topic, 0, 5);
      try (Consumer<String> durable = broker.broadcast(topic, "all", "durable").subscribe()) {
        publish(broker, topic, 5, 6);
        assertThat(receiveAndAck(durable, 1)).isEqualTo(values(5, 6));
      }
    }
  }

  /** Only a durable consumer can take what another one has left. */
  @Test
  void shouldLeaveTheBacklogOfTheLastDurableConsumerToTheNextOne(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = nonDurable(broker, topic).subscribe()) {
      Consumer<String> last = broker.broadcast(topic, "all", "last").subscribe();
      publish(broker, topic, 0, 5);
      last.unsubscribe();
      assertThat(receiveValues(beside, 5)).isEqualTo(values(0, 5));
      try (Consumer<String> next = broker.broadcast(topic, "all", "next").subscribe()) {
        publish(broker, topic, 5, 6);
        assertThat(receiveAndAck(next, 6)).isEqualTo(values(0, 6));
      }
    }
  }

  /** I7: the subscription moves on before anybody has read what only this consumer needs. */
  @Test
  void shouldGetWhatNoDurableConsumerNeeds(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> first = nonDurable(broker, topic).startPaused(true).subscribe()) {
      publish(broker, topic, 0, 2);
      try (Consumer<String> durable =
          broker.broadcast(topic, "all", "durable").startPaused(true).subscribe()) {
        awaitBacklog(broker, topic, "all", 0);
        first.resume();
        assertThat(receiveValues(first, 2)).isEqualTo(values(0, 2));
        assertThat(durable.isConnected()).isTrue();
      }
    }
  }

  @Test
  void shouldEndWithTheUnsubscribeOfTheOnlyConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> alone = nonDurable(broker, topic).subscribe()) {
      alone.unsubscribe();
    }
    assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty();
  }

  @Test
  void shouldStayWhenTheSubscriptionOfTheOnlyConsumerIsReset(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> alone = nonDurable(broker, topic).subscribe()) {
      publish(broker, topic, 0, 5);
      List<Message<String>> received = receive(alone, 5);
      broker.admin().topics().resetCursor(topic, "all", received.get(2).getMessageId());
      awaitConsumers(broker, topic, "all", 1);
      publish(broker, topic, 5, 6);
      String last = values(5, 6).get(0);
      String next;
      do {
        next = receiveValues(alone, 1).get(0);
      } while (!next.equals(last));
    }
  }

  @Test
  void shouldGoOnWhereItSought(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> durable = broker.broadcast(topic, "all", "durable").subscribe();
        Consumer<String> nonDurable = nonDurable(broker, topic).subscribe()) {
      publish(broker, topic, 0, 10);
      List<Message<String>> received = receive(nonDurable, 10);
      nonDurable.seek(received.get(7).getMessageId());
      assertThat(receiveValues(nonDurable, 2)).isEqualTo(values(8, 10));
      nonDurable.seek(received.get(0).getPublishTime() - 1_000);
      assertThat(receiveValues(nonDurable, 10)).isEqualTo(values(0, 10));
      nonDurable.seek(MessageId.latest);
      publish(broker, topic, 10, 11);
      assertThat(receiveValues(nonDurable, 1)).isEqualTo(values(10, 11));
      assertThat(receiveValues(durable, 11)).isEqualTo(values(0, 11));
    }
  }

  private static ConsumerBuilder<String> nonDurable(Broker broker, String topic) {
    return broker
        .broadcast(topic, "all", "non-durable")
        .subscriptionMode(SubscriptionMode.NonDurable);
  }
}
