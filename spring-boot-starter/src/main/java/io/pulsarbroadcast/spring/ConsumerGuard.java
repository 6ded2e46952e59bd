/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import io.pulsarbroadcast.client.BroadcastClient;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.impl.ConsumerBuilderImpl;
import org.apache.pulsar.client.impl.conf.ConsumerConfigurationData;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.pulsar.PulsarException;
import org.springframework.pulsar.core.ConsumerBuilderCustomizer;
import org.springframework.pulsar.core.PulsarTopicBuilder;

/**
 * Does for a builder of Spring's what {@link BroadcastClient} does for its own. The stock builder's
 * settings are read from its implementation, as Spring's consumer factory itself does. From any
 * thread.
 */
final class ConsumerGuard implements ConsumerBuilderCustomizer<Object> {
  private final BroadcastClient client;
  private final ObjectProvider<PulsarTopicBuilder> topicBuilders;

  ConsumerGuard(BroadcastClient client, ObjectProvider<PulsarTopicBuilder> topicBuilders) {
    this.client = client;
    this.topicBuilders = topicBuilders;
  }

  @Override
  public void customize(ConsumerBuilder<Object> builder) {
    prepare(builder);
  }

  /**
   * @throws PulsarException if the broker has no plugin, or cannot be asked
   */
  void prepare(ConsumerBuilder<?> builder) {
    ConsumerConfigurationData<?> conf = ((ConsumerBuilderImpl<?>) builder).getConf();
    Map<String, Object> settings = new HashMap<>();
    settings.put("topicNames", conf.getTopicNames().stream().map(this::fullyQualified).toList());
    settings.put("topicsPattern", conf.getTopicsPattern());
    settings.put("subscriptionName", conf.getSubscriptionName());
    settings.put("consumerName", conf.getConsumerName());
    settings.put("properties", conf.getProperties());
    settings.put("retryEnable", conf.isRetryEnable());
    settings.put("deadLetterPolicy", conf.getDeadLetterPolicy());
    try {
      client.prepare(builder, settings);
    } catch (PulsarClientException e) {
      throw new PulsarException(e);
    }
  }

  /** As Spring makes it of the application's default tenant and namespace, but only later. */
  private String fullyQualified(String topic) {
    PulsarTopicBuilder names = topicBuilders.getIfAvailable();
    return names == null ? topic : names.getFullyQualifiedNameForTopic(topic);
  }
}
