/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.Test;

/**
 * I1 when names collide: the stock client's generated names are 5 hex digits. Nobody is refused,
 * and each consumer has a position of its own.
 */
class CollidingNamesProcessIT {
  private static final Pattern OF_SCHEMAS =
      Pattern.compile("PulsarLedgerIdGenerator|SchemaRegistryServiceImpl");

  private static final int CONSUMERS = 1_000;
  private static final int FORCED_COLLISIONS = 100;
  private static final int CLIENTS = 2;
  private static final int MESSAGES = 5;

  @Test
  void shouldServeConsumersWhoseGeneratedNamesCollide() throws Exception {
    String topic = Broker.newTopic();
    List<PulsarClient> clients = new ArrayList<>();
    try (Broker broker =
        Broker.start(
            BrokerExtension.newBroker().setting("broadcastStatsMaxConsumers", "" + CONSUMERS))) {
      int complaintsAtStart = complaints(broker).size();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(broker.newClient());
      }
      List<Consumer<String>> consumers = subscribeAll(clients, topic);
      assertThat(consumers.stream().map(Consumer::getConsumerName).distinct().count())
          .isLessThanOrEqualTo(CONSUMERS - FORCED_COLLISIONS);
      assertThat(stats(broker, topic).getConsumers()).hasSize(CONSUMERS);

      Messages.publish(broker.client(), topic, 0, MESSAGES);
      List<String> sent = Messages.values(0, MESSAGES);
      List<Consumer<String>> withNamesake = consumers.subList(0, FORCED_COLLISIONS);
      List<Message<String>> notAcknowledged = new ArrayList<>();
      for (Consumer<String> consumer : withNamesake) {
        List<Message<String>> received = Messages.receive(consumer, MESSAGES);
        assertThat(Messages.valuesOf(received)).isEqualTo(sent);
        notAcknowledged.addAll(received);
      }
      for (Consumer<String> consumer : consumers.subList(FORCED_COLLISIONS, CONSUMERS)) {
        assertThat(Messages.receiveAndAck(consumer, MESSAGES)).isEqualTo(sent);
      }
      awaitUnacknowledged(broker, topic, FORCED_COLLISIONS);
      for (int i = 0; i < notAcknowledged.size(); i++) {
        withNamesake.get(i / MESSAGES).acknowledge(notAcknowledged.get(i));
      }

      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(stats(broker, topic).getMsgBacklog()).isZero());
      // All others are served already, so what came twice is in the queue.
      for (Consumer<String> consumer : consumers) {
        assertThat(consumer.receive(0, TimeUnit.MILLISECONDS)).isNull();
      }
      assertThat(complaints(broker).subList(complaintsAtStart, complaints(broker).size()))
          .isEmpty();
    } finally {
      // The broker is gone already; the clients take their time, all at once.
      clients.stream().map(PulsarClient::closeAsync).toList().forEach(CompletableFuture::join);
    }
  }

  /** Waits until so many consumers have everything to acknowledge, and all others nothing. */
  private static void awaitUnacknowledged(Broker broker, String topic, int consumers) {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic).getConsumers().stream())
                    .extracting(consumer -> consumer.getUnackedMessages())
                    .as("one position for each, whatever its name")
                    .satisfies(
                        unacknowledged -> {
                          assertThat(Collections.frequency(unacknowledged, MESSAGES))
                              .isEqualTo(consumers);
                          assertThat(Collections.frequency(unacknowledged, 0))
                              .isEqualTo(CONSUMERS - consumers);
                        }));
  }

  /**
   * The broker's errors, and the plugin's warnings. Not those of Pulsar 4 where many clients bring
   * the schema of a new topic at once: standalone's metadata store locks too long, and they try
   * again.
   */
  private static List<String> complaints(Broker broker) throws IOException {
    return broker.logLines().stream()
        .filter(
            line ->
                (line.contains(" ERROR ") && !OF_SCHEMAS.matcher(line).find())
                    || (line.contains(" WARN ") && line.contains("io.pulsarbroadcast")))
        .toList();
  }

  /** Most with generated names, and some that take a name that is connected already. */
  private static List<Consumer<String>> subscribeAll(List<PulsarClient> clients, String topic) {
    List<Consumer<String>> consumers =
        joinAll(
            Stream.iterate(0, i -> i + 1)
                .limit(CONSUMERS - FORCED_COLLISIONS)
                .map(i -> subscribe(clients.get(i % CLIENTS), topic, null))
                .toList());
    // Half of them over the connection of the namesake, half over another one.
    consumers.addAll(
        joinAll(
            Stream.iterate(0, i -> i + 1)
                .limit(FORCED_COLLISIONS)
                .map(
                    i ->
                        subscribe(
                            clients.get((i + i / (FORCED_COLLISIONS / 2)) % CLIENTS),
                            topic,
                            consumers.get(i).getConsumerName()))
                .toList()));
    return consumers;
  }

  private static CompletableFuture<Consumer<String>> subscribe(
      PulsarClient client, String topic, String name) {
    return Broker.broadcast(client, topic, "all", name).receiverQueueSize(10).subscribeAsync();
  }

  private static List<Consumer<String>> joinAll(List<CompletableFuture<Consumer<String>>> futures) {
    return new ArrayList<>(futures.stream().map(CompletableFuture::join).toList());
  }

  private static SubscriptionStats stats(Broker broker, String topic) throws Exception {
    return broker.admin().topics().getStats(topic).getSubscriptions().get("all");
  }
}
