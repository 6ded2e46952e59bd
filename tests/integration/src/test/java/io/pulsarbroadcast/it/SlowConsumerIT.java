/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.assertNothingMore;
import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receive;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelConfig;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.ConsumerImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** I7 and I8: a slow or stuck consumer holds nobody up, and gets everything when it goes on. */
@ExtendWith(BrokerExtension.class)
class SlowConsumerIT {

  /** More than waits for one connection in memory, and than fits into its socket's buffers. */
  private static final int LARGE_MESSAGES = 300;

  private static final byte[] LARGE = new byte[100_000];

  @Test
  void shouldCatchUpWhenNothingFurtherIsPublished(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> slow =
            broker.broadcast(topic, "all", "slow").receiverQueueSize(10).subscribe();
        Consumer<String> fast = broker.broadcast(topic, "all", "fast").subscribe()) {
      publish(broker, topic, 0, 1000);
      assertThat(receiveAndAck(fast, 1000)).isEqualTo(values(0, 1000));
      awaitBacklog(broker, topic, "all", 1000);

      assertThat(receiveAndAck(slow, 1000)).isEqualTo(values(0, 1000));
      assertNothingMore(slow);
      awaitBacklog(broker, topic, "all", 0);
    }
  }

  @Test
  void shouldCatchUpFromManyPlacesAtOnce(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").receiverQueueSize(3).subscribe();
        Consumer<String> b = broker.broadcast(topic, "all", "b").receiverQueueSize(50).subscribe();
        Consumer<String> c =
            broker.broadcast(topic, "all", "c").receiverQueueSize(200).subscribe()) {
      publish(broker, topic, 0, 500);
      assertThat(receiveAndAck(b, 120)).isEqualTo(values(0, 120));
      assertThat(receiveAndAck(c, 300)).isEqualTo(values(0, 300));
      assertThat(receiveAndAck(a, 30)).isEqualTo(values(0, 30));
      publish(broker, topic, 500, 600);

      assertThat(receiveAndAck(a, 570)).isEqualTo(values(30, 600));
      assertThat(receiveAndAck(b, 480)).isEqualTo(values(120, 600));
      assertThat(receiveAndAck(c, 300)).isEqualTo(values(300, 600));
    }
  }

  @Test
  void shouldServeAConnectionThatDidNotReadForAWhile(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    try (PulsarClient own = broker.newClient();
        Consumer<byte[]> stuck = subscribe(own, topic, "stuck");
        Consumer<byte[]> fast = subscribe(broker.client(), topic, "fast");
        Producer<byte[]> producer =
            broker.client().newProducer().topic(topic).enableBatching(false).create()) {
      ChannelConfig socket = ((ConsumerImpl<byte[]>) stuck).getClientCnx().ctx().channel().config();
      socket.setAutoRead(false);
      for (int i = 0; i < LARGE_MESSAGES; i++) {
        producer.newMessage().key(Integer.toString(i)).value(LARGE).sendAsync();
      }
      producer.flush();
      assertThat(receivedKeys(fast)).isEqualTo(allKeys());

      socket.setAutoRead(true);
      assertThat(receivedKeys(stuck)).isEqualTo(allKeys());
      assertNothingMore(stuck);
    }
  }

  private static Consumer<byte[]> subscribe(PulsarClient client, String topic, String name)
      throws Exception {
    return client
        .newConsumer()
        .topic(topic)
        .subscriptionName("all")
        .property("pulsar.subscription.type", "Broadcast")
        .consumerName(name)
        .subscribe();
  }

  private static List<String> allKeys() {
    return IntStream.range(0, LARGE_MESSAGES).mapToObj(Integer::toString).toList();
  }

  private static List<String> receivedKeys(Consumer<byte[]> consumer) throws Exception {
    return receive(consumer, LARGE_MESSAGES).stream().map(Message::getKey).toList();
  }
}
