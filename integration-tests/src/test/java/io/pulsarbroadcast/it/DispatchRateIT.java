/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.common.policies.data.DispatchRate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dispatch rate limits count deliveries: each message, to each consumer. */
@ExtendWith(BrokerExtension.class)
class DispatchRateIT {

  @ParameterizedTest
  @ValueSource(strings = {"topic", "subscription"})
  void shouldNotExceedTheRateAndLoseNothing(String level, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      limit(broker, topic, level, rate(40));
      long start = System.nanoTime();
      publish(broker, topic, 0, 100);
      assertThat(receiveAndAck(a, 100)).as("I1, I2").isEqualTo(values(0, 100));
      assertThat(receiveAndAck(b, 100)).as("I1, I2").isEqualTo(values(0, 100));
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as(
              "200 deliveries at 40 a second, of which the first 40, and one read more, come at once")
          .isGreaterThan(Duration.ofSeconds(2));

      limit(broker, topic, level, rate(-1));
      publish(broker, topic, 100, 600);
      assertThat(receiveAndAck(a, 500)).as("I7").isEqualTo(values(100, 600));
      assertThat(receiveAndAck(b, 500)).as("I7").isEqualTo(values(100, 600));
    }
  }

  private static void limit(Broker broker, String topic, String level, DispatchRate rate)
      throws Exception {
    if (level.equals("topic")) {
      broker.admin().topicPolicies().setDispatchRate(topic, rate);
      await().until(() -> rate.equals(broker.admin().topicPolicies().getDispatchRate(topic)));
    } else {
      broker.admin().topicPolicies().setSubscriptionDispatchRate(topic, rate);
      await()
          .until(
              () -> rate.equals(broker.admin().topicPolicies().getSubscriptionDispatchRate(topic)));
    }
  }

  private static DispatchRate rate(int messagesPerSecond) {
    return DispatchRate.builder()
        .dispatchThrottlingRateInMsg(messagesPerSecond)
        .dispatchThrottlingRateInByte(-1)
        .ratePeriodInSecond(1)
        .build();
  }
}
