/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.RawConnection.FIRST;
import static io.pulsarbroadcast.it.RawConnection.TIMEOUT;
import static io.pulsarbroadcast.it.RawConnection.isDone;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.awaitConsumers;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Seeks, and resets meanwhile, as the protocol allows and the stock Java client does not send them:
 * by hand, on that client's own connection.
 */
@ExtendWith(BrokerExtension.class)
@Order(1)
class RawSeekIT {

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
}
