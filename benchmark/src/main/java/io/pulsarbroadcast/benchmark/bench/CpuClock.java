/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** CPU time that a server and this process use from now on. One thread may call it. */
final class CpuClock {
  private final ProcessHandle server;
  private final long serverStartMicros;
  private final long ownStartMicros;

  CpuClock(ProcessHandle server) {
    this.server = server;
    this.serverStartMicros = serverMicros();
    this.ownStartMicros = ownMicros();
  }

  /** Microseconds of the server per delivery so far. */
  double serverPerDelivery(long deliveries) {
    return deliveries == 0
        ? Double.NaN
        : (double) (serverMicros() - serverStartMicros) / deliveries;
  }

  /** Microseconds of this process per delivery so far. */
  double ownPerDelivery(long deliveries) {
    return deliveries == 0 ? Double.NaN : (double) (ownMicros() - ownStartMicros) / deliveries;
  }

  private long serverMicros() {
    return server
        .info()
        .totalCpuDuration()
        .map(Duration::toNanos)
        .map(TimeUnit.NANOSECONDS::toMicros)
        .orElse(0L);
  }

  private static long ownMicros() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return TimeUnit.NANOSECONDS.toMicros(system.getProcessCpuTime());
  }
}
