/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.lang.reflect.Method;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.TopicConsumerBuilder;

/** The implementation of {@link BroadcastTopicConsumerBuilder}. For one thread at a time. */
final class TopicBuilderHandler<T>
    extends DelegatingHandler<TopicConsumerBuilder<T>, BroadcastTopicConsumerBuilder<T>> {
  private final BroadcastConsumerBuilder<T> parent;

  TopicBuilderHandler(TopicConsumerBuilder<T> delegate, BroadcastConsumerBuilder<T> parent) {
    super(TopicConsumerBuilder.class, BroadcastTopicConsumerBuilder.class, delegate);
    this.parent = parent;
  }

  @Override
  Object call(Method method, Object[] args) throws Throwable {
    Object result = forward(method, args);
    if (result instanceof ConsumerBuilder) {
      return parent; // not the wrapped one, which would forget about Broadcast
    }
    return result instanceof TopicConsumerBuilder ? proxy : result;
  }
}
