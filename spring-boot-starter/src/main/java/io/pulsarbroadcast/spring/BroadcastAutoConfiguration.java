/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.pulsar.core.PulsarConsumerFactory;
import org.springframework.pulsar.core.PulsarTopicBuilder;
import org.springframework.pulsar.reactive.config.annotation.ReactivePulsarListenerMessageConsumerBuilderCustomizer;

/**
 * Gives an application the customizers {@code broadcast} and {@code broadcastUnordered}, to be
 * named by its listeners. Spring gives the only customizer there is to the only listener there is,
 * named or not; it must never take one of ours, so they are no candidates, and are two. Reactive
 * listeners name {@code broadcastReactive} and {@code broadcastReactiveUnordered}.
 *
 * <pre>{@code
 * @PulsarListener(topics = "area-7", subscriptionName = "alerts", consumerCustomizer = "broadcast")
 * }</pre>
 */
@AutoConfiguration
@ConditionalOnClass(PulsarConsumerFactory.class)
public class BroadcastAutoConfiguration {
  private static final String PROBE = "pulsar.broadcast.probe";

  @Bean
  ConsumerGuard broadcastConsumerGuard(
      Environment environment, ObjectProvider<PulsarTopicBuilder> topicBuilders) {
    return new ConsumerGuard(
        topic -> {
          PulsarTopicBuilder names = topicBuilders.getIfAvailable();
          return names == null ? topic : names.getFullyQualifiedNameForTopic(topic);
        },
        environment.getProperty(PROBE, Boolean.class, true));
  }

  /** The ordered contract. */
  @Bean(defaultCandidate = false)
  @ConditionalOnMissingBean(name = "broadcast")
  BroadcastCustomizer broadcast(ConsumerGuard guard) {
    return new BroadcastCustomizer(SubscriptionType.Exclusive, guard);
  }

  /** The unordered contract: single messages can be redelivered. */
  @Bean(defaultCandidate = false)
  @ConditionalOnMissingBean(name = "broadcastUnordered")
  BroadcastCustomizer broadcastUnordered(ConsumerGuard guard) {
    return new BroadcastCustomizer(SubscriptionType.Shared, guard);
  }

  /** The same for reactive listeners, in applications that have their module. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ReactivePulsarListenerMessageConsumerBuilderCustomizer.class)
  static class Reactive {

    @Bean(defaultCandidate = false)
    @ConditionalOnMissingBean(name = "broadcastReactive")
    ReactiveBroadcastCustomizer broadcastReactive(
        ConsumerGuard guard, ObjectProvider<PulsarClient> pulsarClient) {
      return new ReactiveBroadcastCustomizer(
          SubscriptionType.Exclusive, guard, pulsarClient::getObject);
    }

    @Bean(defaultCandidate = false)
    @ConditionalOnMissingBean(name = "broadcastReactiveUnordered")
    ReactiveBroadcastCustomizer broadcastReactiveUnordered(
        ConsumerGuard guard, ObjectProvider<PulsarClient> pulsarClient) {
      return new ReactiveBroadcastCustomizer(
          SubscriptionType.Shared, guard, pulsarClient::getObject);
    }
  }
}
