/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.cli.OptionValues;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The broker of a benchmark and where the results go, as picocli fills it in. One thread may call
 * it.
 */
final class ServerOptions {
  @Mixin BrokerOptions broker = new BrokerOptions();

  @Option(
      names = "--jfr",
      description =
          "Record the broker with JFR while messages are timed; adds the recordings and a summary"
              + " of each to the results.")
  boolean jfr;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Results go into a folder of their own in here.")
  Path output = Path.of("results");

  /**
   * Throws {@code InvalidOptionException} for the first option that is not allowed.
   *
   * @param plugin whether brokers are started that need the plugin
   * @param starts whether brokers are started at all
   * @param instead what else is allowed, after a comma; or empty
   */
  void check(boolean starts, boolean plugin, String instead) {
    broker.settings();
    OptionValues.checkOutput(output);
    if (starts) {
      broker.checkFiles(plugin, instead);
    }
  }
}
