/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I3 and I5: a seek moves the one consumer, as it would alone, and storage keeps what it needs. */
@ExtendWith(BrokerExtension.class)
class SeekIT {

  @Test
  void shouldSeekToAMessageLikeAPlainConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertSeeksLikeAPlainConsumer(broker, topic, (consumer, seen) -> consumer.seek(idOf(seen, 4)));
  }

  @Test
  void shouldSeekToTheEarliestLikeAPlainConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertSeeksLikeAPlainConsumer(
        broker, topic, (consumer, seen) -> consumer.seek(MessageId.earliest));
  }

  @Test
  void shouldSeekToTheLatestLikeAPlainConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertSeeksLikeAPlainConsumer(
        broker, topic, (consumer, seen) -> consumer.seek(MessageId.latest));
  }

  @Test
  void shouldSeekToATimeLikeAPlainConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertSeeksLikeAPlainConsumer(
        broker, topic, (consumer, seen) -> consumer.seek(seen.get(6).getPublishTime()));
  }

  @Test
  void shouldSeekToATimeBeforeEverythingLikeAPlainConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertSeeksLikeAPlainConsumer(
        broker, topic, (consumer, seen) -> consumer.seek(seen.get(0).getPublishTime() - 3_600_000));
  }

  @Test
  void shouldSeekToATimeAfterEverythingLikeAPlainConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    assertSeeksLikeAPlainConsumer(
        broker, topic, (consumer, seen) -> consumer.seek(seen.get(9).getPublishTime() + 3_600_000));
  }

  private interface Seek {
    void accept(Consumer<String> consumer, List<Message<String>> seen) throws PulsarClientException;
  }

  /** Both receive the same after the same seek, up to a message that is published after it. */
  private static void assertSeeksLikeAPlainConsumer(Broker broker, String topic, Seek seek)
      throws Exception {
    try (Consumer<String> broadcast = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> plain = plain(broker, topic).subscribe()) {
      publish(broker, topic, 0, 10);
      seek.accept(broadcast, receive(broadcast, 10));
      seek.accept(plain, receive(plain, 10));
      publish(broker, topic, 10, 11);

      assertThat(receiveUntil(broadcast, "message-10"))
          .isEqualTo(receiveUntil(plain, "message-10"))
          .endsWith("message-10");
    }
  }

  @Test
  void shouldMoveOnlyTheConsumerThatSeeks(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> seeking = broker.broadcast(topic, "all", "seeking").subscribe();
        Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      List<MessageId> ids = publish(broker, topic, 0, 10);
      receiveAndAck(seeking, 10);
      assertThat(receiveAndAck(beside, 5)).isEqualTo(values(0, 5));

      seeking.seek(ids.get(9));
      seeking.seek(MessageId.earliest);
      assertThat(receiveAndAck(seeking, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(beside, 5)).isEqualTo(values(5, 10));
      assertNothingMore(seeking);
      assertNothingMore(beside);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldNotHoldTheBacklogForWhatASeekForwardSkipped(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.broadcast(topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 10);
      consumer.seek(MessageId.latest);
      awaitBacklog(broker, topic, "all", 0);
      awaitConnected(broker, consumer);
    }
  }

  @Test
  void shouldKeepWhatAConsumerNeedsThatSoughtBackBelowTheSubscription(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    // What it acknowledges counts before the unload.
    try (Consumer<String> beside = broker.atOnce(topic, "all", "beside").subscribe()) {
      try (Consumer<String> seeking = broker.broadcast(topic, "all", "seeking").subscribe()) {
        publish(broker, topic, 0, 10);
        receiveAndAck(beside, 10);
        receiveAndAck(seeking, 10);
        awaitBacklog(broker, topic, "all", 0);
        seeking.seek(MessageId.earliest);
        awaitBacklog(broker, topic, "all", 10);
        awaitConnected(broker, seeking);
      }
      publish(broker, topic, 10, 11);
      assertThat(receiveAndAck(beside, 1)).isEqualTo(values(10, 11));
      awaitBacklog(broker, topic, "all", 11);

      broker.admin().topics().unload(topic);
      await()
          .ignoreExceptionsInstanceOf(PulsarAdminException.class)
          .untilAsserted(
              () -> {
                broker.admin().topics().trimTopic(topic);
                assertThat(broker.admin().topics().getInternalStats(topic).numberOfEntries)
                    .isEqualTo(11);
              });
      try (Consumer<String> seeking = broker.broadcast(topic, "all", "seeking").subscribe()) {
        assertThat(receiveAndAck(seeking, 11)).isEqualTo(values(0, 11));
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldFindWhereItSoughtWhenItReturns(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> seeking = broker.broadcast(topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(seeking, 10);
      awaitBacklog(broker, topic, "all", 0);
      seeking.seek(MessageId.earliest);
      awaitConnected(broker, seeking);
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "a").subscribe()) {
      assertThat(receiveAndAck(returned, 10)).isEqualTo(values(0, 10));
    }
  }

  private static ConsumerBuilder<String> plain(Broker broker, String topic) {
    return broker.client().newConsumer(Schema.STRING).topic(topic).subscriptionName("plain");
  }

  private static MessageId idOf(List<Message<String>> seen, int index) {
    return seen.get(index).getMessageId();
  }

  private static List<String> receiveUntil(Consumer<String> consumer, String last)
      throws PulsarClientException {
    List<String> received = new ArrayList<>();
    while (!received.contains(last)) {
      List<String> next = receiveValues(consumer, 1);
      if (next.isEmpty()) {
        break;
      }
      received.addAll(next);
    }
    return received;
  }

  /** I5: an unload may refuse a seek that it overtakes, but not have it answered and forgotten. */
  @Test
  void shouldFindWhereItSoughtWhileTheTopicWasUnloaded(Broker broker) throws Exception {
    seekWhileUnloading(broker, List.of("a"));
  }

  /** The same of one whose namesake is away: where they have left, they have one position. */
  @Test
  void shouldFindWhereItSoughtWhileTheTopicWasUnloadedAndANamesakeAway(Broker broker)
      throws Exception {
    seekWhileUnloading(broker, List.of("a", "a"));
  }

  private static void seekWhileUnloading(Broker broker, List<String> names) throws Exception {
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      for (int round = 1; round <= 20; round++) {
        String topic = Broker.newTopic();
        // Keeps the messages.
        broker.admin().topics().createSubscription(topic, "plain", MessageId.earliest);
        List<MessageId> ids = publish(broker, topic, 0, 10);
        List<Consumer<String>> atTheEnd = subscribe(broker, topic, names);
        for (Consumer<String> consumer : atTheEnd) {
          consumer.close();
        }
        raw.subscribe(round, topic, "a").get();
        CompletableFuture<Void> unloaded = broker.admin().topics().unloadAsync(topic);
        // Each round a little later, to meet every step of the unload.
        for (int i = 0; i < 2 * round; i++) {
          succeeds(raw.close(0));
        }
        boolean sought = succeeds(raw.seek(round, (MessageIdImpl) ids.get(0)));
        unloaded.get();
        if (sought) {
          try (Consumer<String> returned = broker.broadcast(topic, "all", "a").subscribe()) {
            assertThat(receiveValues(returned, 1)).as("round %d", round).isEqualTo(values(0, 1));
          }
        }
      }
    }
  }

  private static List<Consumer<String>> subscribe(Broker broker, String topic, List<String> names)
      throws PulsarClientException {
    List<Consumer<String>> consumers = new ArrayList<>();
    for (String name : names) {
      consumers.add(broker.broadcast(topic, "all", name).subscribe());
    }
    return consumers;
  }

  private static boolean succeeds(CompletableFuture<?> request) {
    return request.handle((done, e) -> e == null).join();
  }
}
