/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Diagnostic commands to a JVM on this machine, by the JDK's {@code jcmd}. Any thread may call it.
 */
public final class Jcmd {
  private static final Path PROGRAM = Path.of(System.getProperty("java.home"), "bin", "jcmd");

  private final long pid;

  /** For the JVM of this process. */
  public Jcmd(ProcessHandle process) {
    this.pid = process.pid();
  }

  /**
   * Carries out a command and returns what it prints.
   *
   * @throws IOException with the output when it fails, or when this Java is no JDK
   */
  public String run(String... command) throws IOException {
    if (!Files.isExecutable(PROGRAM)) {
      throw new IOException("There is no " + PROGRAM + "; run with a JDK");
    }
    List<String> arguments = new ArrayList<>();
    arguments.add(PROGRAM.toString());
    arguments.add(Long.toString(pid));
    arguments.addAll(List.of(command));
    // A JVM that asks itself stands still while it answers, and could not read a pipe.
    Path output = Files.createTempFile("jcmd-", ".txt");
    try {
      Process process =
          new ProcessBuilder(arguments)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      int exitCode = process.waitFor();
      String text = Files.readString(output);
      if (exitCode != 0) {
        throw new IOException(
            "%s ended with code %d: %s"
                .formatted(String.join(" ", arguments), exitCode, text.strip()));
      }
      return text;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted in " + String.join(" ", arguments), e);
    } finally {
      Files.delete(output);
    }
  }

  /** Collects garbage, then counts the objects that are left. */
  public ClassHistogram classHistogram() throws IOException {
    // With ZGC one collection leaves what was allocated while it ran.
    run("GC.run");
    return ClassHistogram.parse(run("GC.class_histogram"));
  }
}
