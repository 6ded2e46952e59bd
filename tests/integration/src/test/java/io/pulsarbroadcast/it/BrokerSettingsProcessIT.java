/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClientException.ConsumerBusyException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A broker with settings of its own that do not go with Broadcast subscriptions. */
class BrokerSettingsProcessIT {

  /** A setting of Pulsar 4; other brokers ignore it. */
  private static final String PAUSING = "pulsarChannelPauseReceivingRequestsIfUnwritable";

  /** So many that, recovered lazily, some would not be there yet when the topic is. */
  private static final List<String> SUBSCRIPTIONS =
      IntStream.range(0, 20).mapToObj(i -> "alerts-" + i).toList();

  private static Broker broker;

  @BeforeAll
  static void startBroker() {
    broker =
        Broker.start(
            BrokerExtension.newBroker()
                .setting("lazyCursorRecovery", "true")
                .setting(PAUSING, "true"));
  }

  @AfterAll
  static void closeBroker() throws IOException {
    if (broker != null) {
      broker.close();
    }
  }

  /** I1: nobody is let in who would move a subscription past the positions that wait on it. */
  @Test
  void shouldKnowAllPositionsThoughCursorsAreToBeRecoveredLazily() throws Exception {
    String topic = Broker.newTopic();
    leavePositions(topic);

    broker.admin().topics().unload(topic);

    for (String subscription : SUBSCRIPTIONS) {
      assertThatThrownBy(
              () ->
                  broker
                      .client()
                      .newConsumer()
                      .topic(topic)
                      .subscriptionName(subscription)
                      .subscribe())
          .as(subscription)
          .isInstanceOf(ConsumerBusyException.class)
          .hasMessageContaining("2 durable positions (0 connected, 2 waiting)");
    }
    takeTheRest(topic);
    assertThat(broker.logLines("WARN", "lazyCursorRecovery=true")).hasSize(1);
  }

  @Test
  void shouldWarnOfConnectionsThatArePaused() throws Exception {
    assertThat(broker.logLines("WARN", PAUSING + "=true")).hasSize(1);
  }

  private static void leavePositions(String topic) throws Exception {
    for (String subscription : SUBSCRIPTIONS) {
      for (String name : List.of("slow", "fast")) {
        broker.atOnce(topic, subscription, name).subscribe().close();
      }
    }
    Messages.publish(broker, topic, 0, 10);
    for (String subscription : SUBSCRIPTIONS) {
      acknowledge(topic, subscription, "slow", 0, 3);
      acknowledge(topic, subscription, "fast", 0, 8);
    }
  }

  private static void takeTheRest(String topic) throws Exception {
    for (String subscription : SUBSCRIPTIONS) {
      acknowledge(topic, subscription, "fast", 8, 10);
      acknowledge(topic, subscription, "slow", 3, 10);
    }
  }

  private static void acknowledge(String topic, String subscription, String name, int from, int to)
      throws Exception {
    try (Consumer<String> consumer = broker.atOnce(topic, subscription, name).subscribe()) {
      assertThat(Messages.receiveAndAck(consumer, to - from))
          .as(name)
          .isEqualTo(Messages.values(from, to));
    }
  }
}
