/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the broker does with a message for each consumer when it is configured to: entry filters
 * (PIP-105), and acknowledgements of single messages of a batch.
 */
class EntryFilterProcessIT {

  private static Broker broker;

  @BeforeAll
  static void startBroker(@TempDir Path folder) throws Exception {
    EntryFilterNar.write(folder, Path.of(System.getProperty("pulsar.home")));
    broker =
        Broker.start(
            BrokerExtension.newBroker()
                .setting("entryFilterNames", EntryFilterNar.NAME)
                .setting("entryFiltersDirectory", folder.toString())
                .setting("dispatcherEntryFilterRescheduledMessageDelay", "200")
                .setting("acknowledgmentAtBatchIndexLevelEnabled", "true"));
  }

  @AfterAll
  static void stopBroker() throws Exception {
    broker.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = SubscriptionType.class,
      names = {"Exclusive", "Shared"})
  void shouldGiveEachConsumerWhatTheFilterLetsThrough(SubscriptionType contract) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> odd =
            consumer(topic, "a", contract).property("wants", "odd").subscribe();
        Consumer<String> even =
            consumer(topic, "b", contract).property("wants", "even").subscribe();
        Consumer<String> all = consumer(topic, "c", contract).subscribe();
        Producer<String> producer = producer(topic)) {
      for (int i = 0; i < 10; i++) {
        producer.newMessage().value("" + i).property("kind", i % 2 == 0 ? "even" : "odd").send();
      }
      assertThat(receiveAndAck(odd, 5)).containsExactly("1", "3", "5", "7", "9");
      assertThat(receiveAndAck(even, 5)).containsExactly("0", "2", "4", "6", "8");
      assertThat(receiveAndAck(all, 10)).hasSize(10);
      assertNothingMore(odd);
      assertNothingMore(even);
      awaitBacklog(broker, topic, "all", 0);
      assertThat(stats(broker, topic, "all").getFilterRejectedMsgCount()).as("I6").isEqualTo(10);
      assertThat(stats(broker, topic, "all").getFilterAcceptedMsgCount()).isEqualTo(20);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = SubscriptionType.class,
      names = {"Exclusive", "Shared"})
  void shouldBringBackWhatTheFilterPutsOff(SubscriptionType contract) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = consumer(topic, "a", contract).subscribe();
        Consumer<String> b = consumer(topic, "b", contract).subscribe();
        Producer<String> producer = producer(topic)) {
      producer.newMessage().value("first").send();
      producer.newMessage().value("put off").property("once", "yes").send();
      for (Consumer<String> each : List.of(a, b)) {
        List<String> received = new ArrayList<>();
        while (!received.contains("put off")) {
          received.addAll(receiveAndAck(each, 1));
        }
        // In the ordered contract what was not acknowledged meanwhile comes again before it.
        assertThat(received.stream().distinct()).containsExactly("first", "put off");
        assertNothingMore(each);
      }
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = SubscriptionType.class,
      names = {"Exclusive", "Shared"})
  void shouldNotBringBackSingleMessagesOfABatchThatAreAcknowledged(SubscriptionType contract)
      throws Exception {
    String topic = Broker.newTopic();
    ConsumerBuilder<String> builder =
        consumer(topic, "a", contract).enableBatchIndexAcknowledgment(true);
    try (Consumer<String> beside =
        consumer(topic, "b", contract).enableBatchIndexAcknowledgment(true).subscribe()) {
      try (Consumer<String> consumer = builder.subscribe()) {
        Messages.publishBatches(broker, topic, 0, 10, 10);
        for (Message<String> message : Messages.receive(consumer, 10)) {
          if (indexOf(message) % 2 == 1) {
            consumer.acknowledge(message);
          }
        }
      }
      broker.admin().topics().unload(topic);
      try (Consumer<String> returned = builder.subscribe()) {
        assertThat(receiveAndAck(returned, 5))
            .as("I4, and nothing that was acknowledged")
            .containsExactly("message-0", "message-2", "message-4", "message-6", "message-8");
        assertNothingMore(returned);
      }
      assertThat(receiveAndAck(beside, 10))
          .as("its neighbour's acknowledgements are not its own")
          .hasSize(10);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldNotBringBackWhatWasAcknowledgedCumulativelyInABatch() throws Exception {
    String topic = Broker.newTopic();
    ConsumerBuilder<String> builder =
        consumer(topic, "a", SubscriptionType.Exclusive).enableBatchIndexAcknowledgment(true);
    try (Consumer<String> consumer = builder.subscribe()) {
      Messages.publishBatches(broker, topic, 0, 20, 10);
      consumer.acknowledgeCumulative(Messages.receive(consumer, 20).get(14));
    }
    try (Consumer<String> returned = builder.subscribe()) {
      assertThat(receiveAndAck(returned, 5)).isEqualTo(Messages.values(15, 20));
      assertNothingMore(returned);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** Before its time, too: what others retry does not wait among a consumer's delayed messages. */
  @Test
  void shouldGiveARetryOnASharedTopicToNobodyElse() throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = retrying(topic, "a").subscribe();
        Consumer<String> b = retrying(topic, "b").subscribe();
        Consumer<String> c = retrying(topic, "c").subscribe()) {
      Messages.publish(broker, topic, 0, 2);
      assertThat(receiveAndAck(b, 2)).isEqualTo(Messages.values(0, 2));
      assertThat(receiveAndAck(c, 2)).isEqualTo(Messages.values(0, 2));
      List<Message<String>> first = Messages.receive(a, 2);
      Map<String, String> forA = Map.of("kind", "a");
      a.reconsumeLater(first.get(0), forA, 1, TimeUnit.HOURS);
      a.reconsumeLater(first.get(1), forA, 100, TimeUnit.MILLISECONDS);

      Message<String> again = Messages.receive(a, 1).get(0);
      assertThat(again.getTopicName()).isEqualTo(topic + "-RETRY");
      assertThat(again.getValue()).isEqualTo("message-1");
      a.acknowledge(again);
      assertNothingMore(b);
      assertNothingMore(c);
      // What is acknowledged after the one that waits counts, too.
      awaitBacklog(broker, topic + "-RETRY", "all", 2);
      assertThat(stats(broker, topic + "-RETRY", "all").getMsgOutCounter()).isEqualTo(1);
      assertThat(stats(broker, topic + "-RETRY", "all").getFilterRejectedMsgCount())
          .as("of b and c")
          .isEqualTo(4);
    }
  }

  private static ConsumerBuilder<String> retrying(String topic, String name) {
    return consumer(topic, name, SubscriptionType.Shared)
        .property("wants", name)
        .enableRetry(true)
        .deadLetterPolicy(
            DeadLetterPolicy.builder()
                .maxRedeliverCount(3)
                .retryLetterTopic(topic + "-RETRY")
                .deadLetterTopic(topic + "-DLQ")
                .build());
  }

  private static int indexOf(Message<String> message) {
    return ((MessageIdAdv) message.getMessageId()).getBatchIndex();
  }

  private static ConsumerBuilder<String> consumer(
      String topic, String name, SubscriptionType contract) {
    return broker.atOnce(topic, "all", name).subscriptionType(contract);
  }

  private static Producer<String> producer(String topic) throws Exception {
    return broker.client().newProducer(Schema.STRING).topic(topic).enableBatching(false).create();
  }
}
