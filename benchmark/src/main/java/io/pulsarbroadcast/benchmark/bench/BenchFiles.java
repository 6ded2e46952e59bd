/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import java.io.File;
import java.io.IOException;

/** Workload and driver files by path, or by the names of those that come with it. Any thread. */
final class BenchFiles {
  /** Set by the script: where workloads/ and drivers/ are. */
  private static final String FOLDER_PROPERTY = "benchmark.folder";

  private BenchFiles() {}

  static DriverFile driver(String nameOrPath) throws IOException {
    return DriverFile.read(find("drivers", nameOrPath));
  }

  static WorkloadFile workload(String nameOrPath) throws IOException {
    return WorkloadFile.read(find("workloads", nameOrPath));
  }

  static File find(String kind, String nameOrPath) {
    File file = new File(nameOrPath);
    boolean isPath = file.isFile() || nameOrPath.matches(".*(/|\\.ya?ml)");
    return isPath
        ? file
        : new File(System.getProperty(FOLDER_PROPERTY, "."), kind + "/" + nameOrPath + ".yaml");
  }

  static String baseName(File file) {
    return file.getName().replaceFirst("\\.ya?ml$", "");
  }
}
