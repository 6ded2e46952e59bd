/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveValues;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** More delayed messages than a subscription has room for. */
@ExtendWith(BrokerExtension.class)
@Tag("complete")
class DelayedDeliveriesIT {

  private static final int ROOM = 1_000_000;
  private static final int CONSUMERS = 110;
  private static final int DELAYED = 10_000;
  private static final int LEAVING = CONSUMERS / 2;

  /**
   * I8, and I7: a consumer for which there is no room waits, without holding up another; and is
   * served when there is.
   */
  @Test
  void shouldHoldNoMoreThanThereIsRoomFor(Broker broker) throws Exception {
    assertThat((long) CONSUMERS * DELAYED).isGreaterThan(ROOM);
    assertThat((CONSUMERS - LEAVING) * DELAYED).isLessThan(ROOM);
    String topic = Broker.newTopic();
    // One connection, whose frames come in the order in which the broker writes them.
    try (PulsarClient client = broker.newClient();
        Consumer<String> ordered = Broker.broadcast(client, topic, "all", "ordered").subscribe()) {
      List<Consumer<String>> consumers = subscribe(client, topic);
      publishDelayed(broker, topic, DELAYED);
      publish(broker, topic, 0, 1);
      List<Message<String>> received = receive(ordered, DELAYED + 1);
      assertThat(received.get(DELAYED).getValue()).as("I7, of ordered ones").isEqualTo("message-0");
      publish(broker, topic, 1, 2);
      assertThat(receiveValues(ordered, 1)).isEqualTo(values(1, 2));

      // What was for them has been written before the second, which came the same way.
      List<Consumer<String>> served = new ArrayList<>();
      for (Consumer<String> consumer : consumers) {
        if (consumer.receive(0, TimeUnit.MILLISECONDS) != null) {
          served.add(consumer);
        }
      }
      assertThat(served)
          .as("I8, those for whom every delayed message is held")
          .hasSizeLessThanOrEqualTo(ROOM / DELAYED);

      for (Consumer<String> leaving : consumers.subList(0, LEAVING)) {
        leaving.close();
      }
      for (Consumer<String> staying : consumers.subList(LEAVING, CONSUMERS)) {
        int first = served.contains(staying) ? 1 : 0;
        assertThat(receiveValues(staying, 2 - first)).as("I7").isEqualTo(values(first, 2));
      }
    }
  }

  /** I8: what is skipped takes no room; I7: nobody waits for it in vain. */
  @Test
  void shouldHoldNoRoomForWhatIsSkipped(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient client = broker.newClient();
        Consumer<String> ordered = Broker.broadcast(client, topic, "all", "ordered").subscribe()) {
      List<Consumer<String>> consumers = subscribe(client, topic);
      publishDelayed(broker, topic, DELAYED);
      assertThat(receive(ordered, DELAYED)).hasSize(DELAYED);
      broker.admin().topics().skipAllMessages(topic, "all");

      publishDelayed(broker, topic, 1);
      publish(broker, topic, 0, 1);
      for (Consumer<String> consumer : consumers) {
        assertThat(receiveValues(consumer, 1)).isEqualTo(values(0, 1));
      }
    }
  }

  private static List<Consumer<String>> subscribe(PulsarClient client, String topic) {
    List<CompletableFuture<Consumer<String>>> subscribing = new ArrayList<>();
    for (int i = 0; i < CONSUMERS; i++) {
      subscribing.add(
          Broker.broadcast(client, topic, "all", "car-" + i)
              .subscriptionType(SubscriptionType.Shared)
              .subscribeAsync());
    }
    return subscribing.stream().map(CompletableFuture::join).toList();
  }

  private static void publishDelayed(Broker broker, String topic, int messages)
      throws PulsarClientException {
    try (Producer<String> producer =
        broker.client().newProducer(Schema.STRING).topic(topic).blockIfQueueFull(true).create()) {
      for (int i = 0; i < messages; i++) {
        producer.newMessage().value("later").deliverAfter(1, TimeUnit.HOURS).sendAsync();
      }
      producer.flush();
    }
  }
}
