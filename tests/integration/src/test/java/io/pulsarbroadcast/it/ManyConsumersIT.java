/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.BroadcastConsumerBuilder;
import io.pulsarbroadcast.client.ManyConsumers;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I2 for many consumers of one stock client, set up as {@link ManyConsumers} says. */
@ExtendWith(BrokerExtension.class)
class ManyConsumersIT {
  private static final int CONSUMERS = 1_000;
  private static final int MESSAGES = 20;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @Test
  void shouldGiveEveryMessageOnceAndInOrderToEachConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    List<ConcurrentLinkedQueue<String>> received =
        Stream.generate(ConcurrentLinkedQueue<String>::new).limit(CONSUMERS).toList();
    try (PulsarClient client =
        ManyConsumers.prepare(PulsarClient.builder())
            .serviceUrl(broker.process().serviceUrl())
            .build()) {
      BroadcastConsumerBuilder<String> cars =
          ManyConsumers.prepare(
              BroadcastClient.wrap(client)
                  .newConsumer(Schema.STRING)
                  .topic(topic)
                  .subscriptionName("all")
                  .subscriptionType(SubscriptionType.Broadcast));
      List<Consumer<String>> consumers =
          ManyConsumers.subscribe(
              CONSUMERS,
              i ->
                  cars.clone()
                      .consumerName("car-" + i)
                      .messageListener(
                          (consumer, message) -> {
                            received.get(i).add(message.getValue());
                            consumer.acknowledgeAsync(message);
                          }));
      assertThat(consumers)
          .extracting(Consumer::getConsumerName)
          .isEqualTo(IntStream.range(0, CONSUMERS).mapToObj(i -> "car-" + i).toList());
      assertThat(stats(broker, topic, "all").getConsumers()).hasSize(CONSUMERS);

      publish(broker, topic, 0, MESSAGES);
      await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  received.stream().mapToInt(ConcurrentLinkedQueue::size).sum()
                      >= CONSUMERS * MESSAGES);

      assertThat(received)
          .allSatisfy(each -> assertThat(each).containsExactlyElementsOf(values(0, MESSAGES)));
      awaitBacklog(broker, topic, "all", 0);
    }
  }
}
