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
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I6: what a dropped position had not acknowledged is counted, to the message. */
@ExtendWith(OperatedBroker.class)
class PositionExpiryIT {

  private static final String CAUSE = "positions exceeded their time to live";

  @Test
  void shouldCountWhatADroppedPositionHadNotAcknowledged(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      try (Consumer<String> leaving = leaving(broker, topic, 1).subscribe()) {
        publish(broker, topic, 0, 10);
        assertThat(receiveAndAck(leaving, 4)).isEqualTo(values(0, 4));
      }
      assertThat(receiveAndAck(beside, 10)).isEqualTo(values(0, 10));
      awaitBacklog(broker, topic, "all", 0);
      SkippedLog.awaitEntries(broker, topic, 6, CAUSE);
    }
  }

  /** Comes and goes until it came too late twice, and in time twenty times. */
  @Test
  void shouldGiveAReturningConsumerEverythingOrSayThatItsPositionIsGone(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe()) {
      leaving(broker, topic, 0).subscribe().close();
      int inTime = 0;
      int tooLate = 0;
      int published = 0;
      while (inTime < 20 || tooLate < 2) {
        publish(broker, topic, published, published + 1);
        try (Consumer<String> returned = leaving(broker, topic, 0).subscribe()) {
          publish(broker, topic, published + 1, published + 2);
          List<String> received = receiveUntil(returned, "message-" + (published + 1));
          if (received.equals(values(published, published + 2))) {
            inTime++;
          } else {
            assertThat(received).isEqualTo(values(published + 1, published + 2));
            tooLate++;
          }
        }
        published += 2;
      }
      assertThat(SkippedLog.of(broker, topic).stream().mapToInt(SkippedLog.Event::consumers).sum())
          .as("dropped positions in the log")
          .isGreaterThanOrEqualTo(tooLate);
      assertThat(receiveAndAck(beside, published)).isEqualTo(values(0, published));
    }
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

  private static ConsumerBuilder<String> leaving(Broker broker, String topic, int ttlSeconds) {
    return broker
        .atOnce(topic, "all", "leaving")
        .property("pulsar.broadcast.cursor.ttl.seconds", String.valueOf(ttlSeconds));
  }
}
