/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.pulsar.annotation.PulsarListenerConsumerBuilderCustomizer;
import org.springframework.pulsar.core.PulsarConsumerFactory;
import org.springframework.pulsar.core.PulsarTopicBuilder;

/**
 * Gives an application the customizers {@code broadcast} and {@code broadcastUnordered}, to be
 * named by its listeners, and guards the consumers of every consumer factory.
 *
 * <pre>{@code
 * @PulsarListener(topics = "area-7", subscriptionName = "alerts", consumerCustomizer = "broadcast")
 * }</pre>
 */
@AutoConfiguration
@ConditionalOnClass(PulsarConsumerFactory.class)
public class BroadcastAutoConfiguration {
  /** Whether to ask for the plugin before the first Broadcast subscribe; true by default. */
  static final String PROBE = "pulsar.broadcast.probe";

  private static final String TYPE = "pulsar.subscription.type";
  private static final String BROADCAST = "Broadcast";

  /**
   * The ordered contract. Spring gives the only customizer there is to the only listener there is,
   * named or not; it must never take one of ours, so they are no candidates, and are two.
   */
  @Bean(autowireCandidate = false)
  PulsarListenerConsumerBuilderCustomizer<Object> broadcast() {
    return builder -> builder.property(TYPE, BROADCAST);
  }

  /** The unordered contract: single messages can be redelivered. */
  @Bean(autowireCandidate = false)
  PulsarListenerConsumerBuilderCustomizer<Object> broadcastUnordered() {
    return builder -> builder.subscriptionType(SubscriptionType.Shared).property(TYPE, BROADCAST);
  }

  @Bean
  static ConsumerFactoryPostProcessor broadcastConsumerFactoryPostProcessor(
      ObjectProvider<PulsarClient> clients,
      ObjectProvider<PulsarTopicBuilder> topicBuilders,
      Environment environment) {
    return new ConsumerFactoryPostProcessor(
        clients, topicBuilders, () -> environment.getProperty(PROBE, Boolean.class, true));
  }
}
