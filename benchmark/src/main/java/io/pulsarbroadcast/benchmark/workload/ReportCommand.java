/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code workload report}. The main thread calls it. */
@Command(
    name = "report",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Turns a folder of result files, of local runs or of OpenMessaging Benchmark, into a"
            + " self-contained page with plots.")
final class ReportCommand implements Callable<Integer> {
  @ParentCommand private WorkloadCommand parent;

  @Parameters(paramLabel = "FOLDER", description = "The folder with the result files (*.json).")
  private Path folder;

  @Mixin HelpOption help;

  @Override
  public Integer call() throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new InvalidOptionException(
          "FOLDER is " + folder + "; allowed: a folder with result files");
    }
    return parent.writeReport(folder) ? Program.EXIT_COMPLETE : Program.EXIT_MISSING;
  }
}
