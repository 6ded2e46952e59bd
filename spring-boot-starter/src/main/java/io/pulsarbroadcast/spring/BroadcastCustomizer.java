/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.spring;

import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.SubscriptionType;
import org.springframework.pulsar.annotation.PulsarListenerConsumerBuilderCustomizer;

/**
 * Makes a consumer of Spring's a Broadcast consumer. Listeners name it; another customizer calls it
 * last, as does whoever uses a consumer factory:
 *
 * <pre>{@code
 * consumerFactory.createConsumer(Schema.STRING, topics, "alerts", broadcast::customize)
 * }</pre>
 *
 * <p>From any thread.
 */
public final class BroadcastCustomizer implements PulsarListenerConsumerBuilderCustomizer<Object> {
  private final SubscriptionType wireType;
  private final ConsumerGuard guard;

  /** {@code wireType}: Exclusive for the ordered contract, Shared for the unordered one. */
  BroadcastCustomizer(SubscriptionType wireType, ConsumerGuard guard) {
    this.wireType = wireType;
    this.guard = guard;
  }

  /**
   * Makes it Broadcast, and asks for the plugin where nobody has, which can take as long as a
   * subscribe.
   *
   * @throws org.springframework.pulsar.PulsarException if the broker has no plugin, or cannot be
   *     asked
   */
  @Override
  public void customize(ConsumerBuilder<Object> builder) {
    builder.subscriptionType(wireType).property("pulsar.subscription.type", "Broadcast");
    guard.prepare(builder);
  }
}
