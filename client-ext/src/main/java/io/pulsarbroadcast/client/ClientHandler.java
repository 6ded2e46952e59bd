/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.lang.reflect.Method;
import java.util.Objects;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;

/** The implementation of {@link BroadcastClient}. Thread safe. */
final class ClientHandler extends DelegatingHandler<PulsarClient, BroadcastClient> {
  private final PluginProbe probe;

  private ClientHandler(PulsarClient client) {
    super(PulsarClient.class, BroadcastClient.class, client);
    this.probe = new PluginProbe(client);
  }

  static BroadcastClient wrap(PulsarClient client) {
    Objects.requireNonNull(client, "client: the Pulsar client to wrap must not be null");
    return client instanceof BroadcastClient ours ? ours : new ClientHandler(client).proxy;
  }

  @Override
  Object call(Method method, Object[] args) throws Throwable {
    Object result = forward(method, args);
    return result instanceof ConsumerBuilder<?> builder ? withBroadcast(builder) : result;
  }

  private <T> BroadcastConsumerBuilder<T> withBroadcast(ConsumerBuilder<T> builder) {
    return new ConsumerBuilderHandler<>(builder, new ConsumerSettings<>(), probe).proxy;
  }
}
