/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I1 and I3 when an unused subscription changes its type: nothing is skipped on the way. */
@ExtendWith(BrokerExtension.class)
class ConversionIT {

  @Test
  void shouldGiveBroadcastConsumersWhatThePlainOneLeft(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leavePlainAt(broker, topic, 4);
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Broadcast");
      assertThat(receiveAndAck(a, 6)).isEqualTo(values(4, 10));
      assertThat(receiveAndAck(b, 6)).isEqualTo(values(4, 10));
      assertNothingMore(a);
      assertNothingMore(b);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldGiveThemThatAlsoWhenABroadcastSubscribeWasRefusedBefore(Broker broker)
      throws Exception {
    String topic = Broker.newTopic();
    assertThatThrownBy(
            () -> broker.broadcast(topic, "all", "early").readCompacted(true).subscribe())
        .isInstanceOf(PulsarClientException.NotAllowedException.class);
    leavePlainAt(broker, topic, 4);
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").subscribe()) {
      assertThat(receiveAndAck(a, 6)).isEqualTo(values(4, 10));
      assertThat(receiveAndAck(b, 6)).isEqualTo(values(4, 10));
    }
  }

  @Test
  void shouldGiveAPlainConsumerWhatTheSlowestBroadcastOneLeft(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leaveBroadcastAt(broker, topic, 3, 7);
    try (Consumer<String> plain = plain(broker, topic).subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Exclusive");
      assertThat(receiveAndAck(plain, 7)).isEqualTo(values(3, 10));
      assertNothingMore(plain);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldGiveSharedConsumersWhatTheSlowestBroadcastOneLeft(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leaveBroadcastAt(broker, topic, 3, 7);
    try (Consumer<String> plain =
        plain(broker, topic).subscriptionType(SubscriptionType.Shared).subscribe()) {
      assertThat(stats(broker, topic, "all").getType()).isEqualTo("Shared");
      assertThat(receiveAndAck(plain, 7)).isEqualTo(values(3, 10));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldForgetBroadcastPositionsThatThePlainConsumerPassed(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    leaveBroadcastAt(broker, topic, 3, 7);
    try (Consumer<String> plain = plain(broker, topic).subscribe()) {
      receiveAndAck(plain, 7);
      awaitBacklog(broker, topic, "all", 0);
    }
    try (Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe()) {
      publish(broker, topic, 10, 12);
      assertThat(receiveAndAck(slow, 2)).isEqualTo(values(10, 12));
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  private static void leavePlainAt(Broker broker, String topic, int acknowledged)
      throws PulsarClientException {
    try (Consumer<String> plain = plain(broker, topic).subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(plain, acknowledged);
    }
  }

  private static void leaveBroadcastAt(Broker broker, String topic, int slowest, int fastest)
      throws PulsarClientException {
    try (Consumer<String> slow = broker.broadcast(topic, "all", "slow").subscribe();
        Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe()) {
      publish(broker, topic, 0, 10);
      receiveAndAck(slow, slowest);
      receiveAndAck(fast, fastest);
    }
  }

  private static ConsumerBuilder<String> plain(Broker broker, String topic) {
    return broker.client().newConsumer(Schema.STRING).topic(topic).subscriptionName("all");
  }
}
