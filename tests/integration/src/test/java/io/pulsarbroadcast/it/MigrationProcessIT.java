/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of consumers when their cluster migrates to another one. */
@Order(2)
@Tag("complete")
class MigrationProcessIT {

  private static final String SUBSCRIPTION = "alerts";

  private final String topic = Broker.newTopic();
  private Broker blue;
  private Broker green;
  private Consumer<String> ahead;
  private Consumer<String> behind;

  @BeforeEach
  void start() throws PulsarClientException {
    blue =
        Broker.start(
            BrokerExtension.newBroker().setting("clusterMigrationCheckDurationSeconds", "1"));
    green = Broker.start(BrokerExtension.newBroker());
    ahead = blue.broadcast(topic, SUBSCRIPTION, "ahead").subscribe();
    behind = blue.broadcast(topic, SUBSCRIPTION, "behind").subscribe();
  }

  @AfterEach
  void stop() throws IOException {
    for (Broker broker : new Broker[] {green, blue}) {
      if (broker != null) {
        broker.close();
      }
    }
  }

  /** I1 */
  @Test
  void shouldSendEachConsumerToTheNewClusterOnceItHasAcknowledgedEverything() throws Exception {
    Messages.publish(blue, topic, 0, 10);
    assertThat(Messages.receiveAndAck(ahead, 10)).isEqualTo(Messages.values(0, 10));

    migrate(blue, green);

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
    Messages.publish(blue, topic, 0, 1);
    Messages.receiveAndAck(ahead, 1);
    blue.admin().topics().terminateTopic(topic);
    await().until(ahead::hasReachedEndOfTopic);

    migrate(blue, green);

    awaitConsumers(green, topic, "ahead");
    assertThat(Messages.receiveAndAck(behind, 1)).isEqualTo(Messages.values(0, 1));
    awaitConsumers(green, topic, "ahead", "behind");
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
