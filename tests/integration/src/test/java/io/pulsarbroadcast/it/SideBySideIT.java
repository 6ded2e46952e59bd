/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.LongRunningProcessStatus;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.TableView;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I9: Broadcast subscriptions and plain ones of every stock type share a topic undisturbed. */
@ExtendWith(BrokerExtension.class)
class SideBySideIT {

  @Test
  void shouldServeEverySubscriptionOfOneTopicByItsOwnRules(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    BlockingQueue<String> ofFailover = new LinkedBlockingQueue<>();
    BlockingQueue<String> ofShared = new LinkedBlockingQueue<>();
    BlockingQueue<String> ofKeyShared = new LinkedBlockingQueue<>();
    try (PulsarClient client = broker.newClient()) {
      List<Consumer<String>> receiveAll =
          List.of(
              Broker.broadcast(client, topic, "one", "a").subscribe(),
              Broker.broadcast(client, topic, "one", "b").subscribe(),
              Broker.broadcast(client, topic, "two", "a").subscribe(),
              Broker.broadcast(client, topic, "two", "b").subscribe(),
              plain(client, topic, SubscriptionType.Exclusive).subscribe());
      subscribeTwo(client, topic, SubscriptionType.Failover, ofFailover);
      subscribeTwo(client, topic, SubscriptionType.Shared, ofShared);
      subscribeTwo(client, topic, SubscriptionType.Key_Shared, ofKeyShared);
      publish(broker, topic, 0, 20);

      for (Consumer<String> each : receiveAll) {
        assertThat(receiveAndAck(each, 20)).isEqualTo(values(0, 20));
      }
      assertThat(take(ofFailover, 20)).isEqualTo(values(0, 20));
      assertThat(take(ofShared, 20)).containsExactlyInAnyOrderElementsOf(values(0, 20));
      assertThat(take(ofKeyShared, 20)).containsExactlyInAnyOrderElementsOf(values(0, 20));

      for (String type : List.of("Exclusive", "Failover", "Shared", "Key_Shared")) {
        assertThat(stats(broker, topic, type).getType()).isEqualTo(type);
        awaitBacklog(broker, topic, type, 0);
      }
      for (String broadcast : List.of("one", "two")) {
        assertThat(stats(broker, topic, broadcast).getType()).isEqualTo("Broadcast");
        awaitBacklog(broker, topic, broadcast, 0);
      }

      // Whatever came twice would be before the next message.
      publish(broker, topic, 20, 21);
      for (Consumer<String> each : receiveAll) {
        assertThat(receiveAndAck(each, 1)).isEqualTo(values(20, 21));
      }
      for (BlockingQueue<String> each : List.of(ofFailover, ofShared, ofKeyShared)) {
        assertThat(take(each, 1)).isEqualTo(values(20, 21));
      }
    }
  }

  @Test
  void shouldKeepThePositionsOfOneNameInTwoSubscriptionsApart(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> one = broker.broadcast(topic, "one", "a").subscribe();
        Consumer<String> two = broker.broadcast(topic, "two", "a").subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(one, 10)).isEqualTo(values(0, 10));
      assertThat(receiveAndAck(two, 4)).isEqualTo(values(0, 4));
      awaitBacklog(broker, topic, "one", 0);
      awaitBacklog(broker, topic, "two", 6);
    }
  }

  /** It reads the topic's compacted messages, and Broadcast consumers read all of them. */
  @Test
  void shouldShowATableViewTheLatestOfEachKey(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> early = broker.broadcast(topic, "all", "early").subscribe()) {
      publishToThreeKeys(broker, topic, 0, 6);
      compact(broker, topic);
      try (TableView<String> view =
              broker.client().newTableView(Schema.STRING).topic(topic).create();
          Consumer<String> late =
              broker
                  .broadcast(topic, "all", "late")
                  .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                  .subscribe()) {
        awaitLatest(view, 3);
        publishToThreeKeys(broker, topic, 6, 9);
        awaitLatest(view, 6);
        for (Consumer<String> each : List.of(early, late)) {
          assertThat(receiveAndAck(each, 9)).isEqualTo(values(0, 9));
          assertNothingMore(each);
        }
        awaitBacklog(broker, topic, "all", 0);
      }
    }
  }

  private static void publishToThreeKeys(Broker broker, String topic, int from, int to)
      throws PulsarClientException {
    try (Producer<String> producer =
        broker.client().newProducer(Schema.STRING).topic(topic).create()) {
      for (int i = from; i < to; i++) {
        producer.newMessage().key("key-" + i % 3).value("message-" + i).send();
      }
    }
  }

  private static void compact(Broker broker, String topic) throws PulsarAdminException {
    broker.admin().topics().triggerCompaction(topic);
    await()
        .untilAsserted(
            () ->
                assertThat(broker.admin().topics().compactionStatus(topic).status)
                    .isEqualTo(LongRunningProcessStatus.Status.SUCCESS));
  }

  /** Waits until the view has the three messages from this one on, each under its key. */
  private static void awaitLatest(TableView<String> view, int from) {
    await()
        .untilAsserted(
            () ->
                assertThat(view.entrySet())
                    .containsExactlyInAnyOrder(
                        Map.entry("key-0", "message-" + from),
                        Map.entry("key-1", "message-" + (from + 1)),
                        Map.entry("key-2", "message-" + (from + 2))));
  }

  private static ConsumerBuilder<String> plain(
      PulsarClient client, String topic, SubscriptionType type) {
    return client
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName(type.toString())
        .subscriptionType(type);
  }

  /** Two consumers of one subscription, who acknowledge what they put into one queue. */
  private static void subscribeTwo(
      PulsarClient client, String topic, SubscriptionType type, BlockingQueue<String> received)
      throws PulsarClientException {
    ConsumerBuilder<String> consumer =
        plain(client, topic, type)
            .messageListener(
                (receiver, message) -> {
                  received.add(message.getValue());
                  receiver.acknowledgeAsync(message);
                });
    consumer.clone().subscribe();
    consumer.clone().subscribe();
  }

  /** The next so many; fewer when no more come. */
  private static List<String> take(BlockingQueue<String> received, int count)
      throws InterruptedException {
    List<String> taken = new ArrayList<>();
    while (taken.size() < count) {
      String next = received.poll(1, TimeUnit.MINUTES);
      if (next == null) {
        break;
      }
      taken.add(next);
    }
    return taken;
  }
}
