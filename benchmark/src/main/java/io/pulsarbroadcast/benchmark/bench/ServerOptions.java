/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.OptionValues;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The broker of a benchmark and where the results go, as picocli fills it in. One thread may call
 * it.
 */
final class ServerOptions {
  @Option(
      names = "--broker-setting",
      paramLabel = "KEY=VALUE",
      description = "A line of the broker's configuration; may be given several times.")
  List<String> brokerSettings = new ArrayList<>();

  @Mixin BrokerOptions broker = new BrokerOptions(4_096, 4_096);

  @Option(
      names = "--jfr",
      description =
          "Record the broker with JFR while messages are timed; adds the recordings and a summary of"
              + " each to the results.")
  boolean jfr;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Results go into a folder of their own in here (default: ${DEFAULT-VALUE}).")
  Path output = Path.of("results");

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  void check(boolean needsBroker) {
    settings();
    OptionValues.checkOutput(output);
    if (needsBroker) {
      broker.checkFiles(true, "");
    }
  }

  /** The settings in the order they were given. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String setting : brokerSettings) {
      int separator = setting.indexOf('=');
      if (separator < 1 || setting.substring(0, separator).isBlank()) {
        throw new InvalidOptionException("--broker-setting is " + setting + "; allowed: key=value");
      }
      settings.put(setting.substring(0, separator).strip(), setting.substring(separator + 1));
    }
    return settings;
  }

  /** For the result file. */
  Map<String, String> asMap() {
    Map<String, String> map = new LinkedHashMap<>();
    map.put("brokerHeapMegabytes", Integer.toString(broker.heapMegabytes()));
    map.put("brokerDirectMegabytes", Integer.toString(broker.directMegabytes()));
    map.put("brokerSettings", settings().toString());
    map.put("jfr", Boolean.toString(jfr));
    return map;
  }
}
