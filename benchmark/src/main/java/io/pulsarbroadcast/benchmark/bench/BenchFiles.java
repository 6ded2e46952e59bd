/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import java.io.File;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Workload and driver files by path, or by the names of those that come with it. Any thread. */
final class BenchFiles {
  /** Set by the script: where workloads/ and drivers/ are. */
  private static final String FOLDER_PROPERTY = "benchmark.folder";

  private BenchFiles() {}

  static DriverFile driver(String nameOrPath) throws IOException {
    return DriverFile.read(find("--driver", "drivers", nameOrPath));
  }

  static WorkloadFile workload(String nameOrPath) throws IOException {
    return WorkloadFile.read(findWorkload(nameOrPath));
  }

  static File findWorkload(String nameOrPath) {
    return find("WORKLOAD", "workloads", nameOrPath);
  }

  private static File find(String option, String kind, String nameOrPath) {
    File folder = new File(System.getProperty(FOLDER_PROPERTY, "."), kind);
    return Stream.of(new File(nameOrPath), new File(folder, nameOrPath + ".yaml"))
        .filter(File::isFile)
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidOptionException(
                    "%s is %s; allowed: a file, or one of %s"
                        .formatted(option, nameOrPath, names(folder))));
  }

  private static String names(File folder) {
    String[] files = folder.list((in, name) -> name.endsWith(".yaml"));
    return Stream.of(files == null ? new String[0] : files)
        .map(name -> name.replaceFirst("\\.yaml$", ""))
        .sorted()
        .collect(Collectors.joining(", "));
  }

  static String baseName(File file) {
    return file.getName().replaceFirst("\\.ya?ml$", "");
  }
}
