/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.process.ProcessExit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that a test has started, and what it prints. One thread may call it. */
final class StartedProgram implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofMinutes(3);

  private final Process process;
  private final Path output;

  private StartedProgram(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Starts it; what it prints goes to a file in the folder. */
  static StartedProgram start(ProcessBuilder program, Path folder) throws IOException {
    Path output = Files.createTempFile(folder, "program", ".log");
    return new StartedProgram(
        program.redirectErrorStream(true).redirectOutput(output.toFile()).start(), output);
  }

  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it has printed at least so many lines that begin so; returns what follows. */
  List<String> printed(String beginning, int count) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(printed(beginning)).as(this::output).hasSizeGreaterThanOrEqualTo(count));
    return printed(beginning);
  }

  private List<String> printed(String beginning) {
    return output()
        .lines()
        .filter(line -> line.startsWith(beginning))
        .map(line -> line.substring(beginning.length()))
        .toList();
  }

  /** Waits until it ends by itself. */
  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).as(this::output).isTrue();
    return process.exitValue();
  }

  /** Ends what it has started, or itself, as a service manager would; it ends after that. */
  @Override
  public void close() {
    List<ProcessHandle> started = process.descendants().toList();
    started.forEach(ProcessHandle::destroy);
    if (started.isEmpty()) {
      process.destroy();
    }
    ProcessExit.await(process);
  }
}
