/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import io.pulsarbroadcast.benchmark.workload.WorkloadCommand;

/** The main class of the workload script. The JVM calls it. */
public final class Workloads {
  private Workloads() {}

  public static void main(String[] arguments) {
    System.setProperty("java.awt.headless", "true");
    System.exit(new WorkloadCommand(System.out, System.err).execute(arguments));
  }
}
