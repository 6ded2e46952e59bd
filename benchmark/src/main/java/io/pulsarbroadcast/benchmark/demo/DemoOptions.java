/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.demo;

import io.pulsarbroadcast.benchmark.cli.AbstractLoadOptions;
import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.OptionValues;
import io.pulsarbroadcast.benchmark.cli.Range;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of the demo, as picocli fills them in. One thread may call it. */
final class DemoOptions extends AbstractLoadOptions {
  /** Which subscriptions are measured. */
  enum Mode {
    BROADCAST,
    EXCLUSIVE
  }

  private static final int MAX_DEFAULT_WARMUP = 10;
  private static final int WARMUP_SHARE = 6;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      description =
          "How many of them, from the first, are counted but not timed; the others follow when"
              + " these have arrived (default: a sixth, at most 10).")
  @Range(from = 0, to = 9_999_999)
  Integer warmup;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "broadcast: one Broadcast subscription; exclusive: a stock Exclusive subscription per"
              + " consumer (default: broadcast).")
  String mode = "broadcast";

  @Option(
      names = "--compare",
      description =
          "After Broadcast, the same load on the same broker with a stock Exclusive subscription"
              + " per consumer; then both side by side.")
  boolean compare;

  @Option(
      names = "--service-url",
      paramLabel = "URL",
      description = "Use a running broker that has the plugin, instead of starting one.")
  String serviceUrl;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Where to write results (default: ${DEFAULT-VALUE}).")
  Path output = Path.of("demo-results");

  @Mixin BrokerOptions broker = new BrokerOptions(1_024, 2_048);

  DemoOptions() {
    super(1_000, 2);
  }

  /** Throws {@link InvalidOptionException} for the first option that is not allowed. */
  void check() {
    checkLoad();
    mode();
    if (compare && mode() == Mode.EXCLUSIVE) {
      throw new InvalidOptionException("--mode is exclusive; allowed with --compare: broadcast");
    }
    if (serviceUrl == null) {
      broker.checkFiles(mode() == Mode.BROADCAST, ", or --service-url");
    } else {
      OptionValues.checkServiceUrl(serviceUrl);
    }
    OptionValues.checkOutput(output);
  }

  Mode mode() {
    for (Mode value : Mode.values()) {
      if (value.name().equalsIgnoreCase(mode)) {
        return value;
      }
    }
    throw new InvalidOptionException("--mode is " + mode + "; allowed: broadcast, exclusive");
  }

  @Override
  public int warmupMessages() {
    return warmup == null ? Math.min(MAX_DEFAULT_WARMUP, messages / WARMUP_SHARE) : warmup;
  }

  /** Where the log of a broker goes that made the demo fail. */
  Path brokerLog() {
    return output.resolve("broker.log");
  }

  /** For the result file. */
  Map<String, String> asMap() {
    Map<String, String> map = loadAsMap();
    map.put("serviceUrl", serviceUrl == null ? "own broker" : serviceUrl);
    if (serviceUrl == null) {
      map.put("brokerHeapMegabytes", Integer.toString(broker.heapMegabytes()));
      map.put("brokerDirectMegabytes", Integer.toString(broker.directMegabytes()));
    }
    return map;
  }
}
