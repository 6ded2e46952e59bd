/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.TrimmedIT.trim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I7: each consumer of a terminated topic learns of the end when it has everything. */
@ExtendWith(OperatedBroker.class)
class TerminationIT {

  @Test
  void shouldTellEachConsumerOfTheEndWhenItHasAcknowledgedEverything(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe();
        Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      // Not a multiple of five, after which a ledger is full: stock code fences a topic that is
      // terminated while the next ledger is made, or one is trimmed.
      publish(broker, topic, 0, 12);
      assertThat(receiveAndAck(fast, 12)).isEqualTo(values(0, 12));
      List<Message<String>> received = receive(slow, 12);
      slow.acknowledgeCumulative(received.get(3));
      broker.admin().topics().terminateTopic(topic);

      await().until(fast::hasReachedEndOfTopic);
      await().during(Duration.ofSeconds(2)).until(() -> !slow.hasReachedEndOfTopic());
      slow.acknowledgeCumulative(received.get(11));
      await().until(slow::hasReachedEndOfTopic);
    }
  }

  @Test
  void shouldTellAConsumerThatComesToATerminatedTopic(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "away").subscribe().close();
    publish(broker, topic, 0, 7);
    broker.admin().topics().terminateTopic(topic);
    try (Consumer<String> returned = broker.broadcast(topic, "all", "away").subscribe()) {
      assertThat(returned.hasReachedEndOfTopic()).isFalse();
      assertThat(receiveAndAck(returned, 7)).isEqualTo(values(0, 7));
      await().until(returned::hasReachedEndOfTopic);
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> again = broker.broadcast(topic, "all", "away").subscribe()) {
      await().until(again::hasReachedEndOfTopic);
    }
  }

  /** Such a topic has no ledger any more, and a read would fail again and again. */
  @Test
  void shouldTellConsumersOfATopicThatWasTerminatedWithoutAMessage(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "away").subscribe().close();
    broker.admin().topics().terminateTopic(topic);
    broker.admin().topics().unload(topic);
    try (Consumer<String> returned = broker.broadcast(topic, "all", "away").subscribe();
        Consumer<String> earliest =
            broker
                .broadcast(topic, "all", "earliest")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe()) {
      await().until(returned::hasReachedEndOfTopic);
      await().until(earliest::hasReachedEndOfTopic);
      assertThat(readFailures(broker, topic)).isZero();
    }
  }

  /** The cursor of a topic that has ended keeps a read that found nothing, and refuses the next. */
  @Test
  void shouldTellTheSecondConsumerOfATerminatedTopicThatWasLoadedAgain(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    List<MessageId> ids;
    try (Consumer<String> before = broker.broadcast(topic, "all", "away").subscribe()) {
      ids = publish(broker, topic, 0, 7);
      assertThat(receiveAndAck(before, 7)).isEqualTo(values(0, 7));
    }
    trim(broker, topic, ids.get(6));
    broker.admin().topics().terminateTopic(topic);
    broker.admin().topics().unload(topic);
    try (PulsarClient one = broker.newClient();
        PulsarClient two = broker.newClient();
        Consumer<String> first = Broker.broadcast(one, topic, "all", "first").subscribe()) {
      await().until(first::hasReachedEndOfTopic);
      try (Consumer<String> second = Broker.broadcast(two, topic, "all", "second").subscribe()) {
        await().until(second::hasReachedEndOfTopic);
      }
      assertThat(readFailures(broker, topic)).isZero();
    }
  }

  private static double readFailures(Broker broker, String topic) throws Exception {
    return Scrape.of(broker.process())
        .value("pulsar_broadcast_read_failures_total", "topic", topic, "subscription", "all");
  }

  /** Such a topic has no first entry either, which whoever looks for a time would ask for. */
  @Test
  void shouldFindATimeInATopicThatWasTerminatedWithoutAMessage(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "away").subscribe().close();
    broker.admin().topics().terminateTopic(topic);
    broker.admin().topics().unload(topic);
    try (PulsarClient client = broker.newClient();
        Consumer<String> returned = broker.broadcast(topic, "all", "away").subscribe()) {
      RawConnection raw = new RawConnection(broker, client);
      raw.subscribeBack(1, topic, "back", Duration.ofHours(1)).get();
      raw.close(1).get();
      returned.seek(System.currentTimeMillis());
      await().until(returned::hasReachedEndOfTopic);
    }
    broker.admin().topics().resetCursor(topic, "all", System.currentTimeMillis());
    broker.admin().topics().resetCursor(topic, "all", MessageId.earliest);
    try (Consumer<String> again = broker.broadcast(topic, "all", "away").subscribe()) {
      await().until(again::hasReachedEndOfTopic);
    }
    broker.admin().topics().deleteSubscription(topic, "all");
  }
}
