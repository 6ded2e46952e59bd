/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.SkippedLog.awaitEntries;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.ConflictException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.impl.ConsumerBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I5 and I6: what an operator or the broker skips on the subscription is skipped for every consumer
 * that stands before it, connected or not, and for nobody else; it is counted and logged.
 */
@ExtendWith(OperatedBroker.class)
class SkipIT {

  private interface Operation {
    void on(String topic, List<MessageId> published) throws PulsarAdminException;
  }

  @Test
  void shouldSkipMessagesOfTheBacklog(Broker broker) throws Exception {
    assertEverybodyGoesOnAt(
        8,
        broker,
        (topic, published) -> broker.admin().topics().skipMessages(topic, "all", 8),
        "an operator skipped messages");
  }

  @Test
  void shouldClearTheBacklog(Broker broker) throws Exception {
    assertEverybodyGoesOnAt(
        20,
        broker,
        (topic, published) -> broker.admin().topics().skipAllMessages(topic, "all"),
        "an operator cleared the backlog");
  }

  @Test
  void shouldExpireMessagesByPosition(Broker broker) throws Exception {
    assertEverybodyGoesOnAt(
        8,
        broker,
        (topic, published) ->
            broker.admin().topics().expireMessages(topic, "all", published.get(7), false),
        "messages expired");
  }

  @Test
  void shouldExpireMessagesByTime(Broker broker) throws Exception {
    assertEverybodyGoesOnAt(
        20,
        broker,
        (topic, published) ->
            await()
                .until(
                    () -> {
                      try {
                        broker.admin().topics().expireMessages(topic, "all", 1);
                      } catch (ConflictException e) {
                        // Nothing is old enough yet, or nothing is left.
                      }
                      return backlog(broker, topic) == 0;
                    }),
        "messages expired");
  }

  @Test
  void shouldExpireMessagesAfterTheTimeToLiveOfTheNamespace(Broker broker) throws Exception {
    String namespace = OperatedBroker.newNamespace(broker);
    assertEverybodyGoesOnAt(
        20,
        OperatedBroker.topicIn(namespace),
        broker,
        (topic, published) -> {
          // Each change of the policy makes the broker look for expired messages.
          int[] seconds = {1};
          await()
              .until(
                  () -> {
                    broker.admin().namespaces().setNamespaceMessageTTL(namespace, seconds[0]);
                    seconds[0] = 3 - seconds[0];
                    return backlog(broker, topic) == 0;
                  });
        },
        "messages expired");
  }

  @Test
  void shouldExpireMessagesAfterTheTimeToLiveOfTheTopic(Broker broker) throws Exception {
    assertEverybodyGoesOnAt(
        20,
        broker,
        (topic, published) -> {
          int[] seconds = {1};
          await()
              .until(
                  () -> {
                    broker.admin().topicPolicies().setMessageTTL(topic, seconds[0]);
                    seconds[0] = 3 - seconds[0];
                    return backlog(broker, topic) == 0;
                  });
        },
        "messages expired");
  }

  @Test
  void shouldFollowATruncationOfTheTopic(Broker broker) throws Exception {
    assertEverybodyGoesOnAt(
        20,
        broker,
        (topic, published) -> broker.admin().topics().truncate(topic),
        "the broker moved the subscription");
  }

  @Test
  void shouldSkipWhatIsBeforeTheSlowestConsumerOnce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = atOnce(broker, topic, "a").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(consumer, 3)).isEqualTo(values(0, 3));
      awaitOneMore(consumer);
      broker.admin().topics().skipMessages(topic, "all", 5);
      assertThat(receiveAndAck(consumer, 3)).isEqualTo(oneMore(3, 8, 10));
      awaitBacklog(broker, topic, "all", 0);
      awaitEntries(broker, topic, 5, "an operator skipped messages");
    }
  }

  @Test
  void shouldNotBringSkippedMessagesBackWhenTheTopicIsReloaded(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "away").subscribe().close();
    publish(broker, topic, 0, 10);
    broker.admin().topics().skipMessages(topic, "all", 6);
    broker.admin().topics().unload(topic);
    try (Consumer<String> returned = broker.broadcast(topic, "all", "away").subscribe()) {
      assertThat(receiveAndAck(returned, 4)).isEqualTo(values(6, 10));
      assertNothingMore(returned);
    }
  }

  @Test
  void shouldStartWhereASubscriptionWithoutPositionsWasMovedTo(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.admin().topics().createSubscription(topic, "all", MessageId.earliest);
    broker
        .broadcast(topic, "all", "reader")
        .subscriptionMode(SubscriptionMode.NonDurable)
        .subscribe()
        .close();
    publish(broker, topic, 0, 3);
    broker.admin().topics().skipMessages(topic, "all", 1);
    try (Consumer<String> first = broker.broadcast(topic, "all", "first").subscribe()) {
      assertThat(receiveAndAck(first, 2)).as("as a plain consumer does").isEqualTo(values(1, 3));
    }
  }

  @Test
  void shouldStillGiveSkippedMessagesToAConsumerThatSeeksBack(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "away").subscribe().close();
    publish(broker, topic, 0, 4);
    broker.admin().topics().skipAllMessages(topic, "all");
    try (Consumer<String> seeking = broker.broadcast(topic, "all", "away").subscribe()) {
      seeking.seek(MessageId.earliest);
      assertThat(receiveAndAck(seeking, 4)).isEqualTo(values(0, 4));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private static void assertEverybodyGoesOnAt(
      int position, Broker broker, Operation operation, String cause) throws Exception {
    assertEverybodyGoesOnAt(position, Broker.newTopic(), broker, operation, cause);
  }

  /** Of 20 messages, one consumer has all, one has been sent the first, and one is away. */
  private static void assertEverybodyGoesOnAt(
      int position, String topic, Broker broker, Operation operation, String cause)
      throws Exception {
    atOnce(broker, topic, "away").subscribe().close();
    try (Consumer<String> fast = atOnce(broker, topic, "fast").subscribe();
        Consumer<String> slow = atOnce(broker, topic, "slow").subscribe()) {
      List<MessageId> published = publish(broker, topic, 0, 20);
      assertThat(receiveAndAck(fast, 20)).isEqualTo(values(0, 20));
      awaitOneMore(slow);

      operation.on(topic, published);
      awaitEntries(broker, topic, 2L * position, cause);
      assertThat(backlog(broker, topic)).isEqualTo(20 - position);
      publish(broker, topic, 20, 22);

      assertThat(receiveAndAck(slow, 23 - position)).isEqualTo(oneMore(0, position, 22));
      try (Consumer<String> returned = atOnce(broker, topic, "away").subscribe()) {
        assertThat(receiveAndAck(returned, 22 - position)).isEqualTo(values(position, 22));
        assertNothingMore(returned);
      }
      assertThat(receiveAndAck(fast, 2)).isEqualTo(values(20, 22));
      assertNothingMore(slow);
      assertNothingMore(fast);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** Waits until the next message is in the client. */
  private static void awaitOneMore(Consumer<String> consumer) {
    await().until(() -> ((ConsumerBase<String>) consumer).numMessagesInQueue() == 1);
  }

  /** The message that was in the client already, and those after the skip. */
  private static List<String> oneMore(int first, int from, int to) {
    List<String> values = new ArrayList<>(values(first, first + 1));
    values.addAll(values(from, to));
    return values;
  }

  private static long backlog(Broker broker, String topic) throws PulsarAdminException {
    return Subscriptions.stats(broker, topic, "all").getMsgBacklog();
  }

  /** A consumer that is sent one message at a time, and whose acknowledgements are handled. */
  private static ConsumerBuilder<String> atOnce(Broker broker, String topic, String name) {
    return broker.atOnce(topic, "all", name).receiverQueueSize(1);
  }
}
