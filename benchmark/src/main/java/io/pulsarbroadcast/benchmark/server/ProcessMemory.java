/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The memory of processes on this machine, where there is /proc. Any thread may call it. */
public final class ProcessMemory {
  private static final String RESIDENT = "VmRSS:";
  private static final long BYTES_PER_KILOBYTE = 1024;

  private ProcessMemory() {}

  /** Memory that a process occupies, or empty where the system does not say. */
  public static OptionalLong residentBytes(ProcessHandle process) throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    if (!Files.exists(status)) {
      return OptionalLong.empty();
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith(RESIDENT))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * BYTES_PER_KILOBYTE)
        .findFirst();
  }
}
