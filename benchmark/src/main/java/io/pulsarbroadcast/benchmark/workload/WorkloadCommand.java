/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.report.html.HtmlReport;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of workloads. The main thread calls it. */
@Command(
    name = "workload",
    sortOptions = false,
    usageHelpWidth = 100,
    description = "Runs workload files of OpenMessaging Benchmark without it, and draws results.",
    subcommands = {RunCommand.class, TablesCommand.class, ExpandCommand.class, ReportCommand.class},
    footer = {
      "",
      "Exit code: 0 when nothing is missing, 1 when something is, 2 for a wrong option or file, 3"
          + " when the run failed."
    })
public final class WorkloadCommand {
  @Mixin HelpOption help;

  private final PrintStream out;
  private final PrintStream err;

  public WorkloadCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Parses the arguments, runs, and returns the exit code. */
  public int execute(String... arguments) {
    return Program.run(new CommandLine(this), out, err, arguments);
  }

  PrintStream out() {
    return out;
  }

  PrintStream err() {
    return err;
  }

  /** What reads a file. */
  interface Reader<T> {
    T read(File file) throws IOException;
  }

  <T> List<T> read(List<File> files, Reader<T> reader) throws IOException {
    List<T> read = new ArrayList<>();
    for (File file : files) {
      read.add(reader.read(file));
    }
    return read;
  }

  static String baseName(File file) {
    return file.getName().replaceFirst("\\.ya?ml$", "");
  }

  /** False when the folder has no results. */
  boolean writeReport(Path folder) throws IOException {
    Optional<Path> page = HtmlReport.write(folder, err::println);
    if (page.isEmpty()) {
      err.println("There are no result files in " + folder);
      return false;
    }
    out.println("Report: " + page.get());
    return true;
  }
}
