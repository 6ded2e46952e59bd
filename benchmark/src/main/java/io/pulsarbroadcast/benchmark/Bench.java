/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import io.pulsarbroadcast.benchmark.bench.BenchCommand;

/** The benchmarks' main class. The JVM calls it. */
public final class Bench {
  /** Set by the script, which knows whether its output goes to a terminal. */
  private static final String TERMINAL_PROPERTY = "bench.terminal";

  private Bench() {}

  public static void main(String[] arguments) {
    System.setProperty("java.awt.headless", "true");
    boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);
    System.exit(new BenchCommand(System.out, System.err, terminal).execute(arguments));
  }
}
