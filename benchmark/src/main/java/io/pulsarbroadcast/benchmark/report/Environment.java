/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

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

  /**
   * What belongs to a result beside that: the processor, the options of this JVM, and what is
   * added.
   */
  public Map<String, String> details(Map<String, String> more) {
    Map<String, String> details = new LinkedHashMap<>();
    details.put("processor", processor());
    details.put("cores", Integer.toString(cores));
    details.put("memoryMegabytes", Long.toString(memoryMegabytes));
    details.put("operatingSystem", operatingSystem);
    details.put("java", java);
    details.put("generatorJvmOptions", jvmOptions());
    details.put("pulsar", pulsar);
    details.putAll(more);
    return details;
  }

  /**
   * Without what the script tells: where things are on this machine does not belong to a result.
   */
  private static String jvmOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-Dbench"))
        .collect(Collectors.joining(" "));
  }

  private static String processor() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** One line for people. */
  public String line() {
    return "%d cores, %.1f GiB memory, %s, Java %s, %s"
        .formatted(cores, memoryMegabytes / 1024.0, operatingSystem, java, pulsar);
  }
}
