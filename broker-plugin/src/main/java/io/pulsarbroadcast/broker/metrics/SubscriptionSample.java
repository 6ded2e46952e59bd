/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

import io.pulsarbroadcast.broker.cursor.AbsentPositions;

/**
 * What is looked up of a subscription when metrics are asked for, rather than counted as it
 * happens. Immutable.
 *
 * @param lag how far the connected consumers are behind
 * @param positionsWaiting positions whose consumers are away
 * @param absent what those hold
 * @param absentBytes what storage holds after the furthest behind of them
 * @param convoys groups of consumers behind that one read serves
 * @param queuedTasks tasks that wait for the subscription's dispatch thread
 * @param positionsStoreBytes what the positions log takes on storage
 * @param positionsLost whether stored positions are lost and nobody has decided about them
 */
public record SubscriptionSample(
    Lag lag,
    int positionsWaiting,
    AbsentPositions absent,
    long absentBytes,
    int convoys,
    int queuedTasks,
    long positionsStoreBytes,
    boolean positionsLost) {

  static final SubscriptionSample NONE =
      new SubscriptionSample(Lag.NONE, 0, AbsentPositions.NONE, 0, 0, 0, 0, false);
}
