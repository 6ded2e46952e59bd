/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.cli.HelpOption;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.OptionValues;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code workload tables}. The main thread calls it. */
@Command(
    name = "tables",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Reproduces published tables at the sizes that fit this machine, stock Pulsar against"
            + " Broadcast in one run, and writes the report.")
final class TablesCommand implements Callable<Integer> {
  private static final int[] NTT_THOUSANDS = {20, 30, 40, 100};
  static final List<String> NTT_DRIVERS =
      List.of("shared", "broadcast-topic-executor", "broadcast-executor", "broadcast");

  @ParentCommand private WorkloadCommand parent;

  @Parameters(paramLabel = "TABLES", description = "ntt: NTT's tables 1 to 3.")
  private String tables;

  @Option(
      names = "--max-consumers",
      paramLabel = "N",
      defaultValue = "20000",
      description =
          "Sizes above are left out; when all of NTT's are, a quarter, a half and the whole of this"
              + " are run (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000_000)
  private int maxConsumers;

  @Option(
      names = "--sizes",
      paramLabel = "N,N,...",
      description = "Instead of NTT's sizes: these numbers of consumers, at most 100,000.")
  private String sizes;

  @Option(
      names = "--driver",
      paramLabel = "FILE",
      split = ",",
      description =
          "Driver files (default: shared.yaml, which is NTT's table 1, broadcast-topic-executor.yaml,"
              + " the design of table 2, broadcast-executor.yaml, that of table 3, and"
              + " broadcast.yaml, what the plugin does by default).")
  private List<File> drivers;

  @Option(
      names = "--benchmark-folder",
      paramLabel = "FOLDER",
      defaultValue = "benchmark",
      description = "Where workloads/ and drivers/ are (default: ${DEFAULT-VALUE}).")
  private File folder;

  @Mixin HelpOption help;

  @Mixin private RunOptions options;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!"ntt".equals(tables)) {
      throw new InvalidOptionException("TABLES is " + tables + "; allowed: ntt");
    }
    List<Integer> asked =
        sizes == null ? null : OptionValues.numbers("--sizes", sizes, 1, NTT_THOUSANDS[3] * 1_000);
    options.check();
    if (drivers == null) {
      drivers =
          NTT_DRIVERS.stream().map(name -> new File(folder, "drivers/" + name + ".yaml")).toList();
    }
    List<DriverFile> driverFiles = parent.read(drivers, DriverFile::read);
    List<File> files = new ArrayList<>();
    for (int thousands : NTT_THOUSANDS) {
      files.add(new File(folder, "workloads/ntt-" + thousands + "k.yaml"));
    }
    List<WorkloadFile> rows = parent.read(files, WorkloadFile::read);
    List<Integer> run = asked == null ? sizes(rows, maxConsumers) : asked;
    WorkloadSession session = new WorkloadSession(options, parent.out(), parent.err());
    for (DriverFile driver : driverFiles) {
      for (int size : run) {
        WorkloadFile row =
            rows.stream().filter(w -> w.consumers() >= size).findFirst().orElseThrow();
        // A fresh broker for each row: what one leaves behind must not weigh on the next.
        try (WorkloadBroker broker = options.broker(driver)) {
          session.run(options.plan(row, driver, size), broker, "ntt-" + size + "-" + driver.name());
        }
      }
    }
    parent.writeReport(options.output);
    return session.isComplete() ? Program.EXIT_COMPLETE : Program.EXIT_MISSING;
  }

  /** NTT's sizes up to the limit; when none is, parts of the limit. */
  static List<Integer> sizes(List<WorkloadFile> rows, int maxConsumers) {
    List<Integer> fitting =
        rows.stream().map(WorkloadFile::consumers).filter(n -> n <= maxConsumers).toList();
    if (!fitting.isEmpty()) {
      return fitting;
    }
    List<Integer> parts = new ArrayList<>();
    for (int part : new int[] {4, 2, 1}) {
      int size = Math.max(1, maxConsumers / part);
      if (!parts.contains(size)) {
        parts.add(size);
      }
    }
    return parts;
  }
}
