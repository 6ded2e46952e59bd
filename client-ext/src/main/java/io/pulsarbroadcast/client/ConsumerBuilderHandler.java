/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.ConsumerInterceptor;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.TopicConsumerBuilder;

/** The implementation of {@link BroadcastConsumerBuilder}. For one thread at a time. */
final class ConsumerBuilderHandler<T>
    extends DelegatingHandler<ConsumerBuilder<T>, BroadcastConsumerBuilder<T>> {
  private final ConsumerSettings<T> settings;
  private final PluginProbe probe;

  ConsumerBuilderHandler(
      ConsumerBuilder<T> delegate, ConsumerSettings<T> settings, PluginProbe probe) {
    super(ConsumerBuilder.class, BroadcastConsumerBuilder.class, delegate);
    this.settings = settings;
    this.probe = probe;
  }

  @Override
  Object call(Method method, Object[] args) throws Throwable {
    return args.length == 0 ? callWithoutArgument(method) : callWithArguments(method, args);
  }

  private Object callWithoutArgument(Method method) throws Throwable {
    switch (method.getName()) {
      case "subscribe":
        return subscribe();
      case "subscribeAsync":
        return subscribeAsync();
      case "clone":
        return withSameSettings(delegate.clone());
      case "unordered":
        settings.unordered();
        return proxy;
      default:
        return pass(method, new Object[0]);
    }
  }

  private Object callWithArguments(Method method, Object[] args) throws Throwable {
    Class<?> parameter = method.getParameterTypes()[0];
    switch (method.getName()) {
      case "subscriptionType":
        if (parameter == SubscriptionType.class) {
          settings.type((SubscriptionType) args[0]);
          return proxy;
        }
        break;
      case "cursorTimeToLive":
        settings.cursorTimeToLive((Duration) args[0]);
        return proxy;
      case "topicWithShadows":
        settings.topicWithShadows((String) args[0], (Collection<?>) args[1]);
        return proxy;
      case "intercept":
        @SuppressWarnings("unchecked")
        ConsumerInterceptor<T>[] interceptors = (ConsumerInterceptor<T>[]) args[0];
        settings.intercept(interceptors);
        return proxy;
      case "loadConf":
        return loadConf(method, Objects.requireNonNull((Map<?, ?>) args[0], "config"));
      default:
        break;
    }
    return pass(method, args);
  }

  /** Pulsar's loadConf, for which Broadcast would be an unknown type. */
  private Object loadConf(Method method, Map<?, ?> conf) throws Throwable {
    if (!Wire.BROADCAST.equalsIgnoreCase(String.valueOf(conf.get("subscriptionType")))) {
      return pass(method, new Object[] {conf});
    }
    Map<Object, Object> rest = new HashMap<>(conf);
    rest.remove("subscriptionType");
    Object result = pass(method, new Object[] {rest});
    settings.type(SubscriptionType.Broadcast);
    return result;
  }

  private Object pass(Method method, Object[] args) throws Throwable {
    Object result = forward(method, args);
    settings.note(method.getName(), args);
    if (result == delegate) {
      return proxy;
    }
    if (result instanceof TopicConsumerBuilder<?>) {
      @SuppressWarnings("unchecked")
      TopicConsumerBuilder<T> topicBuilder = (TopicConsumerBuilder<T>) result;
      return new TopicBuilderHandler<>(topicBuilder, proxy).proxy;
    }
    if (result instanceof ConsumerBuilder<?>) {
      @SuppressWarnings("unchecked")
      ConsumerBuilder<T> other = (ConsumerBuilder<T>) result;
      return withSameSettings(other);
    }
    return result;
  }

  private BroadcastConsumerBuilder<T> withSameSettings(ConsumerBuilder<T> builder) {
    return new ConsumerBuilderHandler<>(builder, settings.copy(), probe).proxy;
  }

  private Consumer<T> subscribe() throws PulsarClientException {
    settings.check();
    ConsumerBuilder<T> prepared = prepare();
    if (!settings.isBroadcast()) {
      return prepared.subscribe();
    }
    // Nobody else knows a consumer that comes too late.
    return Blocking.await(subscribeBroadcast(prepared), Consumer::closeAsync);
  }

  private CompletableFuture<Consumer<T>> subscribeAsync() {
    ConsumerBuilder<T> prepared;
    try {
      settings.check();
      prepared = prepare();
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
    return settings.isBroadcast() ? subscribeBroadcast(prepared) : prepared.subscribeAsync();
  }

  /** A builder for this one subscribe, with a consumer name of its own if none was given. */
  private ConsumerBuilder<T> prepare() {
    ConsumerBuilder<T> prepared = delegate.clone();
    settings.applyTo(prepared);
    return prepared;
  }

  private CompletableFuture<Consumer<T>> subscribeBroadcast(ConsumerBuilder<T> prepared) {
    return probe.requirePlugin(settings).thenCompose(present -> prepared.subscribeAsync());
  }
}
