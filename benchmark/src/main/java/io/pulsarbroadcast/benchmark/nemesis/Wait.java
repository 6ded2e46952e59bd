/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import java.io.IOException;
import java.time.Duration;

/** Waits for what a cluster comes to by itself. Any thread may call it. */
final class Wait {
  private static final long POLL_MILLIS = 200;

  /** What is waited for; what fails with an {@link IOException} does not hold yet. */
  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  private Wait() {}

  /**
   * Asks again and again.
   *
   * @throws IOException when the time is over, with what failed last
   */
  static void until(Duration timeout, String what, Condition condition)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    IOException last = null;
    while (true) {
      try {
        if (condition.holds()) {
          return;
        }
        last = null;
      } catch (IOException e) {
        last = e;
      }
      if (System.nanoTime() - startNanos > timeout.toNanos()) {
        throw new IOException(
            "Waited %d s for %s%s"
                .formatted(
                    timeout.toSeconds(), what, last == null ? "" : "; last: " + last.getMessage()),
            last);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
