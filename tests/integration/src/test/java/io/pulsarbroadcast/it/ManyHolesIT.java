/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I4 with as many acknowledgements ahead of one position as a consumer may well have. */
@ExtendWith(BrokerExtension.class)
@Tag("complete")
class ManyHolesIT {

  private static final int HOLES = 20_000;
  private static final int MESSAGES = 2 * HOLES + 1;

  @Test
  void shouldKeepTwentyThousandHolesOfOneConsumer(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    ConsumerBuilder<String> builder =
        broker
            .broadcast(topic, "all", "a")
            .subscriptionType(SubscriptionType.Shared)
            .receiverQueueSize(5_000)
            .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
            .acknowledgmentGroupTime(100, TimeUnit.MILLISECONDS);
    try (Consumer<String> consumer = builder.subscribe()) {
      publish(broker, topic);
      for (int i = 0; i < MESSAGES; i++) {
        Message<String> message = consumer.receive();
        if (i % 2 == 1) {
          consumer.acknowledge(message);
        }
      }
      await()
          .untilAsserted(
              () ->
                  assertThat(stats(broker, topic, "all").getConsumers().get(0).getUnackedMessages())
                      .isEqualTo(MESSAGES - HOLES));
    }
    broker.admin().topics().unload(topic);
    try (Consumer<String> returned = builder.subscribe()) {
      List<String> sent = values(0, MESSAGES);
      assertThat(receiveValues(returned, MESSAGES - HOLES))
          .as("I4, and nothing that was acknowledged comes again")
          .isEqualTo(
              IntStream.range(0, MESSAGES).filter(i -> i % 2 == 0).mapToObj(sent::get).toList());
      assertNothingMore(returned);
    }
  }

  /** An entry each, without waiting for one before the next. */
  private static void publish(Broker broker, String topic) throws Exception {
    try (Producer<String> producer =
        broker
            .client()
            .newProducer(Schema.STRING)
            .topic(topic)
            .enableBatching(false)
            .maxPendingMessages(2_000)
            .blockIfQueueFull(true)
            .create()) {
      values(0, MESSAGES).forEach(producer::sendAsync);
      producer.flush();
    }
  }
}
