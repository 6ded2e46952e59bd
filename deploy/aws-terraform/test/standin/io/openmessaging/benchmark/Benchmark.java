/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.openmessaging.benchmark;

import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Stands in for OpenMessaging Benchmark's coordinator where there is none: checks its arguments and that every worker
 * answers, and writes a result that says so. It measures nothing.
 */
public final class Benchmark {
  private Benchmark() {}

  public static void main(String[] args) throws Exception {
    List<String> given = List.of(args);
    Path driver = Path.of(after(given, "--drivers"));
    Path workload = Path.of(given.get(given.size() - 1));
    if (!Files.isRegularFile(driver) || !Files.isRegularFile(workload)) {
      throw new IllegalArgumentException("No file " + driver + " or " + workload);
    }
    String[] workers = after(given, "--workers").split(",");
    for (String worker : workers) {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create(worker).toURL().openConnection();
      connection.setConnectTimeout(5_000);
      connection.setReadTimeout(5_000);
      if (connection.getResponseCode() != 200) {
        throw new IllegalStateException("Worker " + worker + " does not answer");
      }
    }
    System.out.println("Stand-in: " + workers.length + " workers answer");
    Files.writeString(
        Path.of(after(given, "--output")), "{\"standIn\": true, \"workers\": " + workers.length + "}\n");
  }

  private static String after(List<String> given, String name) {
    return given.get(given.indexOf(name) + 1);
  }
}
