/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.server.Broker;
import io.pulsarbroadcast.benchmark.server.ClassHistogram;
import io.pulsarbroadcast.benchmark.server.Jcmd;
import io.pulsarbroadcast.benchmark.server.ProcessMemory;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * The memory of a broker at one moment, after a garbage collection. Immutable.
 *
 * @param heap live objects
 * @param directBytes direct memory of its pools, if known
 * @param residentBytes memory its process occupies, if known
 */
record MemoryReading(ClassHistogram heap, OptionalLong directBytes, OptionalLong residentBytes) {
  private static final double BYTES_PER_MEGABYTE = 1024 * 1024;

  static MemoryReading of(Broker broker) throws IOException, InterruptedException {
    ProcessHandle process = broker.process().orElseThrow();
    return new MemoryReading(
        new Jcmd(process).classHistogram(),
        broker.directMemoryBytes(),
        ProcessMemory.residentBytes(process));
  }

  double heapMegabytes() {
    return heap.totalBytes() / BYTES_PER_MEGABYTE;
  }

  /** NaN when not known. */
  double directMegabytes() {
    return megabytes(directBytes);
  }

  /** NaN when not known. */
  double residentMegabytes() {
    return megabytes(residentBytes);
  }

  private static double megabytes(OptionalLong bytes) {
    return bytes.isPresent() ? bytes.getAsLong() / BYTES_PER_MEGABYTE : Double.NaN;
  }
}
