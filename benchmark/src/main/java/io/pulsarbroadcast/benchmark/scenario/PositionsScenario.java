/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.load.FleetException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stub. */
@Command(name = "positions", sortOptions = false, usageHelpWidth = 100)
final class PositionsScenario extends AbstractScenario {
  @Option(names = "--plugin-class-path", paramLabel = "PATH", description = "x")
  String pluginClassPath;

  PositionsScenario(PrintStream out, PrintStream err) {
    super(out, err);
  }

  @Override
  void check() {}

  @Override
  Map<String, String> brokerSettings() {
    return Map.of();
  }

  @Override
  void run(ScenarioBroker broker, ResultsFolder results)
      throws IOException, InterruptedException, FleetException {}
}
