/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package org.apache.pulsar.broker.service.persistent;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.pulsar.broker.service.AbstractSubscription;
import org.apache.pulsar.broker.service.GetStatsOptions;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;

/** Compile-only: the constructors and statistics of all supported lines. See LineNeutralSubscription. */
public abstract class PersistentSubscription extends AbstractSubscription {

  /** 3.0. */
  public PersistentSubscription(
      PersistentTopic topic, String name, ManagedCursor cursor, boolean replicated, Map<String, String> properties) {}

  /** 3.2 and later. */
  public PersistentSubscription(
      PersistentTopic topic, String name, ManagedCursor cursor, Boolean replicated, Map<String, String> properties) {}

  /** 3.0. */
  public SubscriptionStatsImpl getStats(Boolean preciseBacklog, boolean backlogSize, boolean earliestTimeInBacklog) {
    return null;
  }

  /** Late 3.0. */
  public CompletableFuture<SubscriptionStatsImpl> getStatsAsync(
      Boolean preciseBacklog, boolean backlogSize, boolean earliestTimeInBacklog) {
    return null;
  }

  /** 3.1 and later. */
  public SubscriptionStatsImpl getStats(GetStatsOptions options) {
    return null;
  }

  /** Late 3.3. */
  public CompletableFuture<SubscriptionStatsImpl> getStatsAsync(GetStatsOptions options) {
    return null;
  }
}
