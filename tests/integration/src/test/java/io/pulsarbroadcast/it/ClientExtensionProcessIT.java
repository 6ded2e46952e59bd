/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.client.BroadcastClient;
import io.pulsarbroadcast.client.BroadcastConsumerBuilder;
import io.pulsarbroadcast.client.BroadcastNotSupportedException;
import io.pulsarbroadcast.client.SubscriptionType;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.it.BrokerExtension.WithoutPlugin;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The client extension on real brokers: I1 on one with the plugin; a clear failure that leaves
 * nothing behind (I9) on one without.
 */
@ExtendWith(BrokerExtension.class)
class ClientExtensionProcessIT {
  @Test
  void shouldDeliverEveryMessageToConsumersWithoutNames(Broker broker) throws Exception {
    String topic = Broker.newTopic();
    BroadcastClient client = BroadcastClient.wrap(broker.client());
    try (Consumer<String> first = broadcast(client, topic).subscribe();
        Consumer<String> second = broadcast(client, topic).subscribe()) {
      Messages.publish(client, topic, 0, 10);
      List<String> sent = Messages.values(0, 10);

      assertThat(first.getConsumerName()).isNotEqualTo(second.getConsumerName());
      assertThat(Messages.receiveAndAck(first, 10)).isEqualTo(sent);
      assertThat(Messages.receiveAndAck(second, 10)).isEqualTo(sent);
      assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("alerts");
      assertThat(broker.admin().topics().getStats(topic).getSubscriptions().get("alerts").getType())
          .isEqualTo("Broadcast");
    }
  }

  @Test
  void shouldFailOnABrokerWithoutThePluginAndLeaveNoSubscriptionBehind(@WithoutPlugin Broker plain)
      throws Exception {
    String topic = Broker.newTopic();
    plain.admin().topics().createNonPartitionedTopic(topic);
    BroadcastClient client = BroadcastClient.wrap(plain.client());

    assertThatThrownBy(() -> broadcast(client, topic).subscribe())
        .isInstanceOf(BroadcastNotSupportedException.class)
        .hasMessageContaining(topic);

    await()
        .untilAsserted(() -> assertThat(plain.admin().topics().getSubscriptions(topic)).isEmpty());
    // The wrapped client is still good for everything that is not Broadcast.
    try (Consumer<String> exclusive =
        client.newConsumer(Schema.STRING).topic(topic).subscriptionName("alerts").subscribe()) {
      Messages.publish(client, topic, 0, 3);
      List<String> sent = Messages.values(0, 3);
      assertThat(Messages.receiveAndAck(exclusive, 3)).isEqualTo(sent);
    }
  }

  @Test
  void shouldPassOnWhatABrokerWithoutThePluginRefuses(@WithoutPlugin Broker plain)
      throws Exception {
    String namespace = "public/" + UUID.randomUUID();
    String topic = "persistent://" + namespace + "/Broadcast";
    plain.admin().namespaces().createNamespace(namespace);
    plain.admin().namespaces().setMaxSubscriptionsPerTopic(namespace, 1);
    plain.admin().topics().createSubscription(topic, "the only one", MessageId.latest);

    assertThatThrownBy(() -> broadcast(BroadcastClient.wrap(plain.client()), topic).subscribe())
        .isExactlyInstanceOf(NotAllowedException.class)
        .extracting(ClientExtensionProcessIT::saidAsTheFakeSaysIt)
        .isEqualTo(theFakeSays("limit", topic));
  }

  @Test
  void shouldRefuseAnUnknownTypeInTheWordsThatTheFakeUses(Broker broker) throws Exception {
    String topic = Broker.newTopic();

    assertThatThrownBy(
            () ->
                broker
                    .client()
                    .newConsumer()
                    .topic(topic)
                    .subscriptionName("alerts")
                    .property("pulsar.subscription.type", "probe")
                    .subscribe())
        .isExactlyInstanceOf(NotAllowedException.class)
        .extracting(ClientExtensionProcessIT::saidAsTheFakeSaysIt)
        .isEqualTo(theFakeSays("plugin", topic));
  }

  /** A refusal as the tests of client-ext imitate it. */
  private static String theFakeSays(String who, String topic) throws IOException {
    Properties refusals = new Properties();
    try (InputStream file =
        Files.newInputStream(Path.of(System.getProperty("client.ext.refusals")))) {
      refusals.load(file);
    }
    String brokerSays = refusals.getProperty(who).formatted(topic);
    return refusals.getProperty("client").formatted(brokerSays);
  }

  /** A message with the fake's number of the request, and addresses. */
  private static String saidAsTheFakeSaysIt(Throwable refusal) {
    return refusal
        .getMessage()
        .replaceFirst("\"reqId\":\\d+", "\"reqId\":1")
        .replaceFirst("\"remote\":\"[^\"]+:\\d+\"", "\"remote\":\"localhost/127.0.0.1:6650\"")
        .replaceFirst("\"local\":\"[^\"]+:\\d+\"", "\"local\":\"/127.0.0.1:50000\"");
  }

  private static BroadcastConsumerBuilder<String> broadcast(BroadcastClient client, String topic) {
    return client
        .newConsumer(Schema.STRING)
        .topic(topic)
        .subscriptionName("alerts")
        .subscriptionType(SubscriptionType.Broadcast);
  }
}
