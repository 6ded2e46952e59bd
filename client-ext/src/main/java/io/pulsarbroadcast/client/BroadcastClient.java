/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;

/**
 * A Pulsar client whose consumers can subscribe with {@link SubscriptionType#Broadcast}.
 *
 * <p>Thread safe, as the client it wraps. Everything but {@code newConsumer} goes straight to that
 * client, and closing either closes both.
 *
 * <pre>{@code
 * BroadcastClient client = BroadcastClient.wrap(pulsarClient);
 * Consumer<String> consumer = client.newConsumer(Schema.STRING)
 *     .topic("persistent://city/traffic/area-7")
 *     .subscriptionName("alerts")
 *     .subscriptionType(SubscriptionType.Broadcast)
 *     .consumerName("car-4711")
 *     .subscribe();
 * }</pre>
 *
 * <p>Before the first Broadcast subscribe to a topic the client asks the broker whether it has the
 * plugin, with a short-lived non-durable subscription {@code
 * <subscriptionName>-broadcast-probe-<random>}, and remembers a yes for as long as it lives. So
 * wrap a Pulsar client once and share the result.
 */
public interface BroadcastClient extends PulsarClient {

  /**
   * Adds Broadcast to a client; a {@code BroadcastClient} is returned as it is.
   *
   * @throws NullPointerException if {@code client} is null
   */
  static BroadcastClient wrap(PulsarClient client) {
    return ClientHandler.wrap(client);
  }

  @Override
  BroadcastConsumerBuilder<byte[]> newConsumer();

  @Override
  <T> BroadcastConsumerBuilder<T> newConsumer(Schema<T> schema);
}
