/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.util.concurrent.Executor;

/**
 * Runs each task on a thread of its own. For tasks that wait: from JDK 25 on, the common pool has
 * one thread only where there are two cores.
 */
public final class NewThread {

  /** The thread does not keep the process alive. */
  public static final Executor PER_TASK =
      task -> {
        Thread thread = new Thread(task, "task");
        thread.setDaemon(true);
        thread.start();
      };

  private NewThread() {}
}
