/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A Pulsar home whose bin/pulsar is a few lines of shell, for tests that need no broker. */
final class FakeDistribution {

  private FakeDistribution() {}

  static Path in(Path folder, String... script) throws IOException {
    Path home = Files.createDirectories(folder.resolve("fake-pulsar"));
    Files.createDirectories(home.resolve("lib"));
    Files.writeString(home.resolve("lib/some.jar"), "jar");
    Files.createDirectories(home.resolve("conf"));
    Files.write(
        home.resolve("conf/standalone.conf"),
        List.of("brokerServicePort=6650", "webServicePort=8080", "brokerInterceptors="));
    Path bin = Files.createDirectories(home.resolve("bin")).resolve("pulsar");
    Files.writeString(bin, "#!/bin/sh\n" + String.join("\n", script) + "\n");
    if (!bin.toFile().setExecutable(true)) {
      throw new IOException("Cannot make executable: " + bin);
    }
    return home;
  }
}
