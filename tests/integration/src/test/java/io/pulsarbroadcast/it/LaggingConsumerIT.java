/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1, I2 and I7 for a consumer that has no permits while the tail moves on. */
@ExtendWith(BrokerExtension.class)
class LaggingConsumerIT {

  @Test
  void shouldSendAConsumerWithoutPermitsEverythingItFellBehind(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe();
        Consumer<String> slow =
            broker.broadcast(topic, "all", "slow").receiverQueueSize(5).subscribe()) {
      Messages.publish(broker.client(), topic, 0, 100);
      List<String> sent = Messages.values(0, 100);
      assertThat(Messages.receiveAndAck(fast, 100)).isEqualTo(sent);

      assertThat(Messages.receiveAndAck(slow, 100)).isEqualTo(sent);
    }
  }
}
