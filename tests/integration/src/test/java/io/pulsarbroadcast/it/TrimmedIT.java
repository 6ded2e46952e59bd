/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.benchmark.broker.MetricsPage.Sample;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I6 where storage deletes what a consumer has not had, without asking the subscription. */
@ExtendWith(OperatedBroker.class)
class TrimmedIT {

  static final Duration TRIMMED = Duration.ofMinutes(3);

  @Test
  void shouldCountWhatWasDeletedBeforeANonDurableConsumerHadIt(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> durable = broker.broadcast(topic, "all", "durable").subscribe();
        Consumer<String> slow =
            broker
                .broadcast(topic, "all", "slow")
                .subscriptionMode(SubscriptionMode.NonDurable)
                .receiverQueueSize(1)
                .subscribe()) {
      List<MessageId> ids = publish(broker, topic, 0, 12);
      assertThat(receiveAndAck(durable, 12)).isEqualTo(values(0, 12));
      trim(broker, topic, ids.get(10));

      // The first was on its way before; the others of the first two ledgers are gone.
      assertThat(receiveAndAck(slow, 3)).containsExactly("message-0", "message-10", "message-11");
      assertThat(missed(broker, topic)).isEqualTo(9);
    }
  }

  /** Has the topic delete the ledgers before a message: when nothing there needs them any more. */
  static void trim(Broker broker, String topic, MessageId first) {
    await()
        .atMost(TRIMMED)
        .untilAsserted(
            () -> {
              broker.admin().topics().trimTopic(topic);
              assertThat(broker.admin().topics().getInternalStats(topic).ledgers.get(0).ledgerId)
                  .isEqualTo(((MessageIdImpl) first).getLedgerId());
            });
  }

  /** What consumers missed for whatever cause. */
  static double missed(Broker broker, String topic) throws Exception {
    return Scrape.of(broker.process()).with("topic", topic).stream()
        .filter(sample -> sample.name().equals("pulsar_broadcast_skipped_entries_total"))
        .mapToDouble(Sample::value)
        .sum();
  }
}
