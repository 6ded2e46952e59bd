/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import java.lang.management.ManagementFactory;

/** The heap of this process. Any thread may call it. */
final class OwnHeap {
  private OwnHeap() {}

  /** Bytes of live objects: collects the garbage first. */
  static long liveBytes() {
    ManagementFactory.getMemoryMXBean().gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
