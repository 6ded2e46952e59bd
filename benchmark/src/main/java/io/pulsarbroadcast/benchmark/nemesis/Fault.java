/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import java.io.IOException;

/** One disturbance of the cluster. The nemesis calls its methods, in this order. */
interface Fault {
  /** What is done to which part. */
  String what();

  /** Whether acknowledgements of the last interval may be lost; false if positions are stored. */
  default boolean isCrash() {
    return true;
  }

  /** Makes it. */
  void begin() throws IOException, InterruptedException;

  /** Whether the cluster has been seen to suffer from it; asked again until it is so. */
  boolean isConfirmed() throws IOException, InterruptedException;

  /** How long it goes on after it was confirmed. */
  default int holdMillis() {
    return 0;
  }

  /** Undoes it, and returns when the part is ready again. */
  default void heal() throws IOException, InterruptedException {}
}
