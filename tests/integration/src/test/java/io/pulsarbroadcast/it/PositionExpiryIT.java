/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.receiveUnexpected;
import static io.pulsarbroadcast.it.Messages.receiveUntil;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Schema;
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

  /** I3 of two that share a name: one stays away, the other comes and goes in time. */
  @Test
  void shouldNotHoldForEverWhatOneLeftWhoseNamesakeComesAndGoes(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    int ttlSeconds = 6;
    try (Consumer<String> gone = leaving(broker, topic, ttlSeconds).subscribe();
        Consumer<String> other = leaving(broker, topic, ttlSeconds).subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(gone, 2)).isEqualTo(values(0, 2));
      assertThat(receiveAndAck(other, 10)).isEqualTo(values(0, 10));
    }
    // The first time again from the other's position on, and in the end nothing.
    await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofSeconds(ttlSeconds).dividedBy(4))
        .untilAsserted(
            () -> {
              try (Consumer<String> back = leaving(broker, topic, ttlSeconds).subscribe()) {
                List<String> again = new ArrayList<>();
                for (Message<String> next; (next = receiveUnexpected(back)) != null; ) {
                  again.add(next.getValue());
                  back.acknowledge(next);
                }
                assertThat(Subscriptions.stats(broker, topic, "all").getMsgBacklog())
                    .as("held by the one that is gone")
                    .isZero();
                assertThat(again).isEmpty();
              }
            });
  }

  /** Comes and goes until it came too late twice, and in time twenty times. */
  @Test
  void shouldGiveAReturningConsumerEverythingOrSayThatItsPositionIsGone(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    // Whoever comes back is not to wait for a producer.
    try (Consumer<String> beside = broker.broadcast(topic, "all", "beside").subscribe();
        Producer<String> producer =
            broker.client().newProducer(Schema.STRING).topic(topic).create()) {
      leaving(broker, topic, 0).subscribe().close();
      int inTime = 0;
      int tooLate = 0;
      int published = 0;
      while (inTime < 20 || tooLate < 2) {
        producer.send("message-" + published);
        try (Consumer<String> returned = leaving(broker, topic, 0).subscribe()) {
          producer.send("message-" + (published + 1));
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

  private static ConsumerBuilder<String> leaving(Broker broker, String topic, int ttlSeconds) {
    return broker
        .atOnce(topic, "all", "leaving")
        .property("pulsar.broadcast.cursor.ttl.seconds", String.valueOf(ttlSeconds));
  }
}
