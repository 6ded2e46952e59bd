/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** I1 and I3 with transactions: what is committed arrives, and what is not holds nothing back. */
@ExtendWith(BrokerExtension.class)
class TransactionIT {

  @Test
  void shouldDeliverCommittedMessagesAndNoAbortedOnes(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b =
            broker
                .broadcast(topic, "all", "b")
                .subscriptionType(SubscriptionType.Shared)
                .subscribe();
        Producer<String> producer = newProducer(broker, topic)) {
      Transaction aborted = begin(broker);
      send(producer, aborted, List.of("aborted-0", "aborted-1"));
      aborted.abort().get();
      Transaction committed = begin(broker);
      send(producer, committed, values(0, 5));
      committed.commit().get();

      for (Consumer<String> each : List.of(a, b)) {
        assertThat(receiveAndAck(each, 5)).isEqualTo(values(0, 5));
        assertNothingMore(each);
      }
    }
  }

  @Test
  void shouldHoldMessagesBackWhileATransactionIsOpen(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Producer<String> producer = newProducer(broker, topic)) {
      producer.send("message-0");
      Transaction open = begin(broker);
      send(producer, open, values(1, 3));
      producer.send("message-3");
      assertThat(receiveAndAck(a, 1)).isEqualTo(values(0, 1));
      assertNothingMore(a);

      open.commit().get();
      assertThat(receiveAndAck(a, 3)).isEqualTo(values(1, 4));
    }
  }

  @Test
  void shouldDeliverWhatFollowsATransactionThatIsAborted(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Producer<String> producer = newProducer(broker, topic)) {
      Transaction open = begin(broker);
      send(producer, open, List.of("aborted"));
      producer.send("message-0");
      assertNothingMore(a);

      open.abort().get();
      assertThat(receiveAndAck(a, 1)).isEqualTo(values(0, 1));
    }
  }

  /**
   * Far ahead: the tail reader leaps there, over the transaction, and leaves the rest to catch-up.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldHoldMessagesBackFromAConsumerBehindWhenAnotherIsFarAhead(
      boolean commits, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    broker.broadcast(topic, "all", "behind").subscribe().close();
    try (Producer<String> producer = newProducer(broker, topic)) {
      producer.send("message-0");
      Transaction open = begin(broker);
      send(producer, open, List.of("open-0", "open-1"));
      publish(broker, topic, 1, 1_501);
      broker.admin().topics().unload(topic);
      try (Consumer<String> ahead = broker.broadcast(topic, "all", "ahead").subscribe();
          Consumer<String> behind = broker.broadcast(topic, "all", "behind").subscribe()) {
        assertThat(receiveAndAck(behind, 1)).isEqualTo(values(0, 1));
        assertNothingMore(behind);
        assertNothingMore(ahead);

        (commits ? open.commit() : open.abort()).get();
        List<String> expected = new ArrayList<>(commits ? List.of("open-0", "open-1") : List.of());
        expected.addAll(values(1, 1_501));
        assertThat(receiveAndAck(behind, expected.size())).isEqualTo(expected);
        publish(broker, topic, 1_501, 1_502);
        assertThat(receiveAndAck(ahead, 1)).isEqualTo(values(1_501, 1_502));
        awaitBacklog(broker, topic, "all", 1);
        assertThat(receiveAndAck(behind, 1)).isEqualTo(values(1_501, 1_502));
        awaitBacklog(broker, topic, "all", 0);
      }
    }
  }

  /** Markers and aborted messages were given to nobody, and nobody can acknowledge them. */
  @Test
  void shouldNotCountAbortedMessagesAsUnacknowledged(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Producer<String> producer = newProducer(broker, topic);
        Consumer<String> a =
            broker
                .broadcast(topic, "all", "a")
                .subscriptionType(SubscriptionType.Shared)
                .subscribe()) {
      broker.admin().topicPolicies().setMaxUnackedMessagesOnConsumer(topic, 10);
      await()
          .until(
              () ->
                  broker.admin().topicPolicies().getMaxUnackedMessagesOnConsumer(topic, true)
                      == 10);
      for (int round = 0; round < 5; round++) {
        Transaction aborted = begin(broker);
        send(producer, aborted, List.of("aborted", "aborted", "aborted"));
        aborted.abort().get();
        publish(broker, topic, 3 * round, 3 * round + 3);
      }
      assertThat(receiveValues(a, 10)).isEqualTo(values(0, 10));
      assertNothingMore(a);
    }
  }

  @Test
  void shouldNotCountMarkersAndAbortedMessagesAsBacklog(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe();
        Producer<String> producer = newProducer(broker, topic)) {
      Transaction first = begin(broker);
      send(producer, first, List.of("aborted"));
      first.abort().get();
      Transaction committed = begin(broker);
      send(producer, committed, values(0, 3));
      committed.commit().get();
      Transaction last = begin(broker);
      send(producer, last, List.of("aborted"));
      last.abort().get();

      assertThat(receiveAndAck(a, 3)).isEqualTo(values(0, 3));
      assertThat(receiveAndAck(b, 3)).isEqualTo(values(0, 3));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldNotKeepABacklogOfAbortedMessagesAlone(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Producer<String> producer = newProducer(broker, topic)) {
      Transaction aborted = begin(broker);
      send(producer, aborted, List.of("aborted-0", "aborted-1"));
      aborted.abort().get();

      awaitBacklog(broker, topic, "all", 0);
      assertNothingMore(a);
    }
  }

  @Test
  void shouldRefuseAnAckInATransactionWithAClearErrorAndKeepThePosition(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 3);
      List<Message<String>> received = receive(a, 3);
      Transaction transaction = begin(broker);

      assertThatThrownBy(
              () -> a.acknowledgeAsync(received.get(2).getMessageId(), transaction).get())
          .hasMessageContaining("not supported on a Broadcast subscription");
      transaction.abort().get();
      a.redeliverUnacknowledgedMessages();
      assertThat(receiveAndAck(a, 3)).isEqualTo(values(0, 3));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private static Transaction begin(Broker broker) throws Exception {
    return broker
        .client()
        .newTransaction()
        .withTransactionTimeout(10, TimeUnit.MINUTES)
        .build()
        .get();
  }

  private static Producer<String> newProducer(Broker broker, String topic)
      throws PulsarClientException {
    return broker
        .client()
        .newProducer(Schema.STRING)
        .topic(topic)
        .enableBatching(false)
        .sendTimeout(0, TimeUnit.SECONDS)
        .create();
  }

  private static void send(Producer<String> producer, Transaction transaction, List<String> values)
      throws PulsarClientException {
    for (String value : values) {
      producer.newMessage(transaction).value(value).send();
    }
  }
}
