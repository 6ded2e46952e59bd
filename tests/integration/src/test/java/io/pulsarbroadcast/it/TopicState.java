/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.apache.pulsar.common.policies.data.TopicStats;

/**
 * What an administrator sees of a topic with one Broadcast subscription, and a consumer that is
 * refused could have changed. Immutable.
 *
 * @param subscriptions all names
 * @param counts of connected consumers and positions, and how far behind they are
 * @param consumers name and position of each connected one
 * @param backlog the subscription's, in messages
 * @param position the subscription's, as it is stored
 */
record TopicState(
    Set<String> subscriptions,
    Map<String, String> counts,
    List<String> consumers,
    long backlog,
    String position) {

  static TopicState of(PulsarAdmin admin, String topic, String subscription)
      throws PulsarAdminException {
    TopicStats topicStats = admin.topics().getStats(topic);
    SubscriptionStats stats = topicStats.getSubscriptions().get(subscription);
    return new TopicState(
        Set.copyOf(topicStats.getSubscriptions().keySet()),
        stats.getSubscriptionProperties(),
        stats.getConsumers().stream()
            .map(
                consumer ->
                    consumer.getConsumerName() + " " + new TreeMap<>(consumer.getMetadata()))
            .sorted()
            .toList(),
        stats.getMsgBacklog(),
        admin.topics().getInternalStats(topic).cursors.get(subscription).markDeletePosition);
  }
}
