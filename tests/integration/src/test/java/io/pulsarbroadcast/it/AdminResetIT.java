/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveUntil;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConnected;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * I3 and I5: an operator's reset moves every consumer there, back or forward, connected or not, and
 * outlives the broker's loading of the topic; looking at messages moves nobody.
 */
@ExtendWith(BrokerExtension.class)
class AdminResetIT {

  @Test
  void shouldMoveEverybodyBackToAMessage(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "away", 6);
    try (Consumer<String> fast = broker.atOnce(topic, "all", "fast").subscribe();
        Consumer<String> slow = broker.atOnce(topic, "all", "slow").subscribe()) {
      List<MessageId> ids = publish(broker, topic, 6, 16);
      assertThat(receiveAndAck(fast, 10)).isEqualTo(values(6, 16));
      assertThat(receiveAndAck(slow, 2)).isEqualTo(values(6, 8));

      broker.admin().topics().resetCursor(topic, "all", ids.get(4), false);
      try (Consumer<String> away = broker.atOnce(topic, "all", "away").subscribe()) {
        publish(broker, topic, 16, 17);
        for (Consumer<String> consumer : List.of(fast, slow, away)) {
          assertThat(receiveUntil(consumer, "message-16"))
              .as(consumer.getConsumerName())
              .endsWith(values(10, 17).toArray(String[]::new));
        }
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldMoveEverybodyToATime(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "away", 0);
    try (Consumer<String> here = broker.atOnce(topic, "all", "here").subscribe()) {
      publish(broker, topic, 0, 10);
      List<Message<String>> received = receive(here, 10);
      here.acknowledgeCumulative(received.get(9));
      broker.admin().topics().resetCursor(topic, "all", received.get(0).getPublishTime() - 1_000);
      try (Consumer<String> away = broker.atOnce(topic, "all", "away").subscribe()) {
        assertThat(receiveAndAck(here, 10)).isEqualTo(values(0, 10));
        assertThat(receiveAndAck(away, 10)).isEqualTo(values(0, 10));
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldMoveThoseWhoAreAwayForwardAndCountIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "a", 0);
    leave(broker, topic, "b", 0);
    List<MessageId> ids = publish(broker, topic, 0, 10);
    broker.admin().topics().resetCursor(topic, "all", ids.get(7), false);
    awaitBacklog(broker, topic, "all", 3);
    SkippedLog.awaitEntries(broker, topic, 14, "an operator reset the subscription");
    try (Consumer<String> a = broker.atOnce(topic, "all", "a").subscribe();
        Consumer<String> b = broker.atOnce(topic, "all", "b").subscribe()) {
      assertThat(receiveAndAck(a, 3)).isEqualTo(values(7, 10));
      assertThat(receiveAndAck(b, 3)).isEqualTo(values(7, 10));
      assertNothingMore(a);
      assertNothingMore(b);
    }
  }

  @Test
  void shouldStayResetWhenTheTopicIsReloaded(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = broker.atOnce(topic, "all", "a").subscribe()) {
      List<MessageId> ids = publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(consumer, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
      consumer.close();
      broker.admin().topics().resetCursor(topic, "all", ids.get(3), false);
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> returned = broker.atOnce(topic, "all", "a").subscribe()) {
      assertThat(receiveAndAck(returned, 7)).isEqualTo(values(3, 10));
      assertNothingMore(returned);
    }
  }

  @Test
  void shouldShowTheSlowestConsumersNextMessagesAndMoveNobody(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "away", 4);
    try (Consumer<String> here = broker.atOnce(topic, "all", "here").subscribe()) {
      List<MessageId> ids = publish(broker, topic, 4, 10);
      assertThat(receiveAndAck(here, 6)).isEqualTo(values(4, 10));
      assertThat(broker.admin().topics().peekMessages(topic, "all", 3))
          .extracting(message -> new String(message.getData(), StandardCharsets.UTF_8))
          .isEqualTo(values(4, 7));
      MessageIdImpl id = (MessageIdImpl) ids.get(5);
      byte[] byId =
          broker
              .admin()
              .topics()
              .getMessageById(topic, id.getLedgerId(), id.getEntryId())
              .getData();
      assertThat(new String(byId, StandardCharsets.UTF_8)).isEqualTo("message-9");
      assertNothingMore(here);
      try (Consumer<String> away = broker.atOnce(topic, "all", "away").subscribe()) {
        assertThat(receiveAndAck(away, 6)).isEqualTo(values(4, 10));
      }
    }
  }

  /**
   * I5: of two resets at the same moment each is done or refused; everybody is where one that is
   * done leads, and one that is refused changes nothing.
   */
  @Test
  void shouldMoveEverybodyToOnePlaceWhenTwoResetsComeAtOnce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leave(broker, topic, "away", 0);
    List<MessageId> ids = publish(broker, topic, 0, 10);
    for (int round = 0; round < 20; round++) {
      List<CompletableFuture<Boolean>> resets = new ArrayList<>();
      try (Consumer<String> here = broker.atOnce(topic, "all", "here").subscribe()) {
        for (int place : List.of(3, 7)) {
          resets.add(
              broker
                  .admin()
                  .topics()
                  .resetCursorAsync(topic, "all", ids.get(place), false)
                  .handle((done, e) -> e == null));
        }
        CompletableFuture.allOf(resets.toArray(CompletableFuture[]::new)).get();
        awaitConnected(broker, here);
      }
      boolean toThree = resets.get(0).get();
      boolean toSeven = resets.get(1).get();
      assertThat(toThree || toSeven).as("round %d", round).isTrue();

      int place = 10 - (int) stats(broker, topic, "all").getMsgBacklog();
      assertThat(place).as("round %d", round).isIn(toThree ? 3 : 7, toSeven ? 7 : 3);
      for (String name : List.of("away", "here")) {
        try (Consumer<String> returned = broker.atOnce(topic, "all", name).subscribe()) {
          assertThat(receiveAndAck(returned, 10 - place)).as(name).isEqualTo(values(place, 10));
        }
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** I5: a reset that succeeds moves everybody, also when the type changes meanwhile. */
  @Test
  void shouldMoveASubscriptionThatBecomesBroadcastMeanwhile(Broker broker) throws Exception {
    for (int round = 0; round < 10; round++) {
      String topic = Broker.newTopic();
      MessageId first;
      try (Consumer<String> plain =
          broker
              .client()
              .newConsumer(Schema.STRING)
              .topic(topic)
              .subscriptionName("all")
              .isAckReceiptEnabled(true)
              .subscribe()) {
        first = publish(broker, topic, 0, 5).get(0);
        assertThat(receiveAndAck(plain, 5)).isEqualTo(values(0, 5));
      }
      CompletableFuture<Boolean> reset =
          broker
              .admin()
              .topics()
              .resetCursorAsync(topic, "all", first, false)
              .handle((done, e) -> e == null);
      try (Consumer<String> car = broker.atOnce(topic, "all", "car").subscribe()) {
        int from = reset.get() ? 0 : 5;
        publish(broker, topic, 5, 6);
        assertThat(receiveAndAck(car, 6 - from)).isEqualTo(values(from, 6));
      }
    }
  }

  /** Leaves a position behind, after so many messages. */
  private static void leave(Broker broker, String topic, String name, int acknowledged)
      throws Exception {
    try (Consumer<String> consumer = broker.atOnce(topic, "all", name).subscribe()) {
      publish(broker, topic, 0, acknowledged);
      assertThat(receiveAndAck(consumer, acknowledged)).isEqualTo(values(0, acknowledged));
    }
  }
}
