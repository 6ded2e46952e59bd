/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.awaitBacklog;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.util.List;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I1 with compression: the payload goes through as it was published. */
@ExtendWith(BrokerExtension.class)
class CompressionIT {

  @ParameterizedTest
  @EnumSource(names = {"LZ4", "ZSTD"})
  void shouldDeliverCompressedMessages(CompressionType compression, Broker broker)
      throws Exception {
    assertDelivers(broker, compression, false);
  }

  @ParameterizedTest
  @EnumSource(names = {"LZ4", "ZSTD"})
  void shouldDeliverCompressedBatches(CompressionType compression, Broker broker) throws Exception {
    assertDelivers(broker, compression, true);
  }

  private static void assertDelivers(Broker broker, CompressionType compression, boolean batching)
      throws Exception {
    String topic = Broker.newTopic();
    List<String> sent = values(0, 20).stream().map(value -> value.repeat(500)).toList();
    try (Consumer<String> a = broker.broadcast(topic, "all", "a").subscribe();
        Consumer<String> b =
            broker
                .broadcast(topic, "all", "b")
                .subscriptionType(SubscriptionType.Shared)
                .subscribe();
        Producer<String> producer =
            broker
                .client()
                .newProducer(Schema.STRING)
                .topic(topic)
                .compressionType(compression)
                .enableBatching(batching)
                .create()) {
      sent.forEach(producer::sendAsync);
      producer.flush();
      assertThat(receiveAndAck(a, 20)).isEqualTo(sent);
      assertThat(receiveAndAck(b, 20)).isEqualTo(sent);
      awaitBacklog(broker, topic, "all", 0);
    }
  }
}
