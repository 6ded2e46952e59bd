/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory of a broker at one moment, after a garbage collection. Immutable.
 *
 * @param heap live objects
 * @param directMegabytes direct memory of its pools; NaN when not known
 * @param residentMegabytes memory its process occupies; NaN where there is no /proc
 */
public record MemoryReading(ClassHistogram heap, double directMegabytes, double residentMegabytes) {
  private static final double BYTES_PER_MEGABYTE = 1 << 20;
  private static final double KILOBYTES_PER_MEGABYTE = 1 << 10;

  public static MemoryReading of(Broker broker) throws IOException, InterruptedException {
    ProcessHandle process = broker.process().orElseThrow();
    return new MemoryReading(
        new Jcmd(process).classHistogram(),
        broker.metrics().sum("jvm_memory_direct_bytes_used") / BYTES_PER_MEGABYTE,
        residentKilobytes(process) / KILOBYTES_PER_MEGABYTE);
  }

  private static double residentKilobytes(ProcessHandle process) throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    return !Files.exists(status)
        ? Double.NaN
        : Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
            .findFirst()
            .orElseThrow();
  }

  public double heapMegabytes() {
    return heap.totalBytes() / BYTES_PER_MEGABYTE;
  }
}
