/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.OptionValues;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all scenarios have, as picocli fills them in. One thread may call it. */
final class CommonOptions {
  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Results go into a folder of their own in here (default: ${DEFAULT-VALUE}).")
  Path output = Path.of("scenario-results");

  @Option(
      names = "--counts-only",
      description =
          "Times are reported but do not decide the exit code: for machines that others use.")
  boolean countsOnly;

  @Mixin BrokerOptions broker = new BrokerOptions(1_024, 2_048);

  @Mixin HelpOption help;

  /** Throws for the first option that is not allowed. */
  void check() {
    broker.checkFiles(true, "");
    OptionValues.checkOutput(output);
  }
}
