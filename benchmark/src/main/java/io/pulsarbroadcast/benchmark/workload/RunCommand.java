/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code workload run}. The main thread calls it. */
@Command(
    name = "run",
    sortOptions = false,
    usageHelpWidth = 100,
    description = "Runs workload files on each of the drivers, and writes results and the report.")
final class RunCommand implements Callable<Integer> {
  @ParentCommand private WorkloadCommand parent;

  @Parameters(paramLabel = "WORKLOAD", arity = "1..*", description = "Workload files.")
  private List<File> workloads;

  @Option(
      names = "--driver",
      paramLabel = "FILE",
      split = ",",
      required = true,
      description = "Driver files, with commas between; each gets a broker of its own.")
  private List<File> drivers;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description = "Instead of the workload's subscriptionsPerTopic.")
  @Range(from = 1, to = 1_000_000)
  private Integer consumers;

  @Mixin HelpOption help;

  @Mixin private RunOptions options;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    // All files are read before anything starts.
    List<DriverFile> driverFiles = parent.read(drivers, DriverFile::read);
    List<WorkloadFile> workloadFiles = parent.read(workloads, WorkloadFile::read);
    WorkloadSession session = new WorkloadSession(options, parent.out(), parent.err());
    for (DriverFile driver : driverFiles) {
      try (WorkloadBroker broker = options.broker(driver)) {
        for (int i = 0; i < workloadFiles.size(); i++) {
          WorkloadFile workload = workloadFiles.get(i);
          int count = consumers == null ? workload.consumers() : consumers;
          session.run(
              options.plan(workload, driver, count),
              broker,
              WorkloadCommand.baseName(workloads.get(i)) + "-" + driver.name());
        }
      }
    }
    parent.writeReport(options.output);
    return session.isComplete() ? Program.EXIT_COMPLETE : Program.EXIT_MISSING;
  }
}
