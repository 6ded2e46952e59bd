/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.report.html.HtmlReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Draws results that are there already. The main thread calls it. */
@Command(
    name = "report",
    header = "A page of a folder of results, also of OpenMessaging Benchmark's.",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Turns a folder of result files, of local runs or of OpenMessaging Benchmark, into a"
            + " self-contained page with plots.")
public final class ReportCommand implements Callable<Integer> {
  @ParentCommand private Console console;

  @Parameters(paramLabel = "FOLDER", description = "The folder with the result files (*.json).")
  private Path folder;

  @Mixin HelpOption help;

  @Override
  public Integer call() throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new InvalidOptionException(
          "FOLDER is " + folder + "; allowed: a folder with result files");
    }
    Optional<Path> page = HtmlReport.write(folder, console.err()::println);
    if (page.isEmpty()) {
      console.err().println("There are no result files in " + folder);
      return Program.EXIT_MISSING;
    }
    console.out().println("Report: " + page.get());
    return Program.EXIT_COMPLETE;
  }
}
