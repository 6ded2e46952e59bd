/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Which lines and branches of the plugin a broker has run, counted by JaCoCo's agent; the profile
 * {@code wire-coverage} fetches it. One thread may call it.
 */
final class BrokerCoverage {
  private static final long TIMEOUT_MINUTES = 5;

  /** What reads commands, and what they reach first. */
  private static final List<String> DECODERS =
      List.of(
          "BroadcastServerCnx",
          "BroadcastConsumer",
          "Acknowledgement",
          "SubscribeOptions",
          "BroadcastContract",
          "ConsumerAdmission",
          "PlainSubscribe",
          "NewNames",
          "NewNameLimit",
          "SoughtPositions",
          "SubscriptionDispatcher",
          "LastMessageId",
          "StartPositions",
          "LedgerIndex",
          "VirtualCursor",
          "IndividualAcks",
          "FanoutConsumer");

  /** Columns of JaCoCo's table. */
  private static final int CLASS = 2;

  /** The first of four: missed branches, taken ones, missed lines, lines that were run. */
  private static final int COUNTS = 5;

  private final Path agent = jar("org.jacoco.agent-runtime.jar");
  private final Path report = jar("org.jacoco.cli-nodeps.jar");
  private final Path executed;
  private final Path csv;

  /** {@code folder}: for what JaCoCo writes. */
  BrokerCoverage(Path folder) {
    executed = folder.resolve("jacoco.exec").toAbsolutePath();
    csv = folder.resolve("jacoco.csv").toAbsolutePath();
  }

  private static Path jar(String name) {
    return Path.of(System.getProperty("jacoco.jars"), name);
  }

  /** Has a broker count, and write it down when it ends in order. */
  PulsarProcessBuilder in(PulsarProcessBuilder broker) {
    return broker.jvmOption(
        "-javaagent:" + agent + "=includes=io.pulsarbroadcast.*,destfile=" + executed);
  }

  /**
   * The classes that read commands; after the broker has ended.
   *
   * @param classes the folder of the plugin's class files
   */
  ResultTable table(Path classes) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                report.toString(),
                "report",
                executed.toString(),
                "--classfiles",
                classes.toString(),
                "--csv",
                csv.toString(),
                "--quiet")
            .inheritIO()
            .start();
    if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("JaCoCo made no table of " + executed);
    }
    ResultTable table =
        new ResultTable("class", "lines", "lines run", "branches", "branches taken");
    List<String[]> rows = Files.readAllLines(csv).stream().map(line -> line.split(",")).toList();
    for (String name : DECODERS) {
      int[] counts = new int[4];
      rows.stream()
          .filter(row -> row[CLASS].equals(name) || row[CLASS].startsWith(name + "."))
          .forEach(
              row -> Arrays.setAll(counts, i -> counts[i] + Integer.parseInt(row[COUNTS + i])));
      table.row(name, counts[2] + counts[3], counts[3], counts[0] + counts[1], counts[1]);
    }
    return table;
  }
}
