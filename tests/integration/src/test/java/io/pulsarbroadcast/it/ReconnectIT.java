/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.impl.ConsumerImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1, I2 and I4 across lost connections and unloaded topics. */
@ExtendWith(BrokerExtension.class)
class ReconnectIT {

  @Test
  void shouldRedeliverUnacknowledgedInOrderAfterTheConnectionWasLost(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient own = broker.newClient();
        Consumer<String> consumer = Broker.atOnce(own, topic, "all", "a").subscribe();
        Consumer<String> beside = broker.broadcast(topic, "all", "b").subscribe()) {
      publish(broker, topic, 0, 10);
      List<Message<String>> received = receive(consumer, 10);
      assertThat(receiveValues(beside, 10)).isEqualTo(values(0, 10));
      consumer.acknowledgeCumulative(received.get(2));
      consumer.acknowledge(received.get(6));

      ((ConsumerImpl<String>) consumer).getClientCnx().ctx().close();
      assertThat(receiveValues(consumer, 6))
          .containsExactly(
              "message-3", "message-4", "message-5", "message-7", "message-8", "message-9");
      assertNextIsNew(broker, topic, 10, consumer, beside);
    }
  }

  @Test
  void shouldRedeliverUnacknowledgedInOrderAfterTheTopicWasUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer =
        Broker.atOnce(broker.client(), topic, "all", "a").subscribe()) {
      publish(broker, topic, 0, 10);
      consumer.acknowledgeCumulative(receive(consumer, 10).get(2));

      broker.admin().topics().unload(topic);
      assertThat(receiveValues(consumer, 7)).isEqualTo(values(3, 10));
      assertNextIsNew(broker, topic, 10, consumer);
    }
  }

  @Test
  void shouldMissNothingOfConsumersAtDifferentPlacesWhenTheTopicIsUnloaded(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> slow = Broker.atOnce(broker.client(), topic, "all", "slow").subscribe();
        Consumer<String> fast = Broker.atOnce(broker.client(), topic, "all", "fast").subscribe()) {
      publish(broker, topic, 0, 10);
      slow.acknowledgeCumulative(receive(slow, 10).get(2));
      fast.acknowledgeCumulative(receive(fast, 10).get(9));

      broker.admin().topics().unload(topic);
      publish(broker, topic, 10, 15);
      assertThat(receiveValues(slow, 12)).isEqualTo(values(3, 15));
      assertThat(receiveValues(fast, 5)).as("I5").isEqualTo(values(10, 15));
      assertNextIsNew(broker, topic, 15, slow, fast);
    }
  }

  /** Consumers that come do not keep a topic from being unloaded, nor are they forgotten by it. */
  @Test
  void shouldUnloadTheTopicWhileConsumersCome(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient silent = broker.newClient();
        Consumer<String> namesake =
            // Perhaps it is back only after the message, and another car has its position.
            Broker.broadcast(silent, topic, "all", "car")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe()) {
      // It gives no sign of life, which the broker asks for when another of its name comes.
      Channel channel = ((ConsumerImpl<String>) namesake).getClientCnx().ctx().channel();
      channel.config().setAutoRead(false);
      List<CompletableFuture<Consumer<String>>> coming = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        coming.add(
            broker
                .broadcast(topic, "all", "car")
                // Perhaps it is there only after the message.
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribeAsync());
      }
      // On the same connection: when it is there, the broker has begun with those before it.
      broker.broadcast(topic, "all", "beside").subscribe().close();

      broker.admin().topics().unload(topic);
      channel.config().setAutoRead(true);
      publish(broker, topic, 0, 1);
      for (CompletableFuture<Consumer<String>> each : coming) {
        try (Consumer<String> car = each.get(1, TimeUnit.MINUTES)) {
          assertThat(receiveValues(car, 1)).as("I1").isEqualTo(values(0, 1));
        }
      }
      assertThat(receiveValues(namesake, 1)).as("I1").isEqualTo(values(0, 1));
    }
  }

  @Test
  void shouldDeliverEverythingInOrderWhileTheTopicIsUnloadedUnderLoad(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    Map<MessageId, String> byPrompt = new LinkedHashMap<>();
    Map<MessageId, String> byAway = new LinkedHashMap<>();
    Map<MessageId, String> byLate = new LinkedHashMap<>();
    try (Consumer<String> prompt = broker.broadcast(topic, "all", "prompt").subscribe();
        Consumer<String> late = broker.broadcast(topic, "all", "late").subscribe()) {
      Consumer<String> away = broker.broadcast(topic, "all", "away").subscribe();
      List<MessageId> published;
      try (SteadyPublisher publisher = new SteadyPublisher(broker.client(), topic)) {
        for (int unloads = 0; unloads < 5; unloads++) {
          publisher.awaitFurther(100);
          MessageId place = publisher.lastAcknowledged();
          receiveUntil(prompt, place, byPrompt);
          receiveUntil(away, place, byAway);
          away.close();
          broker.admin().topics().unload(topic);
          publisher.awaitFurther(100);
          away = broker.broadcast(topic, "all", "away").subscribe();
        }
        published = publisher.stop();
      }
      MessageId last = published.get(published.size() - 1);
      assertEverythingInOrder(receiveUntil(prompt, last, byPrompt), published);
      assertEverythingInOrder(receiveUntil(away, last, byAway), published);
      assertEverythingInOrder(receiveUntil(late, last, byLate), published);
      away.close();
    }
  }

  /** Publishes one more message, which must be the next that each consumer is given. */
  @SafeVarargs
  private static void assertNextIsNew(
      Broker broker, String topic, int next, Consumer<String>... consumers) throws Exception {
    publish(broker, topic, next, next + 1);
    for (Consumer<String> consumer : consumers) {
      assertThat(receiveValues(consumer, 1)).isEqualTo(values(next, next + 1));
    }
  }

  /** Acknowledges what comes, up to a message, and adds each message when it comes first. */
  private static Map<MessageId, String> receiveUntil(
      Consumer<String> consumer, MessageId last, Map<MessageId, String> received) throws Exception {
    while (!received.containsKey(last)) {
      Message<String> message = consumer.receive(1, TimeUnit.MINUTES);
      assertThat(message).as("%s messages came; one before %s", received.size(), last).isNotNull();
      received.putIfAbsent(message.getMessageId(), message.getValue());
      // It comes again if the consumer is not connected just now.
      consumer.acknowledgeAsync(message);
    }
    return received;
  }

  /**
   * The topic may have a message twice, when the producer was not told that it was stored; its
   * values are published in their order all the same.
   */
  private static void assertEverythingInOrder(
      Map<MessageId, String> received, List<MessageId> published) {
    Set<MessageId> missed = new LinkedHashSet<>(published);
    missed.removeAll(received.keySet());
    assertThat(missed).as("I1: acknowledged to the producer, and not received").isEmpty();
    assertThat(List.copyOf(received.keySet())).as("I2: ids").isSorted();
    assertThat(List.copyOf(new LinkedHashSet<>(received.values())))
        .as("I1, I2: values")
        .isEqualTo(values(0, published.size()));
  }

  /** Publishes all the time, with some messages on their way, until it is stopped. */
  private static final class SteadyPublisher implements AutoCloseable {

    private static final int UNDER_WAY = 10;

    private final Producer<String> producer;
    private final List<CompletableFuture<MessageId>> sent = new ArrayList<>();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final Thread thread = new Thread(this::publish, "steady-publisher");
    private volatile MessageId lastAcknowledged;
    private volatile boolean stopped;

    SteadyPublisher(PulsarClient client, String topic) throws PulsarClientException {
      producer =
          client
              .newProducer(Schema.STRING)
              .topic(topic)
              .enableBatching(false)
              .sendTimeout(0, TimeUnit.SECONDS)
              .maxPendingMessages(UNDER_WAY)
              .blockIfQueueFull(true)
              .create();
      thread.start();
    }

    private void publish() {
      for (int i = 0; !stopped; i++) {
        sent.add(
            producer
                .sendAsync("message-" + i)
                .thenApply(
                    id -> {
                      lastAcknowledged = id;
                      acknowledged.incrementAndGet();
                      return id;
                    }));
      }
    }

    /** Waits until so many more messages are published. */
    void awaitFurther(int messages) {
      int enough = acknowledged.get() + messages;
      await().atMost(Duration.ofMinutes(1)).until(() -> acknowledged.get() >= enough);
    }

    MessageId lastAcknowledged() {
      return lastAcknowledged;
    }

    /** The ids of everything published, in the order of the values. */
    List<MessageId> stop() throws InterruptedException {
      stopped = true;
      thread.join();
      return sent.stream().map(CompletableFuture::join).toList();
    }

    @Override
    public void close() throws PulsarClientException {
      stopped = true;
      // Ends the publish that waits for its turn.
      producer.close();
    }
  }
}
