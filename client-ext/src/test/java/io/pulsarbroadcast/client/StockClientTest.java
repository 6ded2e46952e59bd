/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Our proxies around the real client and its builder, as far as they go without a broker. */
@Timeout(60)
class StockClientTest {
  private BroadcastClient client;

  @BeforeEach
  void connectToNothing() throws Exception {
    client =
        BroadcastClient.wrap(PulsarClient.builder().serviceUrl("pulsar://localhost:1").build());
  }

  @AfterEach
  void close() {
    // Closing takes the stock client two seconds, for which nobody waits.
    client.closeAsync();
  }

  @Test
  void shouldStayABroadcastBuilderAllAlongTheChain() {
    BroadcastConsumerBuilder<String> builder = client.newConsumer(Schema.STRING);
    ConsumerBuilder<String> end =
        builder
            .topic("a", "b")
            .topics(List.of("c"))
            .subscriptionName("s")
            .ackTimeout(1, TimeUnit.SECONDS)
            .consumerName("n")
            .receiverQueueSize(1)
            .topicConfiguration("a")
            .priorityLevel(1)
            .build()
            .topicConfiguration(Pattern.compile("b"), topic -> topic.priorityLevel(2))
            .subscriptionType(SubscriptionType.Broadcast)
            .properties(Map.of("mine", "1"));
    assertThat(end).isSameAs(builder);
  }

  @Test
  void shouldLoadBroadcastThoughTheStockClientHasNoSuchType() {
    BroadcastConsumerBuilder<byte[]> builder = client.newConsumer();
    assertThat(builder.loadConf(Map.of("subscriptionType", "Broadcast", "consumerName", "n")))
        .isSameAs(builder);
    assertThatThrownBy(() -> builder.loadConf(Map.of("subscriptionType", "Multicast")))
        .isInstanceOf(RuntimeException.class)
        .hasStackTraceContaining("Multicast");
  }

  @Test
  void shouldFailTheFutureForWhatThePolicyOfRetriesCannotBe() {
    CompletableFuture<Consumer<byte[]>> subscribe =
        client
            .newConsumer()
            .topic("t")
            .subscriptionName("s")
            .subscriptionType(SubscriptionType.Broadcast)
            .enableRetry(true)
            .loadConf(Map.of("deadLetterPolicy", Map.of("maxRedeliverCount", 0)))
            .subscribeAsync();
    assertThatThrownBy(subscribe::join)
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("MaxRedeliverCount must be > 0");
  }

  @Test
  void shouldFailAsTheStockClientDoes() throws Exception {
    BroadcastConsumerBuilder<byte[]> builder =
        client.newConsumer().subscriptionType(SubscriptionType.Broadcast);
    assertThatThrownBy(builder::subscribe)
        .isExactlyInstanceOf(PulsarClientException.InvalidConfigurationException.class)
        .hasMessageContaining("Topic name must be set");
    builder.topic("t");
    assertThatThrownBy(builder::subscribe)
        .isExactlyInstanceOf(PulsarClientException.InvalidConfigurationException.class)
        .hasMessageContaining("Subscription name must be set");
    builder.subscriptionName("s");
    assertThatThrownBy(
            () ->
                client
                    .newConsumer()
                    .topic("a/b/c/d/e/f")
                    .subscriptionName("s")
                    .subscriptionType(SubscriptionType.Broadcast)
                    .subscribe())
        .isExactlyInstanceOf(PulsarClientException.InvalidTopicNameException.class);
    client.close();
    assertThat(client.isClosed()).isTrue();
    assertThatThrownBy(builder::subscribe)
        .isExactlyInstanceOf(PulsarClientException.AlreadyClosedException.class);
  }
}
