/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Workload files for each rate. The main thread calls it. */
@Command(
    name = "expand",
    header = "A workload file for each rate of a workload, for OpenMessaging Benchmark.",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Writes a workload file for each of a workload's rateSteps, for OpenMessaging Benchmark,"
            + " which runs one rate per file.")
public final class ExpandCommand implements Callable<Integer> {
  @ParentCommand private Console console;

  @Parameters(paramLabel = "WORKLOAD", description = "A workload file with rateSteps, or its name.")
  private String workload;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      required = true,
      description = "Where the files go.")
  private Path output;

  @Mixin HelpOption help;

  @Override
  public Integer call() throws IOException {
    File source = BenchFiles.findWorkload(workload);
    WorkloadFile read = WorkloadFile.read(source);
    Files.createDirectories(output);
    String text = Files.readString(source.toPath());
    for (int rate : read.rateSteps()) {
      Path file = output.resolve(BenchFiles.baseName(source) + "-" + rate + "msgs.yaml");
      Files.writeString(file, atRate(text, read.name, rate));
      console.out().println(file);
    }
    return Program.EXIT_COMPLETE;
  }

  /** The same text with one rate; comments stay. */
  static String atRate(String text, String name, int rate) {
    return text.replaceAll("(?m)^rateSteps:.*\\R?", "")
            .replaceAll("(?m)^producerRate:.*$", "producerRate: " + rate)
            .replaceAll(
                "(?m)^name:.*$",
                Matcher.quoteReplacement(
                    "name: \"" + name.replace("\"", "\\\"") + ", " + rate + " msg/s\""))
            .stripTrailing()
        + "\n";
  }
}
