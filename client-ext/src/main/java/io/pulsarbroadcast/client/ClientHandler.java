/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/** The implementation of {@link BroadcastClient}. Thread safe. */
final class ClientHandler extends DelegatingHandler<PulsarClient, BroadcastClient> {
  private final PluginProbe probe;

  private ClientHandler(PulsarClient client, PluginProbe probe) {
    super(PulsarClient.class, BroadcastClient.class, client);
    this.probe = probe;
  }

  static BroadcastClient wrap(PulsarClient client) {
    requireClient(client);
    return client instanceof BroadcastClient ours ? ours : wrap(client, new PluginProbe(client));
  }

  static BroadcastClient wrap(PulsarClient client, PluginProbe probe) {
    return new ClientHandler(client, probe).proxy;
  }

  static BroadcastClient wrapWithoutProbe(PulsarClient client) {
    requireClient(client);
    return wrap(unwrap(client), PluginProbe.thatNeverAsks());
  }

  private static PulsarClient unwrap(PulsarClient client) {
    if (!(client instanceof BroadcastClient)) {
      return client;
    }
    if (Proxy.isProxyClass(client.getClass())
        && Proxy.getInvocationHandler(client) instanceof ClientHandler ours) {
      return ours.delegate;
    }
    throw new IllegalArgumentException(
        "client is a " + client.getClass().getName() + "; allowed: the client that it wraps");
  }

  private static void requireClient(PulsarClient client) {
    Objects.requireNonNull(client, "client: the Pulsar client to wrap must not be null");
  }

  @Override
  Object call(Method method, Object[] args) throws Throwable {
    if (method.getName().equals("prepare")) {
      @SuppressWarnings("unchecked")
      Map<String, Object> settings = (Map<String, Object>) args[1];
      prepare((ConsumerBuilder<?>) args[0], settings);
      return null;
    }
    Object result = forward(method, args);
    if (method.getName().equals("updateServiceUrl")) {
      probe.forget();
    }
    return result instanceof ConsumerBuilder<?> builder ? withBroadcast(builder) : result;
  }

  private <T> BroadcastConsumerBuilder<T> withBroadcast(ConsumerBuilder<T> builder) {
    return new ConsumerBuilderHandler<>(builder, new ConsumerSettings<>(), probe).proxy;
  }

  private <T> void prepare(ConsumerBuilder<T> builder, Map<String, Object> conf)
      throws PulsarClientException {
    Objects.requireNonNull(builder, "builder");
    ConsumerSettings<T> settings = ConsumerSettings.of(Objects.requireNonNull(conf, "settings"));
    if (settings.isBroadcast()) {
      settings.check();
      Blocking.await(probe.requirePlugin(settings), nothing -> {});
      settings.applyTo(builder);
    }
  }
}
