/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What becomes of consumers when their cluster migrates to another one. */
@Order(2)
@Tag("complete")
@TestInstance(Lifecycle.PER_CLASS)
class MigrationProcessIT {

  private static final String SUBSCRIPTION = "alerts";

  private final List<Broker> brokers = new ArrayList<>();
  private Broker green;
  private Place open;
  private Place terminated;

  /** Two consumers of a topic of the old cluster. */
  private record Place(String topic, Consumer<String> ahead, Consumer<String> behind) {
    static Place at(Broker broker) throws PulsarClientException {
      String topic = Broker.newTopic();
      return new Place(
          topic,
          broker.broadcast(topic, SUBSCRIPTION, "ahead").subscribe(),
          broker.broadcast(topic, SUBSCRIPTION, "behind").subscribe());
    }

    void publishForAhead(Broker broker, int messages) throws PulsarClientException {
      Messages.publish(broker, topic, 0, messages);
      assertThat(Messages.receiveAndAck(ahead, messages)).isEqualTo(Messages.values(0, messages));
    }
  }

  /** One migration for all tests, because it takes two brokers. */
  @BeforeAll
  void migrate() throws Exception {
    Broker blue =
        start(BrokerExtension.newBroker().setting("clusterMigrationCheckDurationSeconds", "1"));
    green = start(BrokerExtension.newBroker());
    open = Place.at(blue);
    open.publishForAhead(blue, 10);
    terminated = Place.at(blue);
    terminated.publishForAhead(blue, 1);
    blue.admin().topics().terminateTopic(terminated.topic());
    await().until(terminated.ahead()::hasReachedEndOfTopic);

    migrate(blue, green);
  }

  private Broker start(PulsarProcessBuilder options) {
    Broker broker = Broker.start(options);
    brokers.add(0, broker);
    return broker;
  }

  @AfterAll
  void stop() throws IOException {
    for (Broker broker : brokers) {
      broker.close();
    }
  }

  /** I1 */
  @Test
  void shouldSendEachConsumerToTheNewClusterOnceItHasAcknowledgedEverything() throws Exception {
    String topic = open.topic();
    Consumer<String> ahead = open.ahead();
    Consumer<String> behind = open.behind();
    awaitConsumers(green, topic, "ahead");
    assertThat(Messages.receiveAndAck(behind, 10)).isEqualTo(Messages.values(0, 10));
    awaitConsumers(green, topic, "ahead", "behind");
    Messages.publish(green, topic, 10, 15);
    assertThat(Messages.receiveAndAck(ahead, 5)).isEqualTo(Messages.values(10, 15));
    assertThat(Messages.receiveAndAck(behind, 5)).isEqualTo(Messages.values(10, 15));
  }

  /** I1: as a stock consumer is since 3.3, though its client knows that nothing comes any more. */
  @Test
  void shouldAlsoSendAwayAConsumerThatWasToldOfTheEndOfTheTopicBefore() throws Exception {
    awaitConsumers(green, terminated.topic(), "ahead");
    assertThat(Messages.receiveAndAck(terminated.behind(), 1)).isEqualTo(Messages.values(0, 1));
    awaitConsumers(green, terminated.topic(), "ahead", "behind");
  }

  private static void awaitConsumers(Broker broker, String topic, String... names) {
    await()
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(Subscriptions.stats(broker, topic, SUBSCRIPTION).getConsumers())
                    .extracting(ConsumerStats::getConsumerName)
                    .containsExactlyInAnyOrder(names));
  }

  private static void migrate(Broker from, Broker to) throws IOException, InterruptedException {
    String urls =
        // A client needs both, whichever it connects to.
        "{\"serviceUrl\": \"%1$s\", \"brokerServiceUrl\": \"%2$s\", \"brokerServiceUrlTls\": \"%2$s\"}"
            .formatted(to.process().adminUrl(), to.process().serviceUrl());
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create(
                            from.process().adminUrl()
                                + "/admin/v2/clusters/standalone/migrate?migrated=true"))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(urls))
                    .build(),
                BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isIn(200, 204);
  }
}
