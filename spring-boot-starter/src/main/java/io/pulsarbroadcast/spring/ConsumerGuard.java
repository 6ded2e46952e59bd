/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import io.pulsarbroadcast.client.BroadcastClient;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.impl.ConsumerBuilderImpl;
import org.apache.pulsar.client.impl.conf.ConsumerConfigurationData;
import org.springframework.pulsar.PulsarException;
import org.springframework.util.ReflectionUtils;

/**
 * Does for a stock builder what {@link BroadcastClient} does for its own. What the builder has been
 * told, and its client, are read from its implementation, because it has no getters; Spring itself
 * does the same. From any thread.
 */
final class ConsumerGuard {
  private static final Field CLIENT =
      Objects.requireNonNull(ReflectionUtils.findField(ConsumerBuilderImpl.class, "client"));

  static {
    ReflectionUtils.makeAccessible(CLIENT);
  }

  private final UnaryOperator<String> fullyQualified;
  private final boolean probe;

  /** An application can have several, on clusters with and without the plugin. */
  private final Map<PulsarClient, BroadcastClient> clients = new ConcurrentHashMap<>();

  /**
   * Makes one.
   *
   * @param fullyQualified makes the whole name of a topic, as the consumer factory will
   * @param probe whether a client asks for the plugin before its first Broadcast subscribe
   */
  ConsumerGuard(UnaryOperator<String> fullyQualified, boolean probe) {
    this.fullyQualified = fullyQualified;
    this.probe = probe;
  }

  /**
   * @throws PulsarException if the broker has no plugin, or cannot be asked
   */
  void prepare(ConsumerBuilder<?> builder) {
    if (!(builder instanceof ConsumerBuilderImpl<?> stock)) {
      throw new IllegalArgumentException(
          "The consumer builder is a "
              + builder.getClass().getName()
              + "; allowed: that of the stock client, as Spring's consumer factory demands");
    }
    try {
      client(stock).prepare(stock, settings(stock.getConf()));
    } catch (PulsarClientException e) {
      throw new PulsarException(e);
    }
  }

  private BroadcastClient client(ConsumerBuilderImpl<?> builder) {
    clients.keySet().removeIf(PulsarClient::isClosed);
    return clients.computeIfAbsent(
        (PulsarClient) ReflectionUtils.getField(CLIENT, builder),
        client -> probe ? BroadcastClient.wrap(client) : BroadcastClient.wrapWithoutProbe(client));
  }

  private Map<String, Object> settings(ConsumerConfigurationData<?> conf) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("topicNames", conf.getTopicNames().stream().map(fullyQualified).toList());
    settings.put("topicsPattern", conf.getTopicsPattern());
    settings.put("subscriptionName", conf.getSubscriptionName());
    settings.put("consumerName", conf.getConsumerName());
    settings.put("properties", conf.getProperties());
    settings.put("retryEnable", conf.isRetryEnable());
    settings.put("deadLetterPolicy", conf.getDeadLetterPolicy());
    return settings;
  }
}
