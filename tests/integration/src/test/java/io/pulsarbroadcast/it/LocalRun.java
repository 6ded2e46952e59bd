/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import java.io.IOException;
import java.nio.file.Path;

/** A {@code pulsar-admin ... localrun} of the distribution, which runs a function or a sink. */
final class LocalRun {
  private LocalRun() {}

  /** Starts it in the Pulsar home, with a folder for what it writes. */
  static StartedProgram start(String command, Path folder) throws IOException {
    ProcessBuilder program =
        new ProcessBuilder("bash", "-c", "exec " + command)
            .directory(Path.of(System.getProperty("pulsar.home")).toFile());
    program.environment().put("PULSAR_LOG_DIR", folder.toString());
    // Instead of the scripts' own collector, of which the options would contradict these.
    program.environment().put("PULSAR_GC", AdminTool.LIGHT_JVM);
    program.environment().put("PULSAR_EXTRA_OPTS", "-Djava.io.tmpdir=" + folder);
    return StartedProgram.start(program, folder);
  }
}
