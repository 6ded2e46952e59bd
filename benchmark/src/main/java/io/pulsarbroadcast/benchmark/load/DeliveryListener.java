/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

/**
 * Hears of each message a fleet receives, and decides whether it is acknowledged. Called by the
 * event loop of the consumer's connection, so that calls for one consumer follow one another.
 */
public interface DeliveryListener {
  /**
   * A consumer has received an intact message of this run.
   *
   * @param first false when it has received a message with this number before
   * @param latencyNanos since the time at which the message was due
   * @return whether to acknowledge it, as the {@link AckPolicy} says
   */
  boolean received(
      int consumer, int sequence, boolean first, long latencyNanos, long ledgerId, long entryId);

  /**
   * What is received next is not what had to come next: one further back than the last, or one
   * behind a gap; in a redelivery too. Called before {@link #received}.
   */
  default void disordered(int consumer) {}

  /** Whether the broker is asked for a receipt of each acknowledgement; asked once. */
  default boolean wantsReceipts() {
    return false;
  }

  /** The broker says that it has processed the acknowledgement of this message. */
  default void receipt(int consumer, int sequence) {}
}
