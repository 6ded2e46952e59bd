/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.bookkeeper.mledger.ManagedLedgerConfig;
import org.apache.bookkeeper.mledger.Position;
import org.apache.pulsar.broker.service.persistent.PersistentTopic;
import org.apache.pulsar.common.naming.TopicName;

/**
 * Has the source of a shadow topic (PIP-180) keep what the shadow topic's Broadcast subscriptions
 * still need. Both topics are the same ledgers, with the same ids, but only the source's own
 * subscriptions hold back trimming. May be called from any thread.
 */
public interface SourceHold {

  /** Of a topic that is no shadow topic. */
  SourceHold NONE = new SourceHold() {};

  /**
   * For one load of a topic.
   *
   * @param closing whether the topic is being closed
   */
  static SourceHold of(PersistentTopic topic, BooleanSupplier closing) {
    TopicName source = topic.getShadowSourceTopic().orElse(null);
    return source == null ? NONE : new SourceSubscription(topic, source, closing);
  }

  /** Whether a topic keeps what nobody needs there any more. */
  static boolean isRetainedForEver(PersistentTopic topic) {
    ManagedLedgerConfig config = topic.getManagedLedger().getConfig();
    return config.getRetentionTimeMillis() < 0 && config.getRetentionSizeInMB() < 0;
  }

  /**
   * Why there is to be no Broadcast subscription, or null: a shadow topic whose own retention is
   * not infinite, because Pulsar deletes the source's ledgers when nobody needs them there any
   * more.
   */
  default String refusal() {
    return null;
  }

  /**
   * Does something for which the source is to keep more: moves a cursor back, or makes a
   * subscription Broadcast.
   *
   * @param position the last entry that is not needed
   * @param action begun when the source keeps what follows; completed when a cursor that is
   *     Broadcast stands there, or has moved on from there
   * @return what {@code action} answers; fails with a ServiceUnitNotReadyException, after which
   *     clients try again, when the source cannot be told
   */
  default <T> CompletableFuture<T> holding(
      Position position, Supplier<CompletableFuture<T>> action) {
    return action.get();
  }

  /** A Broadcast subscription has moved: the source follows soon. */
  default void moved() {}

  /**
   * A subscription of the source is gone, also without being asked for: what holds the source is
   * made again soon.
   *
   * @param path where the metadata store had its cursor
   */
  default void deleted(String path) {}

  /** The topic was loaded: goes on, or ends what a load before it has left. */
  default void loaded() {}

  /**
   * Ends, unless there is a Broadcast subscription.
   *
   * @return completed when that is done or has failed, and after some seconds
   */
  default CompletableFuture<Void> endUnlessUsed() {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * The topic is about to be deleted, and closed: the metadata store forgets the ledgers that it
   * lists for a shadow topic since its last load, or they would be deleted with it.
   */
  default CompletableFuture<Void> forgetLedgers() {
    return CompletableFuture.completedFuture(null);
  }

  /** The topic is closed: the source keeps what it keeps now. */
  default void close() {}
}
