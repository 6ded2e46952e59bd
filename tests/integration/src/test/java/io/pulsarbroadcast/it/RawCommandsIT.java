/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConsumers;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Commands that the protocol allows and the stock Java client does not send: sent by hand, on that
 * client's own connection.
 */
@ExtendWith(BrokerExtension.class)
@Order(1)
class RawCommandsIT {

  /** Ids of consumers that the client does not give itself. */
  private static final long FIRST = 1_000_000;

  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  /** I5: what was sent before a seek and is acknowledged after it does not undo it. */
  @Test
  void shouldNotUndoASeekByWhatIsAcknowledgedBeforeTheClientLearnsOfIt(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "a").subscribe().close();
    List<MessageId> ids = publish(broker, topic, 0, 10);
    MessageIdImpl first = (MessageIdImpl) ids.get(0);
    MessageIdImpl last = (MessageIdImpl) ids.get(9);
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      subscribeForTen(raw, broker, topic);
      raw.acknowledge(FIRST, last);
      awaitBacklog(broker, topic, "all", 0);

      CompletableFuture<?> sought = raw.seek(FIRST, first);
      while (!sought.isDone()) {
        // One after the other: the answer would wait behind a million.
        raw.acknowledge(FIRST, last).sync();
      }
      sought.get();
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "a").subscribe()) {
      assertThat(receiveAndAck(returned, 10)).isEqualTo(values(0, 10));
    }
  }

  /**
   * I5: the same of a reset, which comes while the broker is at work on an acknowledgement. One by
   * time takes another way from 4.2 on.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldNotUndoAResetByAnAcknowledgementThatIsBeingTaken(boolean byTime, Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "a").subscribe().close();
    long before = System.currentTimeMillis();
    List<MessageIdImpl> ids =
        publish(broker, topic, 0, 10).stream().map(MessageIdImpl.class::cast).toList();
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      subscribeForTen(raw, broker, topic);
      // Some 4 MB each: the broker is at work on them for longer than the reset takes.
      for (int i = 0; i < 10; i++) {
        raw.acknowledgeAfterNothing(FIRST, 600_000, ids);
      }
      awaitBacklog(broker, topic, "all", 0);
      if (byTime) {
        broker.admin().topics().resetCursor(topic, "all", before);
      } else {
        broker.admin().topics().resetCursor(topic, "all", ids.get(0), false);
      }
    }
    try (Consumer<String> returned = broker.broadcast(topic, "all", "a").subscribe()) {
      assertThat(receiveAndAck(returned, 10)).isEqualTo(values(0, 10));
    }
  }

  /**
   * I3 and I5: seeks and a reset at the same moment are each done or refused. The consumer that
   * seeks is where one of them leads, the other where the reset does, and nothing from there on is
   * given up.
   */
  @Test
  void shouldSeekOrBeResetWhenBothComeAtOnce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "a").subscribe().close();
    broker.broadcast(topic, "all", "b").subscribe().close();
    List<MessageIdImpl> ids =
        publish(broker, topic, 0, 10).stream().map(MessageIdImpl.class::cast).toList();
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      for (int round = 0; round < 20; round++) {
        CompletableFuture<Boolean> reset =
            isDone(broker.admin().topics().resetCursorAsync(topic, "all", ids.get(6), false));
        int seeks = 0;
        do {
          if (isDone(raw.subscribe(FIRST, topic, "a")).get()
              && isDone(raw.seek(FIRST, ids.get(seeks % 2 == 0 ? 2 : 8))).get()) {
            seeks++;
          }
        } while (!reset.isDone());
        isDone(raw.close(FIRST)).get();
        assertThat(reset.get() || seeks > 0).as("round %d", round).isTrue();

        try (Consumer<String> a = broker.atOnce(topic, "all", "a").subscribe();
            Consumer<String> b = broker.atOnce(topic, "all", "b").subscribe()) {
          int left = reset.get() ? 4 : round == 0 ? 10 : 0;
          Message<String> last = a.receive();
          int first = Integer.parseInt(last.getValue().substring("message-".length()));
          assertThat(first).as("round %d, %d seeks", round, seeks).isIn(2, 6, 8);
          awaitBacklog(broker, topic, "all", Math.max(10 - first, left));
          List<String> received = new ArrayList<>(List.of(last.getValue()));
          a.acknowledge(last);
          received.addAll(receiveAndAck(a, 9 - first));
          assertThat(received).isEqualTo(values(first, 10));
          assertThat(receiveAndAck(b, left)).isEqualTo(values(10 - left, 10));
          awaitBacklog(broker, topic, "all", 0);
        }
      }
    }
  }

  /** Whether something succeeds. */
  private static CompletableFuture<Boolean> isDone(CompletableFuture<?> asked) {
    return asked.handle((done, e) -> e == null);
  }

  /** Subscribes the first consumer, which is sent the topic's ten messages. */
  private static void subscribeForTen(RawConnection raw, Broker broker, String topic)
      throws Exception {
    raw.subscribe(FIRST, topic, "a").get();
    raw.write(Commands.newFlow(FIRST, 100));
    await()
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic, "all").getConsumers().get(0).getMsgOutCounter())
                    .isEqualTo(10));
  }

  /** I8: a client cannot have the broker queue seeks. */
  @Test
  void shouldRefuseASeekWhileAnotherOfTheConsumerIsUnderWay(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "a").subscribe().close();
    MessageIdImpl first = (MessageIdImpl) publish(broker, topic, 0, 10).get(0);
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      raw.subscribe(FIRST, topic, "a").get();
      List<CompletableFuture<?>> seeks = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        seeks.add(raw.seek(FIRST, first));
      }
      seeks.get(0).get();
      List<String> errors = new ArrayList<>();
      for (CompletableFuture<?> seek : seeks.subList(1, 20)) {
        try {
          seek.get();
        } catch (ExecutionException e) {
          errors.add(e.getMessage());
        }
      }
      assertThat(errors)
          .as("those after the first, which disconnects the consumer when it is done")
          .hasSize(19)
          .allMatch(
              error ->
                  error.contains("Another seek or reset of this consumer is under way")
                      || error.contains("The consumer has been disconnected")
                      || error.contains("Consumer not found"));
    }
    awaitBacklog(broker, topic, "all", 10);
  }

  /**
   * The subscription ends with the last that leaves, or goes on with those that come; who leaves is
   * not refused because of them.
   */
  @Test
  void shouldServeWhoComesAtTheMomentThatTheLastLeaves(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 1);
    try (PulsarClient one = broker.newClient();
        PulsarClient other = broker.newClient()) {
      RawConnection leaving = new RawConnection(broker, one);
      RawConnection coming = new RawConnection(broker, other);
      int came = 0;
      for (int round = 0; round < 50; round++) {
        // A client tries again while a subscription that the last one has left is going.
        await()
            .untilAsserted(
                () -> assertThat(leaving.subscribe(FIRST, topic, "last")).succeedsWithin(TIMEOUT));
        CompletableFuture<?> left = leaving.unsubscribe(FIRST);
        Map<String, CompletableFuture<?>> next = new LinkedHashMap<>();
        for (int i = 0; i < 20; i++) {
          next.put("next-" + i, coming.subscribe(FIRST + i, topic, "next-" + i, false));
        }
        assertThat(left).as("round %d", round).succeedsWithin(TIMEOUT);
        next.values().removeIf(subscribed -> subscribed.handle((done, e) -> e != null).join());
        if (!next.isEmpty()) {
          came++;
          assertThat(stats(broker, topic, "all").getConsumers())
              .as("round %d", round)
              .extracting(ConsumerStats::getConsumerName)
              .containsExactlyInAnyOrderElementsOf(next.keySet());
        }
        for (String name : next.keySet()) {
          coming.close(FIRST + Integer.parseInt(name.substring("next-".length()))).get();
        }
      }
      assertThat(came).isPositive();
    }
    assertDeletedBeforeTheNextWasMade(broker, topic);
  }

  /** The positions go with those who leave, and the subscription with the last. */
  @Test
  @Tag("complete")
  void shouldEndWhenTheLastTwoLeaveAtOnce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 1);
    try (PulsarClient one = broker.newClient();
        PulsarClient other = broker.newClient()) {
      List<RawConnection> leaving =
          List.of(new RawConnection(broker, one), new RawConnection(broker, other));
      for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 2; i++) {
          RawConnection connection = leaving.get(i);
          long id = FIRST + i;
          // A client tries again while storage is slow.
          await()
              .untilAsserted(
                  () ->
                      assertThat(connection.subscribe(id, topic, "last-" + id))
                          .succeedsWithin(TIMEOUT));
        }
        List<CompletableFuture<?>> left = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          left.add(leaving.get(i).unsubscribe(FIRST + i));
        }
        for (CompletableFuture<?> each : left) {
          assertThat(each).as("round %d", round).succeedsWithin(TIMEOUT);
        }
        assertThat(broker.admin().topics().getSubscriptions(topic)).as("round %d", round).isEmpty();
      }
    }
    assertDeletedBeforeTheNextWasMade(broker, topic);
  }

  /** The broker would move the subscription. */
  @Test
  void shouldMoveNobodyByTheSeekOfAConsumerThatIsLeaving(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    MessageIdImpl first = (MessageIdImpl) publish(broker, topic, 0, 10).get(0);
    try (Consumer<String> other = broker.broadcast(topic, "all", "other").subscribe();
        PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      publish(broker, topic, 10, 20);
      assertThat(receiveAndAck(other, 10)).isEqualTo(values(10, 20));
      for (int round = 0; round < 20; round++) {
        raw.subscribe(FIRST, topic, "last-" + FIRST).get();
        CompletableFuture<?> left = raw.unsubscribe(FIRST);
        CompletableFuture<?> again = raw.unsubscribe(FIRST);
        CompletableFuture<?> sought = raw.seek(FIRST, first);
        assertThat(left).succeedsWithin(TIMEOUT);
        assertThat(isDone(again)).as("answered").succeedsWithin(TIMEOUT);
        assertThat(isDone(sought).get()).as("it is leaving").isFalse();
      }
      publish(broker, topic, 20, 21);
      assertThat(receiveAndAck(other, 1)).as("where it was").isEqualTo(values(20, 21));
    }
  }

  /** What is deleted with a subscription is not taken from the next one of its name. */
  private static void assertDeletedBeforeTheNextWasMade(Broker broker, String topic)
      throws IOException {
    assertThat(broker.logLines(topic, "A former version of the plugin would not find")).isEmpty();
    assertThat(broker.logLines(topic, "The positions log has been taken over")).isEmpty();
  }

  /** I7: a client that is told first that its consumer is closed would wait for ever. */
  @Test
  void shouldNotAnswerThatAConsumerHasSubscribedThatIsClosedAlready(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> first = broker.broadcast(topic, "all", "first").subscribe();
        PulsarClient client = broker.newClient()) {
      publish(broker, topic, 0, 10);
      RawConnection raw = new RawConnection(broker, client);
      Queue<BaseCommand> heard = raw.heard(each -> each.hasCloseConsumer() || each.hasSuccess());
      Map<Long, Long> consumerOf = new HashMap<>();
      long consumerId = FIRST;
      for (int round = 0; round < 10; round++) {
        List<CompletableFuture<?>> subscribing = new ArrayList<>();
        CompletableFuture<?> reset = null;
        for (int i = 0; i < 100; i++) {
          subscribing.add(raw.subscribe(consumerId, topic, "new-" + consumerId));
          consumerOf.put(raw.lastRequest(), consumerId++);
          if (i == 20) {
            reset =
                broker.admin().topics().resetCursorAsync(topic, "all", MessageId.earliest, false);
          }
        }
        reset.get();
        subscribing.forEach(each -> each.handle((done, e) -> null).join());
      }
      Set<Long> closed = new HashSet<>();
      for (BaseCommand command : heard) {
        if (command.hasCloseConsumer()) {
          closed.add(command.getCloseConsumer().getConsumerId());
        } else {
          assertThat(closed)
              .as("consumers that were closed when the client hears that they have subscribed")
              .doesNotContain(consumerOf.getOrDefault(command.getSuccess().getRequestId(), -1L));
        }
      }
      assertThat(closed).as("those whom a reset has disconnected").isNotEmpty();
    }
  }

  /**
   * I8: a namesake's connection is asked for a sign of life once for each that comes, however many
   * consumers it has; the own one is not asked, nor is anybody because of those without a name.
   */
  @Test
  void shouldAskEachConnectionOfNamesakesOnceForASignOfLife(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 1);
    int coming = 40;
    // The broker also asks connections that are silent for half a minute.
    int ofKeepAlive = 10;
    try (PulsarClient one = broker.newClient();
        PulsarClient other = broker.newClient()) {
      RawConnection there = new RawConnection(broker, one);
      RawConnection here = new RawConnection(broker, other);
      for (int i = 0; i < 20; i += 2) {
        there.subscribe(FIRST + i, topic, "twin").get();
        there.subscribe(FIRST + i + 1, topic, null).get();
      }
      Queue<BaseCommand> askedThere = there.heard(BaseCommand::hasPing);
      Queue<BaseCommand> askedHere = here.heard(BaseCommand::hasPing);
      for (int i = 0; i < coming; i++) {
        here.subscribe(FIRST + i, topic, null).get();
      }
      assertThat(askedThere).as("because of those without a name").hasSizeLessThan(ofKeepAlive);
      askedThere.clear();
      for (int i = 0; i < coming; i++) {
        here.subscribe(FIRST + coming + i, topic, "twin").get();
      }
      assertThat(askedThere).hasSizeBetween(coming, coming + ofKeepAlive);
      assertThat(askedHere).as("their own connection").hasSizeLessThan(ofKeepAlive);
    }
  }

  /** The subscription ends with its last non-durable consumer, but not under one that is coming. */
  @Test
  void shouldServeANonDurableConsumerWhoseDeadNamesakeWasTheOnlyOne(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    publish(broker, topic, 0, 1);
    try (PulsarClient one = broker.newClient();
        PulsarClient other = broker.newClient()) {
      RawConnection dead = new RawConnection(broker, one);
      dead.subscribe(FIRST, topic, "car", false).get();
      dead.fallSilent();
      RawConnection there = new RawConnection(broker, other);
      assertThat(there.subscribe(FIRST, topic, "car", false)).succeedsWithin(TIMEOUT);
      assertThat(stats(broker, topic, "all").getConsumers()).hasSize(1);
      there.close(FIRST).get();
    }
    await()
        .untilAsserted(() -> assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty());
  }

  /** I1: entries are numbered anew when the topic is loaded, those before being gone. */
  @Test
  void shouldStartANonDurableConsumerWhereItSoughtBeforeTheTopicWasUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> durable = broker.atOnce(topic, "all", "durable").subscribe();
        PulsarClient client = broker.newClient()) {
      publish(broker, topic, 0, 10);
      // Begins another ledger.
      broker.admin().topics().unload(topic);
      awaitConsumers(broker, topic, "all", 1);
      List<MessageId> ids = publish(broker, topic, 10, 20);
      assertThat(receiveAndAck(durable, 12)).isEqualTo(values(0, 12));
      RawConnection raw = new RawConnection(broker, client);
      raw.subscribe(FIRST, topic, "non-durable", false).get();
      TrimmedIT.trim(broker, topic, ids.get(0));
      raw.seek(FIRST, (MessageIdImpl) ids.get(5)).get();
      broker.admin().topics().unload(topic);
      awaitConsumers(broker, topic, "all", 1);

      Queue<BaseCommand> sent = raw.heard(BaseCommand::hasMessage);
      raw.subscribe(FIRST, topic, "non-durable", false).get();
      raw.write(Commands.newFlow(FIRST, 100));
      await().atMost(TIMEOUT).until(() -> sent.size() >= 5);
      assertThat(sent)
          .extracting(each -> each.getMessage().getMessageId())
          .extracting(id -> (MessageId) new MessageIdImpl(id.getLedgerId(), id.getEntryId(), -1))
          .containsExactlyElementsOf(ids.subList(5, 10));
    }
  }

  /** I5: the broker disconnects it itself, and its client takes a moment to return. */
  @Test
  void shouldStartWhereItSoughtWhoHasNoTimeToLive(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.atOnce(topic, "all", "beside").subscribe();
        PulsarClient client = broker.newClient()) {
      List<MessageId> ids = publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      RawConnection raw = new RawConnection(broker, client);
      raw.subscribeBriefly(FIRST, topic, "brief").get();
      raw.subscribeBriefly(FIRST + 1, topic, "briefer").get();
      raw.seek(FIRST, (MessageIdImpl) ids.get(4)).get();
      raw.close(FIRST + 1).get();
      // Such a position goes with the next look.
      await()
          .untilAsserted(
              () ->
                  assertThat(stats(broker, topic, "all").getSubscriptionProperties())
                      .containsEntry("pulsar.broadcast.positions.waiting", "1"));

      Queue<BaseCommand> sent = raw.heard(BaseCommand::hasMessage);
      raw.subscribeBriefly(FIRST, topic, "brief").get();
      raw.write(Commands.newFlow(FIRST, 100));
      await().atMost(TIMEOUT).until(() -> sent.size() >= 6);
      assertThat(sent)
          .extracting(each -> each.getMessage().getMessageId().getEntryId())
          .startsWith(((MessageIdImpl) ids.get(4)).getEntryId());
    }
  }

  @Test
  void shouldGiveEachConsumerWithoutANameOneOfItsOwn(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    // Looks the topic up, which a subscribe by hand does not.
    publish(broker, topic, 0, 1);
    try (PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      raw.subscribe(FIRST, topic, null).get();
      raw.subscribe(FIRST + 1, topic, "").get();
      assertThat(stats(broker, topic, "all").getConsumers())
          .extracting(ConsumerStats::getConsumerName)
          .doesNotHaveDuplicates()
          .allMatch(name -> name.startsWith("unnamed-"));

      publish(broker, topic, 1, 11);
      awaitBacklog(broker, topic, "all", 10);
      broker.admin().topics().unload(topic);
      // The same connection, and so the same consumer.
      await()
          .untilAsserted(
              () -> assertThat(raw.subscribe(FIRST, topic, null)).succeedsWithin(TIMEOUT));
      raw.write(Commands.newFlow(FIRST, 100));
      await()
          .untilAsserted(
              () ->
                  assertThat(stats(broker, topic, "all").getConsumers().get(0).getMsgOutCounter())
                      .isEqualTo(10));
    }
  }
}
