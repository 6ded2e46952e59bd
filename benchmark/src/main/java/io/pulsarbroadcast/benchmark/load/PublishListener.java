/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

/** Hears of every answer to a published message. Threads of the publisher and client call it. */
public interface PublishListener {
  /** Times are of System.nanoTime(); {@code acknowledged} says whether the message is stored. */
  void answered(long intendedNanos, long sentNanos, long answeredNanos, boolean acknowledged);

  /** The message is about to be sent. */
  default void sending(int sequence) {}

  /** The message is stored there. */
  default void stored(int sequence, long ledgerId, long entryId) {}

  /** The client has given up; the message may be stored or not. */
  default void givenUp(int sequence) {}
}
