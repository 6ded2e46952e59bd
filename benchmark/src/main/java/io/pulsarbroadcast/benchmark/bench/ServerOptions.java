/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.cli.OptionValues;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The broker of a benchmark and where the results go, as picocli fills it in. One thread may call
 * it.
 */
final class ServerOptions {
  @Mixin BrokerOptions broker = new BrokerOptions(4_096, 4_096);

  @Option(
      names = "--jfr",
      description =
          "Record the broker with JFR while messages are timed; adds the recordings and a summary"
              + " of each to the results.")
  boolean jfr;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Results go into a folder of their own in here (default: ${DEFAULT-VALUE}).")
  Path output = Path.of("results");

  /** Throws {@code InvalidOptionException} for the first option that is not allowed. */
  void check(boolean needsBroker) {
    broker.settings();
    OptionValues.checkOutput(output);
    if (needsBroker) {
      broker.checkFiles(true, "");
    }
  }

  /** For the result file. */
  Map<String, String> asMap() {
    Map<String, String> map = new LinkedHashMap<>();
    map.put("brokerHeapMegabytes", Integer.toString(broker.heapMegabytes()));
    map.put("brokerDirectMegabytes", Integer.toString(broker.directMegabytes()));
    map.put("brokerSettings", broker.settings().toString());
    map.put("jfr", Boolean.toString(jfr));
    return map;
  }
}
