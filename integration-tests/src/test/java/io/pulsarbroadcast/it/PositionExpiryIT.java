/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** I6: what a dropped position had not acknowledged is counted, to the message. */
@ExtendWith(OperatedBroker.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class PositionExpiryIT {

  private static final String CAUSE = "positions exceeded their time to live";
  private static final int CONSUMERS = 30;

  @Test
  void shouldCountWhatADroppedPositionHadNotAcknowledged(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      try (Consumer<String> leaving = shortLived(broker, topic, "leaving").subscribe()) {
        publish(broker, topic, 0, 10);
        assertThat(receiveAndAck(leaving, 4)).isEqualTo(values(0, 4));
      }
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
      SkippedLog.awaitEntries(broker, topic, 6, CAUSE);
    }
  }

  @Test
  void shouldGiveAReturningConsumerEverythingOrCountWhatItMisses(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      List<Consumer<String>> leaving = subscribeAll(broker, topic);
      publish(broker, topic, 0, 10);
      for (Consumer<String> consumer : leaving) {
        consumer.close();
      }
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      // Returns one after the other, around the time when the positions are dropped.
      long missed = 0;
      for (int i = 0; i < CONSUMERS; i++) {
        try (Consumer<String> returned = shortLived(broker, topic, "car-" + i).subscribe()) {
          publish(broker, topic, 10 + i, 11 + i);
          List<String> received = receiveUntil(returned, "message-" + (10 + i));
          assertThat(values(0, 11 + i)).endsWith(received.toArray(String[]::new));
          missed += 11 + i - received.size();
        }
      }
      // Those who came back left again, and had everything: they add nothing when they are dropped.
      assertThat(receiveAndAck(beside, CONSUMERS)).hasSize(CONSUMERS);
      long expected = missed;
      assertThat(SkippedLog.of(broker, topic).stream().mapToLong(SkippedLog.Event::entries).sum())
          .isGreaterThanOrEqualTo(expected);
    }
  }

  private static List<Consumer<String>> subscribeAll(Broker broker, String topic) throws Exception {
    List<CompletableFuture<Consumer<String>>> subscribing = new ArrayList<>();
    for (int i = 0; i < CONSUMERS; i++) {
      subscribing.add(shortLived(broker, topic, "car-" + i).subscribeAsync());
    }
    List<Consumer<String>> subscribed = new ArrayList<>();
    for (CompletableFuture<Consumer<String>> consumer : subscribing) {
      subscribed.add(consumer.get());
    }
    return subscribed;
  }

  private static List<String> receiveUntil(Consumer<String> consumer, String last)
      throws Exception {
    List<String> received = new ArrayList<>();
    while (!received.contains(last)) {
      List<String> next = receiveAndAck(consumer, 1);
      if (next.isEmpty()) {
        break;
      }
      received.addAll(next);
    }
    return received;
  }

  private static ConsumerBuilder<String> shortLived(Broker broker, String topic, String name) {
    return broker
        .broadcast(topic, "all", name)
        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
        .isAckReceiptEnabled(true)
        .property("pulsar.broadcast.cursor.ttl.seconds", "1");
  }
}
