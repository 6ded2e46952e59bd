/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import io.pulsarbroadcast.broker.cursor.StoredPositions;

/**
 * What is known of a subscription when it becomes Broadcast. Immutable.
 *
 * @param positions what its consumers had acknowledged
 * @param ledger the positions log
 * @param declared what the cursor says of it
 * @param takenOver whether a former version of the plugin has declared nothing
 */
public record SubscriptionPast(
    Origin origin,
    StoredPositions positions,
    PositionsLedger ledger,
    DeclaredLog declared,
    boolean takenOver) {

  /** Where a subscription was before, and so where a consumer starts that has no position. */
  public enum Origin {
    /** Made by the Broadcast subscribe itself: at the consumer's initial position. */
    NEW,
    /** A plain subscription: at its position, while nobody has moved on from there. */
    PLAIN,
    /**
     * A Broadcast one, loaded with its positions, or of non-durable consumers, who store none: at
     * the consumer's initial position.
     */
    STORED,
    /** Its positions are lost: at the subscription's position, lest a consumer misses something. */
    LOST
  }

  /** The same with another declaration. */
  SubscriptionPast with(DeclaredLog other) {
    return new SubscriptionPast(origin, positions, ledger, other, takenOver);
  }

  @Override
  public String toString() {
    return origin + " with " + positions.size() + " stored positions";
  }
}
