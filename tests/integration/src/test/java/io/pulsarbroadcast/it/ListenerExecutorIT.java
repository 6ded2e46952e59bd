/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.ListenerExecutors;
import io.pulsarbroadcast.client.OrderedListenerExecutor;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.MessageListener;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Listeners that block, of Broadcast consumers: I2 per key, and I4 when they are cut short. */
@ExtendWith(BrokerExtension.class)
class ListenerExecutorIT {
  private static final List<String> KEYS = List.of("slow", "a", "b", "c");

  /** Far more than the receiver queue has room for: places return as listeners are called. */
  private static final int PER_KEY = 100;

  @Test
  void shouldCallOtherKeysWhileTheListenerOfOneBlocks(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    CountDownLatch blocked = new CountDownLatch(1);
    Map<String, Queue<String>> received = new ConcurrentHashMap<>();
    MessageListener<String> listener =
        (consumer, message) -> {
          if (message.getKey().equals("slow")) {
            awaitUninterrupted(blocked);
          }
          received
              .computeIfAbsent(message.getKey(), key -> new ConcurrentLinkedQueue<>())
              .add(message.getValue());
          consumer.acknowledgeAsync(message);
        };
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient())) {
      try (OrderedListenerExecutor executor =
              ListenerExecutors.threads("car", Thread::new).build();
          Consumer<String> car =
              consumer(client, topic)
                  .messageListener(listener)
                  .messageListenerExecutor(executor)
                  .subscribe();
          Consumer<String> beside = consumer(client, topic).consumerName("beside").subscribe()) {
        publish(broker, topic);
        await()
            .atMost(Duration.ofMinutes(1))
            .untilAsserted(() -> assertThat(received.keySet()).contains("a", "b", "c"));
        assertThat(received).doesNotContainKey("slow");
        blocked.countDown();
        await()
            .atMost(Duration.ofMinutes(1))
            .untilAsserted(
                () ->
                    assertThat(KEYS)
                        .allSatisfy(
                            key ->
                                assertThat(received.get(key)).containsExactlyElementsOf(values())));
        assertThat(receiveAndAck(beside, KEYS.size() * PER_KEY)).hasSize(KEYS.size() * PER_KEY);
        awaitBacklog(broker, topic, "all", 0);
        assertThat(car.isConnected()).isTrue();
      }
      try (Consumer<String> again = consumer(client, topic).subscribe()) {
        assertNothingMore(again);
      }
    }
  }

  @Test
  void shouldSendAgainWhatWasDroppedWhenTheExecutorWasClosed(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch never = new CountDownLatch(1);
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient())) {
      OrderedListenerExecutor executor = threads().ordered().closeTimeout(Duration.ZERO).build();
      try (Consumer<String> car =
          consumer(client, topic)
              .messageListener(
                  (consumer, message) -> {
                    calls.incrementAndGet();
                    called.countDown();
                    try {
                      awaitUninterrupted(never);
                      consumer.acknowledgeAsync(message);
                    } finally {
                      interrupted.countDown();
                    }
                  })
              .messageListenerExecutor(executor)
              .subscribe()) {
        publish(broker, topic);
        called.await();
        executor.close();
        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(calls).hasValue(1);
        assertThat(car.isConnected()).isTrue();
      }
      try (Consumer<String> again = consumer(client, topic).subscribe()) {
        assertThat(receiveAndAck(again, KEYS.size() * PER_KEY))
            .as("the one whose listener was interrupted, and all that waited")
            .hasSize(KEYS.size() * PER_KEY);
      }
    }
  }

  /** Virtual ones, where there are. */
  private static ListenerExecutors.Builder threads() {
    return Runtime.version().feature() >= 21
        ? ListenerExecutors.virtualThreads("car")
        : ListenerExecutors.threads("car", Thread::new);
  }

  private static ConsumerBuilder<String> consumer(BroadcastClient client, String topic) {
    return client
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName("all")
        .subscriptionType(SubscriptionType.Broadcast)
        .receiverQueueSize(20)
        .consumerName("car");
  }

  private static List<String> values() {
    return IntStream.range(0, PER_KEY).mapToObj(Integer::toString).toList();
  }

  private static void publish(Broker broker, String topic) throws PulsarClientException {
    try (Producer<String> producer =
        broker.client().newProducer(Schema.STRING).topic(topic).enableBatching(false).create()) {
      for (String value : values()) {
        for (String key : KEYS) {
          producer.newMessage().key(key).value(value).sendAsync();
        }
      }
      producer.flush();
    }
  }

  /** Fails when it is interrupted, as a listener that is cut short does. */
  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
