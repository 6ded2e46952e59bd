/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.policies.data.ManagedLedgerInternalStats.CursorStats;
import org.apache.pulsar.common.policies.data.SubscriptionStats;

/** Declares subscriptions, and asks what {@code pulsar-admin topics stats} says of them. */
final class Subscriptions {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private Subscriptions() {}

  /** Declares a Broadcast subscription that begins at the topic's first message. */
  static void declare(Broker broker, String topic, String subscription)
      throws PulsarAdminException {
    broker
        .admin()
        .topics()
        .createSubscription(
            topic,
            subscription,
            MessageId.earliest,
            false,
            Map.of("pulsar.subscription.type", "Broadcast"));
  }

  static SubscriptionStats stats(Broker broker, String topic, String subscription)
      throws PulsarAdminException {
    return broker.admin().topics().getStats(topic).getSubscriptions().get(subscription);
  }

  /** What the broker shows of a subscription's managed cursor. */
  static CursorStats cursor(Broker broker, String topic, String subscription)
      throws PulsarAdminException {
    return broker.admin().topics().getInternalStats(topic).cursors.get(subscription);
  }

  /** Waits until the backlog is {@code expected}. */
  static void awaitBacklog(Broker broker, String topic, String subscription, long expected) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic, subscription).getMsgBacklog())
                    .as("backlog of %s", subscription)
                    .isEqualTo(expected));
  }

  /**
   * Waits until a cursor has a ledger. A topic that is closed while its cursor makes its first one
   * forgets what was acknowledged.
   */
  static void awaitCursorLedger(Broker broker, String topic, String subscription) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(cursor(broker, topic, subscription).state)
                    .as("state of the cursor of %s", subscription)
                    .isEqualTo("Open"));
  }

  /**
   * Waits until a consumer has come back that the broker sent away. A stock consumer that is closed
   * while it connects closes its connection, and with it everybody's on that client.
   */
  static void awaitConnected(Broker broker, Consumer<?> consumer) {
    await()
        .atMost(TIMEOUT)
        .ignoreExceptionsInstanceOf(PulsarAdminException.class)
        .untilAsserted(
            () -> {
              assertThat(
                      stats(broker, consumer.getTopic(), consumer.getSubscription()).getConsumers())
                  .extracting(ConsumerStats::getConsumerName)
                  .contains(consumer.getConsumerName());
              assertThat(consumer.isConnected()).isTrue();
            });
  }

  /** Waits until so many consumers are connected. */
  static void awaitConsumers(Broker broker, String topic, String subscription, int expected) {
    awaitConsumers(broker, topic, subscription, expected, TIMEOUT);
  }

  static void awaitConsumers(
      Broker broker, String topic, String subscription, int expected, Duration atMost) {
    await()
        .atMost(atMost)
        .untilAsserted(
            () ->
                assertThat(stats(broker, topic, subscription).getConsumers())
                    .as("consumers of %s", subscription)
                    .hasSize(expected));
  }

  /** What is deleted with a subscription is not taken from the next one of its name. */
  static void assertDeletedBeforeTheNextWasMade(Broker broker, String topic) throws IOException {
    assertThat(broker.logLines(topic, "A former version of the plugin would not find")).isEmpty();
    assertThat(broker.logLines(topic, "The positions log has been taken over")).isEmpty();
  }
}
