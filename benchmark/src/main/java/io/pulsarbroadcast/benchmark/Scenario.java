/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import io.pulsarbroadcast.benchmark.scenario.ScenarioCommand;

/** The main class of the long scenarios. The JVM calls it. */
public final class Scenario {
  private Scenario() {}

  public static void main(String[] arguments) {
    System.setProperty("java.awt.headless", "true");
    System.exit(new ScenarioCommand(System.out, System.err).execute(arguments));
  }
}
