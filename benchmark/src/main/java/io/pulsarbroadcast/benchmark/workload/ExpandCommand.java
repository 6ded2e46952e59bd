/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

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

/** {@code workload expand}. The main thread calls it. */
@Command(
    name = "expand",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Writes a workload file for each of a workload's rateSteps, for OpenMessaging Benchmark,"
            + " which runs one rate per file.")
final class ExpandCommand implements Callable<Integer> {
  @ParentCommand private WorkloadCommand parent;

  @Parameters(paramLabel = "WORKLOAD", description = "A workload file with rateSteps.")
  private File workload;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      required = true,
      description = "Where the files go.")
  private Path output;

  @Mixin HelpOption help;

  @Override
  public Integer call() throws IOException {
    WorkloadFile read = WorkloadFile.read(workload);
    Files.createDirectories(output);
    String text = Files.readString(workload.toPath());
    for (int rate : read.rateSteps()) {
      Path file = output.resolve(WorkloadCommand.baseName(workload) + "-" + rate + "msgs.yaml");
      Files.writeString(file, atRate(text, read.name(), rate));
      parent.out().println(file);
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
