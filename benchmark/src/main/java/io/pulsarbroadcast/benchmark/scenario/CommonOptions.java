/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.cli.BrokerOptions;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that all scenarios have, as picocli fills them in. One thread may call it. */
final class CommonOptions {
  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Results go into a folder of their own in here (default: ${DEFAULT-VALUE}).")
  Path output = Path.of("scenario-results");

  @Option(
      names = "--counts-only",
      description =
          "Times and memory are reported but do not decide the exit code: for machines that others"
              + " use, and for small runs.")
  boolean countsOnly;

  @Mixin BrokerOptions broker = new BrokerOptions(1_024, 2_048);

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  /** Throws for the first option that is not allowed. */
  void check() {
    try {
      broker.checkMemory();
      broker.checkFiles(true, "");
    } catch (InvalidOptionException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    if (Files.exists(output) && !Files.isDirectory(output)) {
      throw wrong("--output", output, "a folder");
    }
  }

  /** Throws when the value is outside. */
  void range(String option, double value, double lowest, double highest) {
    if (!(value >= lowest && value <= highest)) {
      throw wrong(option, number(value), number(lowest) + " to " + number(highest));
    }
  }

  void messageSize(int sizeBytes) {
    range("--size", sizeBytes, PayloadFormat.MIN_SIZE_BYTES, PayloadFormat.MAX_SIZE_BYTES);
  }

  private ParameterException wrong(String option, Object value, String allowed) {
    return new ParameterException(
        spec.commandLine(), "%s is %s; allowed: %s".formatted(option, value, allowed));
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%s", value);
  }
}
