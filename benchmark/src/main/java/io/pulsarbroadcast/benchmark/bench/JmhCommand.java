/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Listed here and started by the script, because JMH wants a class path of its own. */
@Command(
    name = "jmh",
    header = "The pieces of the plugin against the plain alternatives.",
    description = "The pieces of the plugin against the plain alternatives; its options are JMH's.")
public final class JmhCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    throw new InvalidOptionException("jmh is started by the script: ./bench jmh");
  }
}
