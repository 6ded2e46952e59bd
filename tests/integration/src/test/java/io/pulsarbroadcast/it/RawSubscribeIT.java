/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.RawConnection.FIRST;
import static io.pulsarbroadcast.it.RawConnection.TIMEOUT;
import static io.pulsarbroadcast.it.Subscriptions.assertDeletedBeforeTheNextWasMade;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Subscribes as the protocol allows and the stock Java client does not send them: by hand, on that
 * client's own connection.
 */
@ExtendWith(BrokerExtension.class)
@Order(1)
class RawSubscribeIT {

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
      for (int round = 0; round < 25; round++) {
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

  /** I3: its client, which asks again, takes what a namesake left; nobody would take its own. */
  @Test
  void shouldLeaveNoPositionOfAConsumerBesideItsNamesakesWhoseClientWasNotTold(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    int rounds = 20;
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      List<CompletableFuture<Void>> closed = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        PulsarClient client = broker.newClient();
        RawConnection goes = new RawConnection(broker, client);
        goes.subscribe(FIRST, topic, "car-" + round).get();
        goes.subscribe(FIRST + 1, topic, "car-" + round);
        goes.disconnect();
        closed.add(client.closeAsync());
      }
      closed.forEach(CompletableFuture::join);
      PositionsRequests positions =
          new PositionsRequests(broker.process().adminUrl(), topic, "all");
      await().untilAsserted(() -> assertThat(positions.list().number("connected")).isEqualTo(1));
      assertThat(positions.list().number("absent"))
          .as("one of each name, and few whose client may not have read the answer")
          .isBetween((long) rounds, rounds + rounds / 2L);
      assertThat(beside.isConnected()).isTrue();
    }
  }

  /** I3: as a client does whose subscribe takes it too long. */
  @Test
  void shouldLeaveNoPositionOfAConsumerBesideItsNamesakesWhoseClientGaveUp(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    int rounds = 20;
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe();
        PulsarClient client = broker.newClient()) {
      RawConnection raw = new RawConnection(broker, client);
      List<CompletableFuture<?>> gaveUp = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        long stays = FIRST + 2 * round;
        raw.subscribe(stays, topic, "car-" + round).get();
        // It is not answered.
        raw.subscribe(stays + 1, topic, "car-" + round);
        gaveUp.add(raw.close(stays + 1));
      }
      gaveUp.forEach(CompletableFuture::join);
      // Answered after them.
      raw.subscribe(FIRST + 2 * rounds, topic, "last").get();
      PositionsRequests positions =
          new PositionsRequests(broker.process().adminUrl(), topic, "all");
      await()
          .untilAsserted(
              () -> assertThat(positions.list().number("connected")).isEqualTo(rounds + 2));
      assertThat(positions.list().number("absent"))
          .as("few that were told before they gave up")
          .isLessThan(rounds / 2);
      assertThat(beside.isConnected()).isTrue();
    }
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
