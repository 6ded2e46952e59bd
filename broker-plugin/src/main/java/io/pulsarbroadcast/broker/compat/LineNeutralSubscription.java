/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.compat;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.pulsar.broker.service.GetStatsOptions;
import org.apache.pulsar.broker.service.persistent.PersistentSubscription;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;

/**
 * A PersistentSubscription that can be constructed, and asked for statistics, on every supported
 * line: the superclass's constructor takes {@code boolean replicated} in 3.0 and {@code Boolean}
 * from 3.2 on, its getStats three flags in 3.0 and an object from 3.1 on, and a super call is bound
 * at compile time.
 *
 * <p>So there are constructors and methods for each line, and the build compiles this one class
 * against a hand-written signature of the superclass that has all (src/main/signatures, never
 * packaged). The JVM links a member when it first runs, so those for other lines are never missed.
 */
public abstract class LineNeutralSubscription extends PersistentSubscription {

  @Line(before = "3.2")
  protected LineNeutralSubscription(
      PersistentTopic topic,
      String name,
      ManagedCursor cursor,
      boolean replicated,
      Map<String, String> properties) {
    super(topic, name, cursor, replicated, properties);
  }

  @Line(from = "3.2")
  protected LineNeutralSubscription(
      PersistentTopic topic,
      String name,
      ManagedCursor cursor,
      Boolean replicated,
      Map<String, String> properties) {
    super(topic, name, cursor, replicated, properties);
  }

  /** Changes the broker's statistics of this subscription into those that are shown, once. */
  protected abstract SubscriptionStatsImpl shown(SubscriptionStatsImpl stats);

  @Line(before = "3.1")
  @Override
  public SubscriptionStatsImpl getStats(
      Boolean preciseBacklog, boolean backlogSize, boolean earliestTimeInBacklog) {
    return shown(super.getStats(preciseBacklog, backlogSize, earliestTimeInBacklog));
  }

  @Line(from = "3.0.7", before = "3.1")
  @Override
  public CompletableFuture<SubscriptionStatsImpl> getStatsAsync(
      Boolean preciseBacklog, boolean backlogSize, boolean earliestTimeInBacklog) {
    return super.getStatsAsync(preciseBacklog, backlogSize, earliestTimeInBacklog)
        .thenApply(this::shown);
  }

  @Line(from = "3.1", before = "4.0")
  @Override
  public SubscriptionStatsImpl getStats(GetStatsOptions options) {
    return shown(super.getStats(options));
  }

  @Line(from = "3.3.6")
  @Override
  public CompletableFuture<SubscriptionStatsImpl> getStatsAsync(GetStatsOptions options) {
    return super.getStatsAsync(options).thenApply(this::shown);
  }
}
