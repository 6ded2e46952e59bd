/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I3 and I4: an acknowledgement of what a consumer was never sent moves nothing. */
@ExtendWith(BrokerExtension.class)
class BogusAckIT {

  private static final long NO_SUCH_LEDGER = 987_654_321;

  @Test
  void shouldIgnoreAnAckAheadOfWhatWasSent(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    List<MessageId> ids;
    try (Consumer<String> consumer = atOnce(broker, topic).receiverQueueSize(1).subscribe()) {
      ids = publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(consumer, 2)).isEqualTo(values(0, 2));
      consumer.acknowledge(ids.get(9));
      consumer.acknowledgeCumulative(ids.get(8));
    }
    assertReturnsTo(broker, topic, 2);
  }

  @Test
  void shouldIgnoreAnAckBeyondTheEndOfALedger(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = atOnce(broker, topic).subscribe()) {
      MessageIdImpl last = (MessageIdImpl) publish(broker, topic, 0, 10).get(9);
      assertThat(receiveAndAck(consumer, 2)).isEqualTo(values(0, 2));
      consumer.acknowledge(new MessageIdImpl(last.getLedgerId(), last.getEntryId() + 100, -1));
      consumer.acknowledgeCumulative(
          new MessageIdImpl(last.getLedgerId(), last.getEntryId() + 100, -1));
    }
    assertReturnsTo(broker, topic, 2);
  }

  @Test
  void shouldIgnoreAnAckOfALedgerThatDoesNotExist(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> consumer = atOnce(broker, topic).subscribe()) {
      publish(broker, topic, 0, 10);
      assertThat(receiveAndAck(consumer, 2)).isEqualTo(values(0, 2));
      consumer.acknowledge(new MessageIdImpl(NO_SUCH_LEDGER, 0, -1));
      consumer.acknowledgeCumulative(new MessageIdImpl(NO_SUCH_LEDGER, 0, -1));
    }
    assertReturnsTo(broker, topic, 2);
  }

  @Test
  void shouldWarnOncePerConnection(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient one = broker.newClient();
        PulsarClient two = broker.newClient()) {
      for (PulsarClient connection : List.of(one, two)) {
        try (Consumer<String> consumer =
            Broker.broadcast(connection, topic, "all", "a")
                .isAckReceiptEnabled(true)
                .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                .subscribe()) {
          for (int entry = 0; entry < 5; entry++) {
            consumer.acknowledge(new MessageIdImpl(NO_SUCH_LEDGER, entry, -1));
          }
        }
      }
    }
    // The second connection's line comes after everything that the first one had to say.
    await().untilAsserted(() -> assertThat(warnings(broker, topic)).hasSizeGreaterThanOrEqualTo(2));
    assertThat(warnings(broker, topic))
        .hasSize(2)
        .allMatch(line -> line.contains("WARN") && line.contains(NO_SUCH_LEDGER + ":0"));
  }

  private static void assertReturnsTo(Broker broker, String topic, int next) throws Exception {
    try (Consumer<String> returned = atOnce(broker, topic).subscribe()) {
      awaitBacklog(broker, topic, "all", 10 - next);
      assertThat(receiveAndAck(returned, 10 - next)).isEqualTo(values(next, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  /** A consumer whose acknowledgements have been handled when the call returns. */
  private static ConsumerBuilder<String> atOnce(Broker broker, String topic) {
    return broker.atOnce(topic, "all", "a");
  }

  private static List<String> warnings(Broker broker, String topic) throws IOException {
    return broker.logLines(topic, "Ignored an acknowledgement");
  }
}
