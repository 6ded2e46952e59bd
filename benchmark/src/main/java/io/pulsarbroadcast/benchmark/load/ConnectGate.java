/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.ArrayDeque;

/**
 * Lets a bounded number of connections of one event loop be opened at a time, so that thousands do
 * not overflow the broker's accept queue, after which the kernel waits for a second. Only that
 * event loop may call it.
 */
final class ConnectGate {
  static final int MAX_OPENING = 128;

  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private int opening;

  /** Runs the task now or when it is its turn; it must lead to one call of {@link #leave()}. */
  void enter(Runnable open) {
    if (opening < MAX_OPENING) {
      opening++;
      open.run();
    } else {
      waiting.add(open);
    }
  }

  /** A connection is open, or could not be opened. */
  void leave() {
    Runnable next = waiting.poll();
    if (next == null) {
      opening--;
    } else {
      next.run();
    }
  }
}
