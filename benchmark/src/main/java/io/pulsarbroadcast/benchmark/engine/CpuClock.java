/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** CPU time that a server and this process use from now on. One thread may call it. */
final class CpuClock {
  static final long UNKNOWN = -1;

  private final Optional<ProcessHandle> server;
  private final long startNanos = System.nanoTime();
  private final long serverStartMillis;
  private final long ownStartMillis;

  /** {@code server}: empty when it is not on this machine. */
  CpuClock(Optional<ProcessHandle> server) {
    this.server = server;
    this.serverStartMillis = serverTotalMillis();
    this.ownStartMillis = ownTotalMillis();
  }

  /** All of it, and in how long. */
  CpuSpent spent() {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    return new CpuSpent(millis, ownMillis(), serverMillis());
  }

  /** {@link #UNKNOWN} when the server is not on this machine. */
  long serverMillis() {
    return server.isEmpty() ? UNKNOWN : serverTotalMillis() - serverStartMillis;
  }

  long ownMillis() {
    return ownTotalMillis() - ownStartMillis;
  }

  private long serverTotalMillis() {
    return server
        .flatMap(process -> process.info().totalCpuDuration())
        .map(Duration::toMillis)
        .orElse(0L);
  }

  private static long ownTotalMillis() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return TimeUnit.NANOSECONDS.toMillis(system.getProcessCpuTime());
  }
}
