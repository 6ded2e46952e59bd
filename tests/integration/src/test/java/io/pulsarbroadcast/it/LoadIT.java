/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.Run;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The load generator with stock subscriptions, one per consumer: what it counts does not depend on
 * the plugin. A crash of the broker is in {@link PulsarProcessIT}.
 */
@ExtendWith(BrokerExtension.class)
class LoadIT {
  private static final int CONSUMERS = 50;
  private static final int MESSAGES = 20;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private static LoadConfig config(String serviceUrl) {
    return LoadConfig.builder()
        .serviceUrl(serviceUrl)
        .topic(Broker.newTopic())
        .consumers(CONSUMERS)
        .connections(4)
        .messages(MESSAGES)
        .receiverQueueSize(8)
        .subscriptionPerConsumer("sub");
  }

  private static LoadConfig config(Broker broker) {
    return config(broker.process().serviceUrl());
  }

  private static Publisher publisher(LoadConfig config) throws Exception {
    return new Publisher(config.serviceUrl, config.topic, config.run, 1_000, Duration.ZERO);
  }

  @Test
  void shouldReceiveEverythingOnceAndInOrder(Broker broker) throws Exception {
    Plan plan =
        Plan.of(
            "plain",
            CONSUMERS,
            4,
            MESSAGES,
            5,
            10_240,
            50,
            () -> LoadConfig.builder().receiverQueueSize(8).subscriptionPerConsumer("sub"));
    String topic = Broker.newTopic();

    RunResult result =
        new Run(
                plan,
                io.pulsarbroadcast.benchmark.server.Broker.of(broker.process()),
                topic,
                RunListener.SILENT)
            .execute();

    assertThat(result.delivery())
        .isEqualTo(new DeliveryCounts(20, 1_000, 1_000, 0, 0, 0, 0, 0, 0, 0));
    assertThat(result.endToEndMicros().getTotalCount()).isEqualTo(50 * 15);
    assertThat(result.lastReceiverMicros().getTotalCount()).isEqualTo(15);
    assertThat(result.connectMicros().getTotalCount()).isEqualTo(50);
    assertThat(result.connectWallMicros()).isPositive();
    assertThat(result.brokerVersion()).startsWith("Pulsar ");
    assertThat(result.brokerCpuMillis()).isPositive();
    assertThat(broker.admin().topics().getSubscriptions(topic)).isEmpty();
  }

  /** One of each kind, each to another consumer; every figure of every report is such a count. */
  @Test
  void shouldCountWhatIsLostRepeatedSwappedOrDamagedOnTheWay(Broker broker) throws Exception {
    try (SpoilingProxy proxy =
        new SpoilingProxy(broker.process().serviceUrl())
            .lose(3, 5)
            .repeat(13, 6)
            .swapWithNext(23, 7)
            .damage(33, 9)) {
      LoadConfig config = config(proxy.serviceUrl()).build();
      try (ConsumerFleet fleet = new ConsumerFleet(config);
          Publisher publisher = publisher(config)) {
        fleet.start();
        fleet.awaitSubscribed(TIMEOUT);
        PublishResult published =
            publisher.publish(new Schedule(System.nanoTime(), 100), 0, MESSAGES);

        // What is spoiled comes before the last message of the same consumer.
        assertThat(fleet.awaitReceived(998, TIMEOUT)).isTrue();
        assertThat(DeliveryCounts.of(fleet.snapshot(), published.acknowledged()))
            .as("missing 2: lost and damaged; skipped 3: these and the one that was overtaken")
            .isEqualTo(new DeliveryCounts(20, 1_000, 998, 2, 1, 1, 3, 1, 0, 0));
        assertThat(fleet.describeMissing(MESSAGES, 5))
            .containsExactlyInAnyOrder("consumer-000003 lacks 5", "consumer-000033 lacks 9");
        assertThat(fleet.hasAll(MESSAGES)).isFalse();
      }
    }
  }

  @Test
  void shouldGiveMessagesKeysInTurn(Broker broker) throws Exception {
    LoadConfig config = config(broker).build();
    try (Consumer<byte[]> consumer =
            broker.client().newConsumer().topic(config.topic).subscriptionName("all").subscribe();
        Publisher publisher = publisher(config).keys(3)) {
      publisher.publish(new Schedule(System.nanoTime(), 100), 0, 4);

      assertThat(Messages.receive(consumer, 4))
          .extracting(Message::getKey)
          .containsExactly("key-0", "key-1", "key-2", "key-0");
    }
  }

  @Test
  void shouldSayWhyConsumersAreRefused(Broker broker) throws Exception {
    LoadConfig config = config(broker).subscriptionName(index -> "one-for-all").build();

    try (ConsumerFleet fleet = new ConsumerFleet(config)) {
      fleet.start();

      assertThatThrownBy(() -> fleet.awaitSubscribed(TIMEOUT))
          .isInstanceOf(FleetException.class)
          .hasMessageContaining("of 50 consumers are subscribed")
          .hasMessageNotContaining("after " + TIMEOUT.toSeconds() + " s")
          .hasMessageContaining("ConsumerBusy");
    }
  }

  @Test
  void shouldComeBackAfterDroppedConnections(Broker broker) throws Exception {
    LoadConfig config = config(broker).reconnect(true).build();

    try (ConsumerFleet fleet = new ConsumerFleet(config);
        Publisher publisher = publisher(config)) {
      fleet.start();
      fleet.awaitSubscribed(TIMEOUT);
      CompletableFuture<PublishResult> publishing =
          publisher.publishAsync(new Schedule(System.nanoTime(), 10), 0, MESSAGES);
      fleet.awaitReceived(250, TIMEOUT);
      fleet.dropConnections();

      assertThat(fleet.awaitReceived(1_000, TIMEOUT))
          .as(fleet.describeMissing(MESSAGES, 5)::toString)
          .isTrue();
      DeliveryCounts counts = DeliveryCounts.of(fleet.snapshot(), publishing.get().acknowledged());
      assertThat(counts.missing()).isZero();
      assertThat(counts.outOfOrder() + counts.skipped()).isZero();
      assertThat(fleet.connectionsLost()).isEqualTo(4);
    }
  }

  @Test
  void shouldComeBackAfterTheTopicIsUnloaded(Broker broker) throws Exception {
    LoadConfig config = config(broker).reconnect(true).build();

    try (ConsumerFleet fleet = new ConsumerFleet(config);
        Publisher publisher = publisher(config)) {
      fleet.start();
      fleet.awaitSubscribed(TIMEOUT);
      publisher.publish(new Schedule(System.nanoTime(), 100), 0, 10);
      assertThat(fleet.awaitReceived(500, TIMEOUT)).isTrue();

      broker.admin().topics().unload(config.topic);
      publisher.publish(new Schedule(System.nanoTime(), 100), 10, MESSAGES);

      assertThat(fleet.awaitReceived(1_000, TIMEOUT)).isTrue();
      assertThat(fleet.subscribed()).isEqualTo(50);
      assertThat(fleet.closedByBroker()).isEqualTo(50);
      assertThat(fleet.connectionsLost()).isZero();
      assertThat(fleet.snapshot().outOfOrder() + fleet.snapshot().skipped()).isZero();
    }
  }
}
