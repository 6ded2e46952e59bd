/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A command of this machine. Any thread may call it. */
final class HostCommand {
  private HostCommand() {}

  /**
   * Runs it.
   *
   * @throws IOException with what it says when it fails
   */
  static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(
          "%s ended with %d: %s".formatted(String.join(" ", command), code, output.strip()));
    }
  }
}
