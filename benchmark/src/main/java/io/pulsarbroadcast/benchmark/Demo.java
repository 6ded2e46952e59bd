/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import io.pulsarbroadcast.benchmark.demo.DemoCommand;

/** The demo's main class. The JVM calls it. */
public final class Demo {
  /** Set by the demo script, which knows whether its output goes to a terminal. */
  private static final String TERMINAL_PROPERTY = "demo.terminal";

  private Demo() {}

  public static void main(String[] arguments) {
    System.setProperty("java.awt.headless", "true");
    boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);
    System.exit(new DemoCommand(System.out, System.err, terminal).execute(arguments));
  }
}
