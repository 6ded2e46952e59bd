/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.util.Map;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
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
 * <p>A consumer with the property {@code pulsar.subscription.type=Broadcast} instead of the type is
 * treated in the same way.
 *
 * <p>Before its first Broadcast subscribe the client asks the broker of that topic whether it has
 * the plugin, with a short-lived non-durable subscription {@code
 * <subscriptionName>-broadcast-probe-<random>}. A yes stands for all brokers, and for as long as
 * the client lives. So wrap a Pulsar client once and share the result.
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

  /**
   * Like {@link #wrap}, but never asks whether the plugin is there: for clusters of which that is
   * known. On a broker without it, consumers become ordinary Exclusive ones, and unordered
   * consumers Shared ones, which divide the messages among them.
   *
   * @throws NullPointerException if {@code client} is null
   * @throws IllegalArgumentException if it is a {@code BroadcastClient} that was not made here
   */
  static BroadcastClient wrapWithoutProbe(PulsarClient client) {
    return ClientHandler.wrapWithoutProbe(client);
  }

  @Override
  BroadcastConsumerBuilder<byte[]> newConsumer();

  @Override
  <T> BroadcastConsumerBuilder<T> newConsumer(Schema<T> schema);

  /**
   * Prepares a builder of the wrapped client for a Broadcast subscribe, as a builder of this client
   * prepares itself: asks for the plugin, and sets the property, a unique name where there is none,
   * and a retry letter topic of the consumer's own. For frameworks that make and subscribe builders
   * themselves; to be called last before {@code subscribe}. Does nothing if {@code settings} have
   * no property {@code pulsar.subscription.type=Broadcast}. From any thread; blocks until the
   * broker has answered, as a subscribe does.
   *
   * @param settings what the builder has been told so far, in the form that {@link
   *     ConsumerBuilder#loadConf} takes: {@code topicNames}, {@code topicsPattern}, {@code
   *     subscriptionName}, {@code consumerName}, {@code properties}, {@code retryEnable}, {@code
   *     deadLetterPolicy}
   * @throws IllegalArgumentException if the settings contradict each other
   * @throws BroadcastNotSupportedException if the broker has no plugin
   * @throws PulsarClientException if the broker cannot be asked
   */
  void prepare(ConsumerBuilder<?> builder, Map<String, Object> settings)
      throws PulsarClientException;
}
