/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

import java.util.concurrent.ConcurrentHashMap;
import org.apache.pulsar.client.api.HashingScheme;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageRouter;
import org.apache.pulsar.client.api.TopicMetadata;
import org.apache.pulsar.client.impl.RoundRobinPartitionMessageRouterImpl;
import org.apache.pulsar.client.impl.customroute.PartialRoundRobinMessageRouterImpl;

/**
 * Two routers of the client: its default one for messages with a key, its partial round robin, one
 * for each topic, for those without. Any thread may call it.
 */
final class LimitedPartitionsRouter implements MessageRouter {
  private static final long serialVersionUID = 1L;

  private final int partitions;
  private final MessageRouter ofKeys;
  private final ConcurrentHashMap<String, MessageRouter> ofTopics = new ConcurrentHashMap<>();

  LimitedPartitionsRouter(int partitions, HashingScheme keys) {
    this.partitions = partitions;
    // What follows the hashing is for messages without a key, which it does not get.
    this.ofKeys = new RoundRobinPartitionMessageRouterImpl(keys, 0, false, 1);
  }

  @Override
  public int choosePartition(Message<?> message, TopicMetadata topic) {
    if (message.hasKey()) {
      return ofKeys.choosePartition(message, topic);
    }
    String name = message.getTopicName();
    MessageRouter router = ofTopics.computeIfAbsent(name, key -> newRouter());
    // Another producer of the builder may have seen more partitions than this one has.
    for (int i = 0; i < partitions; i++) {
      int partition = router.choosePartition(message, topic);
      if (partition < topic.numPartitions()) {
        return partition;
      }
    }
    // The topic has been made again with fewer.
    MessageRouter anew = newRouter();
    ofTopics.replace(name, router, anew);
    return anew.choosePartition(message, topic);
  }

  private MessageRouter newRouter() {
    return new PartialRoundRobinMessageRouterImpl(partitions);
  }
}
