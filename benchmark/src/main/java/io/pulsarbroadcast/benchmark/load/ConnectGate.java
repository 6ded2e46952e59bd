/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

import java.util.ArrayDeque;

/**
 * Lets a bounded number of connections of one event loop be opened at a time, each until the server
 * has answered its first command: the kernel completes connections that a server has not accepted
 * yet, and when the queue of these overflows, the next ones wait for seconds. Only that event loop
 * may call it.
 */
final class ConnectGate {
  static final int MAX_OPENING = 128;

  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private int opening;
  private boolean looping;

  /** Runs the task now or when it is its turn; it must lead to one call of {@link #leave()}. */
  void enter(Runnable open) {
    waiting.add(open);
    openWaiting();
  }

  /** The server has answered on a connection, or it could not be opened. */
  void leave() {
    opening--;
    openWaiting();
  }

  /** A task that leaves at once comes back in here: the loop that runs it goes on with the next. */
  private void openWaiting() {
    if (looping) {
      return;
    }
    looping = true;
    while (opening < MAX_OPENING && !waiting.isEmpty()) {
      opening++;
      waiting.poll().run();
    }
    looping = false;
  }
}
