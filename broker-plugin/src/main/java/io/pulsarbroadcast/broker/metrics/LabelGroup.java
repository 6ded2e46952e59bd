/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.micrometer.core.instrument.Tags;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What has one set of labels: one subscription, or all Broadcast subscriptions of a namespace. What
 * it counts goes on while the group has a member; with the last member all of it is gone.
 *
 * <p>Members are added and removed under the lock of {@link BroadcastMetrics}; any thread may look
 * at them.
 */
abstract class LabelGroup {
  private final Tags tags;
  private final Set<SubscriptionMetrics> members = ConcurrentHashMap.newKeySet(1);

  LabelGroup(Tags tags) {
    this.tags = tags;
  }

  final Tags tags() {
    return tags;
  }

  final Set<SubscriptionMetrics> members() {
    return members;
  }

  final void add(SubscriptionMetrics member) {
    members.add(member);
  }

  /** Takes a member off; true when it was the last. */
  final boolean remove(SubscriptionMetrics member) {
    return members.remove(member) && members.isEmpty();
  }
}
