/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.util.concurrent.Executor;

/**
 * Runs each task on a thread of its own. For tasks that wait: from JDK 25 on, the common pool has
 * one thread only where there are two cores.
 */
public final class NewThread {

  private NewThread() {}

  /**
   * The threads do not keep the process alive.
   *
   * @param name of each thread
   */
  public static Executor named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      thread.start();
    };
  }
}
