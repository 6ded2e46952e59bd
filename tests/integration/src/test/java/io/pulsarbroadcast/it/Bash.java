/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs what an operator would type. Stateless. */
final class Bash {
  private static final int TIMEOUT_MINUTES = 3;

  /** What a run left behind. */
  record Result(int exitCode, String out, String err) {}

  private Bash() {}

  /**
   * Runs commands to their end.
   *
   * @param commands in ASCII: in some locales Java passes nothing else on
   * @param input for whatever asks
   * @param environment in addition to that of this process
   * @param files a folder for what is read and written
   */
  static Result run(
      String commands, Path directory, String input, Map<String, String> environment, Path files)
      throws IOException, InterruptedException {
    Path in = Files.writeString(files.resolve("in"), input);
    Path out = files.resolve("out");
    Path err = files.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", commands)
            .directory(directory.toFile())
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES))
          .as("%s ends", commands)
          .isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
  }
}
