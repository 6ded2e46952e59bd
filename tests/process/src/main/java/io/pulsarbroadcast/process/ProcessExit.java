/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

/**
 * Waits for a process that has been told to end. May be called from any thread.
 *
 * <p>Not with {@link Process#onExit}, which needs a thread of the common pool: from JDK 25 on, that
 * has only one where there are two cores, and whoever uses it may be waiting for the process.
 */
public final class ProcessExit {

  private ProcessExit() {}

  /** Returns when the process has ended, whoever interrupts meanwhile. */
  public static void await(Process process) {
    boolean interrupted = false;
    while (true) {
      try {
        process.waitFor();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
