/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import java.util.function.Supplier;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.impl.ConsumerBuilderImpl;
import org.apache.pulsar.reactive.client.api.MutableReactiveMessageConsumerSpec;
import org.apache.pulsar.reactive.client.api.ReactiveMessageConsumerBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.pulsar.reactive.config.annotation.ReactivePulsarListenerMessageConsumerBuilderCustomizer;

/**
 * What {@link BroadcastCustomizer} is, for reactive consumers. From any thread.
 *
 * <p>It reads no retry letter topic: reactive consumers write none, and Spring replaces what a
 * customizer says of it by what the listener's annotation does, so that all would share one.
 *
 * <p>It asks for the plugin itself, because nobody would notice that the subscribe failed: Spring
 * starts a reactive listener without waiting for that, and the reactive client only logs it.
 */
public final class ReactiveBroadcastCustomizer
    implements ReactivePulsarListenerMessageConsumerBuilderCustomizer<Object> {
  private static final Logger log = LoggerFactory.getLogger(ReactiveBroadcastCustomizer.class);

  private final SubscriptionType wireType;
  private final ConsumerGuard guard;
  private final Supplier<PulsarClient> client;

  /**
   * Makes one.
   *
   * @param wireType Exclusive for the ordered contract, Shared for the unordered one
   * @param client gives the client with which the reactive one subscribes
   */
  ReactiveBroadcastCustomizer(
      SubscriptionType wireType, ConsumerGuard guard, Supplier<PulsarClient> client) {
    this.wireType = wireType;
    this.guard = guard;
    this.client = client;
  }

  /**
   * Makes it Broadcast, and asks for the plugin where nobody has, which can take as long as a
   * subscribe.
   *
   * @throws org.springframework.pulsar.PulsarException if the broker has no plugin, or cannot be
   *     asked
   */
  @Override
  public void customize(ReactiveMessageConsumerBuilder<Object> builder) {
    builder.subscriptionType(wireType).property("pulsar.subscription.type", "Broadcast");
    if (Boolean.TRUE.equals(builder.getMutableSpec().getRetryLetterTopicEnable())) {
      log.warn(
          "A reactive Broadcast listener reads no retry letter topic; retry-enable is ignored");
      builder.retryLetterTopicEnable(false);
    }
    ConsumerBuilder<?> stock = stock(builder.getMutableSpec());
    guard.prepare(stock);
    builder.consumerName(((ConsumerBuilderImpl<?>) stock).getConf().getConsumerName());
  }

  /** A stock builder that has been told what the guard looks at; it never subscribes. */
  private ConsumerBuilder<?> stock(MutableReactiveMessageConsumerSpec spec) {
    ConsumerBuilder<?> stock = client.get().newConsumer().properties(spec.getProperties());
    if (spec.getTopicNames() != null && !spec.getTopicNames().isEmpty()) {
      stock.topics(spec.getTopicNames());
    }
    if (spec.getTopicsPattern() != null) {
      stock.topicsPattern(spec.getTopicsPattern());
    }
    if (spec.getSubscriptionName() != null) {
      stock.subscriptionName(spec.getSubscriptionName());
    }
    if (spec.getConsumerName() != null) {
      stock.consumerName(spec.getConsumerName());
    }
    return stock;
  }
}
