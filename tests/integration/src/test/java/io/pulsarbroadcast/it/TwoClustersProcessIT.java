/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static io.pulsarbroadcast.it.Messages.publish;
import static io.pulsarbroadcast.it.Messages.receiveAndAck;
import static io.pulsarbroadcast.it.Messages.values;
import static io.pulsarbroadcast.it.Subscriptions.stats;
import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.NewThread;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.common.policies.data.ClusterData;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** I1 over two clusters: what one says of the subscriptions of the other. */
@Tag("complete")
class TwoClustersProcessIT {

  private static final String REPLICATED_NAMESPACE = "public/replicated";

  private static Broker first;
  private static Broker second;

  @BeforeAll
  static void start() throws Exception {
    CompletableFuture<Broker> starting =
        CompletableFuture.supplyAsync(() -> start("second"), NewThread.named("broker-start"));
    first = start("first");
    second = starting.join();
    introduce(first, "second", second);
    introduce(second, "first", first);
    for (Broker each : List.of(first, second)) {
      each.admin()
          .tenants()
          .updateTenant(
              "public", TenantInfo.builder().allowedClusters(Set.of("first", "second")).build());
      each.admin().namespaces().createNamespace(REPLICATED_NAMESPACE, Set.of("first", "second"));
    }
  }

  private static Broker start(String cluster) {
    return Broker.start(BrokerExtension.newBroker().name(cluster).setting("clusterName", cluster));
  }

  private static void introduce(Broker to, String cluster, Broker other)
      throws PulsarAdminException {
    to.admin()
        .clusters()
        .createCluster(
            cluster,
            ClusterData.builder()
                .serviceUrl(other.process().adminUrl())
                .brokerServiceUrl(other.process().serviceUrl())
                .build());
  }

  @AfterAll
  static void stop() throws IOException {
    for (Broker each : new Broker[] {first, second}) {
      if (each != null) {
        each.close();
      }
    }
  }

  /**
   * A subscription of the same name is plain and replicated in the other cluster, which says where
   * it stands; a third one, replicated and plain in both, shows when that has arrived.
   */
  @Test
  void shouldIgnoreWhatAnotherClusterSaysOfASubscriptionOfTheSameName() throws Exception {
    String topic = "persistent://" + REPLICATED_NAMESPACE + "/" + UUID.randomUUID();
    first.atOnce(topic, "all", "away").replicateSubscriptionState(true).subscribe().close();
    replicated(first.client(), topic, "plain").subscribe().close();
    int published = 0;
    try (Consumer<String> all = replicated(second.client(), topic, "all").subscribe();
        Consumer<String> plain = replicated(second.client(), topic, "plain").subscribe()) {
      assertThat(stats(first, topic, "all").isReplicated()).isFalse();
      // A place that is said is of a moment when both clusters had the same: several rounds.
      int said = 0;
      long backlog = 0;
      while (said < 3) {
        publish(first, topic, published, published + 1);
        assertThat(receiveAndAck(all, 1)).isEqualTo(values(published, published + 1));
        assertThat(receiveAndAck(plain, 1)).isEqualTo(values(published, published + 1));
        published++;
        long now = stats(first, topic, "plain").getMsgBacklog();
        said += now < backlog ? 1 : 0;
        backlog = now;
        assertThat(published).as("rounds without what the other cluster says").isLessThan(2_000);
      }
    }
    assertThat(stats(first, topic, "all").getMsgBacklog())
        .as("I3, markers too")
        .isGreaterThanOrEqualTo(published);
    try (Consumer<String> returned = first.atOnce(topic, "all", "away").subscribe()) {
      assertThat(receiveAndAck(returned, published)).as("I1").isEqualTo(values(0, published));
    }
  }

  private static ConsumerBuilder<String> replicated(
      PulsarClient client, String topic, String subscription) {
    return client
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName(subscription)
        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
        .isAckReceiptEnabled(true)
        .replicateSubscriptionState(true);
  }
}
