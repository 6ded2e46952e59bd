/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.policies.data.ManagedLedgerInternalStats.LedgerInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** I6 where storage does not ask the subscription: the source of a shadow topic trims for both. */
@ExtendWith(OperatedBroker.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ShadowTrimmedIT {

  private static final Duration TRIMMED = Duration.ofSeconds(30);

  @Test
  void shouldCountWhatTheSourceTrimmedBeforeAConsumerOfTheShadowHadIt(Broker broker)
      throws Exception {
    String source = Broker.newTopic();
    String shadow = source + "-shadow";
    broker.admin().topics().createNonPartitionedTopic(source);
    broker.admin().topics().createShadowTopic(shadow, source);
    broker.admin().topics().setShadowTopics(source, List.of(shadow));
    try (Consumer<String> atSource = broker.broadcast(source, "all", "a").subscribe();
        Consumer<String> atShadow = broker.broadcast(shadow, "all", "here").subscribe()) {
      broker.broadcast(shadow, "all", "away").subscribe().close();
      List<MessageId> ids = publish(broker, source, 0, 12);
      assertThat(receiveAndAck(atSource, 12)).isEqualTo(values(0, 12));
      assertThat(receiveAndAck(atShadow, 12)).isEqualTo(values(0, 12));

      long kept = ((MessageIdImpl) ids.get(10)).getLedgerId();
      // The source trims when it is asked to and nothing there needs the ledgers: its replicator
      // to the shadow topic is a moment later than the consumer. The shadow follows by itself.
      await()
          .atMost(TRIMMED)
          .untilAsserted(
              () -> {
                broker.admin().topics().trimTopic(source);
                assertThat(firstLedger(broker, source)).isEqualTo(kept);
              });
      await().atMost(TRIMMED).untilAsserted(() -> assertThat(missed(broker, shadow)).isEqualTo(10));
      try (Consumer<String> away = broker.broadcast(shadow, "all", "away").subscribe()) {
        assertThat(receiveAndAck(away, 2)).isEqualTo(values(10, 12));
      }
      assertThat(missed(broker, shadow)).as("counted once").isEqualTo(10);
    }
  }

  private static long firstLedger(Broker broker, String topic) throws Exception {
    List<LedgerInfo> ledgers = broker.admin().topics().getInternalStats(topic).ledgers;
    return ledgers.get(0).ledgerId;
  }

  /** What consumers missed for whatever cause. */
  private static double missed(Broker broker, String topic) throws Exception {
    return Scrape.of(broker.process()).with("topic", topic).stream()
        .filter(sample -> sample.name().equals("pulsar_broadcast_skipped_entries_total"))
        .mapToDouble(Scrape.Sample::value)
        .sum();
  }
}
