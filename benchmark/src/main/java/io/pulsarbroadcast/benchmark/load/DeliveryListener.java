/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

/**
 * Hears of each message a fleet receives, and decides whether it is acknowledged; and of its
 * subscribes. Called by the event loop of the consumer's connection, so that calls for one consumer
 * follow one another.
 */
public interface DeliveryListener {
  /**
   * An intact message of this run.
   *
   * @param first false when the consumer has received a message with this number before
   * @param redeliveryCount as the broker says; 0 in the ordered contract
   */
  record Received(int sequence, boolean first, long ledgerId, long entryId, int redeliveryCount) {}

  /**
   * A consumer has received a message.
   *
   * @return whether to acknowledge it, as the {@link AckPolicy} says
   */
  boolean received(int consumer, Received message);

  /**
   * What is received next is not what had to come next: one further back than the last, or one
   * behind a gap; in a redelivery too. Called before {@link #received}.
   */
  default void disordered(int consumer) {}

  /** The consumer is about to subscribe, for the first time or again. */
  default void subscribing(int consumer) {}

  /** Its subscribe has succeeded. */
  default void subscribed(int consumer) {}

  /** Its subscribe was refused; with reconnect it is tried again. */
  default void refused(int consumer) {}

  /** Whether the broker is asked for a receipt of each acknowledgement; asked once. */
  default boolean wantsReceipts() {
    return false;
  }

  /** The broker says that it has processed the acknowledgement of this message. */
  default void receipt(int consumer, int sequence) {}
}
