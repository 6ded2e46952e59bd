/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.client;

/** What is measured of an {@link OrderedListenerExecutor}. From any thread. */
interface ListenerMeters {
  ListenerMeters NONE = new ListenerMeters() {};

  /** Before the first message. */
  default void register(OrderedListenerExecutor executor) {}

  /**
   * A listener call has ended.
   *
   * @param publishMillis when the message was published, since the epoch
   */
  default void called(long waitedNanos, long calledNanos, long publishMillis) {}

  /** A message has no listener call, because the executor is closed. */
  default void rejected() {}

  /** The executor is closed. */
  default void remove() {}
}
