/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** I6 where storage does not ask the subscription: the source of a shadow topic trims for both. */
@ExtendWith(OperatedBroker.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ShadowTrimmedIT {

  @Test
  void shouldCountWhatTheSourceTrimmedBeforeAConsumerOfTheShadowHadIt(Broker broker)
      throws Exception {
    String source = Broker.newTopic();
    String shadow = source + "-shadow";
    broker.admin().topics().createNonPartitionedTopic(source);
    broker.admin().topics().createShadowTopic(shadow, source);
    broker.admin().topics().setShadowTopics(source, List.of(shadow));
    try (Consumer<String> atSource = broker.broadcast(source, "all", "a").subscribe()) {
      broker.broadcast(shadow, "all", "away").subscribe().close();
      publish(broker, source, 0, 12);
      assertThat(receiveAndAck(atSource, 12)).isEqualTo(values(0, 12));
      await()
          .untilAsserted(
              () -> {
                broker.admin().topics().trimTopic(source);
                assertThat(missed(broker, shadow)).isEqualTo(10);
              });
      try (Consumer<String> away = broker.broadcast(shadow, "all", "away").subscribe()) {
        assertThat(receiveAndAck(away, 2)).isEqualTo(values(10, 12));
      }
    }
  }

  private static long missed(Broker broker, String topic) {
    return SkippedLog.of(broker, topic).stream().mapToLong(SkippedLog.Event::entries).sum();
  }
}
