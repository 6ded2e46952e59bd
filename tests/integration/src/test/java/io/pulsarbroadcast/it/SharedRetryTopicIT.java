/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.ManyConsumers;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One retry letter topic for all consumers, whose listener leaves alone what others retry. */
@ExtendWith(BrokerExtension.class)
class SharedRetryTopicIT {
  private static final int CONSUMERS = 20;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
  private final AtomicInteger ofOthers = new AtomicInteger();

  @Test
  void shouldRetryForTheConsumerAloneThatAskedForIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (BroadcastClient client = BroadcastClient.wrap(broker.newClient())) {
      ManyConsumers.subscribe(CONSUMERS, i -> consumer(client, topic, "car-" + i));

      publish(broker, topic, 0, 1);
      await().atMost(TIMEOUT).until(() -> handled.contains("car-7 again"));
      await().atMost(TIMEOUT).until(() -> ofOthers.get() >= CONSUMERS - 1);
      awaitBacklog(broker, topic, "all", 0);
      awaitBacklog(broker, topic + "-RETRY", "all", 0);

      assertThat(handled).hasSize(CONSUMERS + 1).doesNotHaveDuplicates();
      assertThat(stats(broker, topic + "-RETRY", "all").getMsgOutCounter())
          .as("what a retry costs")
          .isEqualTo(CONSUMERS);
    }
  }

  /** As docs/clients.md has it. */
  private ConsumerBuilder<String> consumer(BroadcastClient client, String topic, String name) {
    return client
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName("all")
        .subscriptionType(SubscriptionType.Broadcast)
        .unordered()
        .consumerName(name)
        .enableRetry(true)
        .deadLetterPolicy(
            DeadLetterPolicy.builder()
                .maxRedeliverCount(3)
                .retryLetterTopic(topic + "-RETRY")
                .deadLetterTopic(topic + "-DLQ")
                .build())
        .messageListener(
            (c, message) -> {
              if (!message.getProperties().getOrDefault("retried-by", name).equals(name)) {
                ofOthers.incrementAndGet();
                c.acknowledgeAsync(message); // another consumer's
                return;
              }
              try {
                handle(name, message);
                c.acknowledgeAsync(message);
              } catch (RuntimeException e) {
                c.reconsumeLaterAsync(
                    message, Map.of("retried-by", name), 100, TimeUnit.MILLISECONDS);
              }
            });
  }

  private void handle(String name, Message<String> message) {
    boolean again = message.hasProperty("RECONSUMETIMES");
    handled.add(name + (again ? " again" : ""));
    if (name.equals("car-7") && !again) {
      throw new IllegalStateException("not now");
    }
  }
}
