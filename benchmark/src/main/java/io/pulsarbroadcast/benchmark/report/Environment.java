/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import java.lang.management.ManagementFactory;

/**
 * The machine and the versions a result belongs to. Immutable; any thread may call it.
 *
 * @param cores that this JVM may use
 * @param memoryMegabytes of the machine
 * @param operatingSystem name, version and architecture
 * @param java version and vendor of the JVM that generates the load
 * @param pulsar version as the broker says itself
 */
public record Environment(
    int cores, long memoryMegabytes, String operatingSystem, String java, String pulsar) {
  private static final long BYTES_PER_MEGABYTE = 1024 * 1024;

  /** This machine and JVM. */
  public static Environment current(String pulsarVersion) {
    com.sun.management.OperatingSystemMXBean system =
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    return new Environment(
        Runtime.getRuntime().availableProcessors(),
        system.getTotalMemorySize() / BYTES_PER_MEGABYTE,
        "%s %s %s".formatted(system.getName(), system.getVersion(), system.getArch()),
        System.getProperty("java.version") + " " + System.getProperty("java.vendor"),
        pulsarVersion);
  }

  /** One line for people. */
  public String line() {
    return "%d cores, %.1f GiB memory, %s, Java %s, %s"
        .formatted(cores, memoryMegabytes / 1024.0, operatingSystem, java, pulsar);
  }
}
