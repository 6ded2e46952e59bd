/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** An unpacked Pulsar server distribution. Any thread may call it. */
public final class Distribution {

  private Distribution() {}

  /**
   * Unpacks a {@code tar.gz} distribution with the {@code tar} program and returns the folder in it
   * that has {@code bin/pulsar}. A folder that is already unpacked is returned as it is.
   */
  public static Path unpack(Path tarGz, Path into) throws IOException, InterruptedException {
    Files.createDirectories(into);
    Path marker = into.resolve("." + tarGz.getFileName() + ".unpacked");
    if (!Files.exists(marker)) {
      run(List.of("tar", "-xzf", tarGz.toAbsolutePath().toString(), "-C", into.toString()));
      Files.createFile(marker);
    }
    try (Stream<Path> children = Files.list(into)) {
      return children
          .filter(child -> Files.isRegularFile(child.resolve("bin/pulsar")))
          .findFirst()
          .orElseThrow(() -> new IOException("No bin/pulsar in any folder of " + into));
    }
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exitCode = process.waitFor();
    if (exitCode != 0) {
      throw new IOException(
          "'%s' ended with code %d: %s"
              .formatted(String.join(" ", command), exitCode, output.strip()));
    }
  }
}
