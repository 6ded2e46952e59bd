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

  private static final Duration LEAST = Duration.ofSeconds(2);

  @ParameterizedTest
  @ValueSource(strings = {"topic", "subscription"})
  void shouldNotExceedTheRateAndLoseNothing(String level, Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      limit(broker, topic, level, rate(40));
      int published = 0;
      Duration took;
      do {
        long start = System.nanoTime();
        assertEverythingArrives(broker, topic, published, published + 100, a, b);
        published += 100;
        took = Duration.ofNanos(System.nanoTime() - start);
        // A topic notes its policies a moment after they can be read.
      } while (took.compareTo(LEAST) <= 0 && published < 2_000);
      assertThat(took)
          .as(
              "200 deliveries at 40 a second, of which the first 40, and one read more, come at once")
          .isGreaterThan(LEAST);

      limit(broker, topic, level, rate(-1));
      assertEverythingArrives(broker, topic, published, published + 500, a, b);
    }
  }

  @SafeVarargs
  private static void assertEverythingArrives(
      Broker broker, String topic, int from, int to, Consumer<String>... consumers)
      throws Exception {
    publish(broker, topic, from, to);
    for (Consumer<String> consumer : consumers) {
      assertThat(receiveAndAck(consumer, to - from)).as("I1, I2, I7").isEqualTo(values(from, to));
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
