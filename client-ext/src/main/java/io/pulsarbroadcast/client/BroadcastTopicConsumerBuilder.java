/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import org.apache.pulsar.client.api.TopicConsumerBuilder;

/**
 * The settings of one topic of a {@link BroadcastConsumerBuilder}.
 *
 * <p>For one thread at a time, as the builder it belongs to.
 */
public interface BroadcastTopicConsumerBuilder<T> extends TopicConsumerBuilder<T> {

  @Override
  BroadcastTopicConsumerBuilder<T> priorityLevel(int priorityLevel);

  @Override
  BroadcastConsumerBuilder<T> build();
}
