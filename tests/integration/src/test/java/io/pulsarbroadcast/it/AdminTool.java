/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The distribution's {@code bin/pulsar-admin} with the packaged commands. */
final class AdminTool {
  static final String LIGHT_JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private final Path script;
  private final Path folder;
  private final Path config;

  private AdminTool(Path script, Path folder, Path config) {
    this.script = script;
    this.folder = folder;
    this.config = config;
  }

  /** Installs the commands as docs/operate.md says, in an empty folder. */
  static AdminTool install(Path folder, String adminUrl) throws IOException {
    Path script = Path.of(System.getProperty("pulsar.home"), "bin", "pulsar-admin");
    assumeThat(script).as("pulsar-admin of the distribution").exists();
    Path nar = Path.of(System.getProperty("broadcast.admin.nar"));
    Path extensions = Files.createDirectories(folder.resolve("cliextensions"));
    Files.copy(nar, extensions.resolve(nar.getFileName()));
    Path config =
        Files.write(
            folder.resolve("client.conf"),
            List.of(
                "webServiceUrl=" + adminUrl,
                "cliExtensionsDirectory=" + extensions,
                "customCommandFactories=broadcast"));
    return new AdminTool(script, folder, config);
  }

  /**
   * Environment with which {@code pulsar-admin} and {@code pulsar-client} of a Pulsar home start in
   * two thirds of the processor time: those after the first have a class data archive, in the given
   * folder. No JVM makes one of a class path with the folder of the log configuration, so that is
   * named in another way.
   */
  static Map<String, String> lightJvm(Path home, Path folder) {
    String logConfiguration = "log4j2.yaml";
    return Map.of(
        "PULSAR_LOG_CONF",
        folder.resolve("none").resolve(logConfiguration).toString(),
        "PULSAR_EXTRA_OPTS",
        String.join(
            " ",
            LIGHT_JVM,
            ClassArchive.madeByTheFirst(folder.resolve("tool.jsa")),
            "-Djava.io.tmpdir=" + folder,
            "-Dlog4j.configurationFile=" + home.resolve("conf").resolve(logConfiguration)));
  }

  Bash.Result run(String... words) throws IOException, InterruptedException {
    return answering("", words);
  }

  Bash.Result answering(String input, String... words) throws IOException, InterruptedException {
    Map<String, String> environment =
        new HashMap<>(lightJvm(script.getParent().getParent(), folder));
    environment.putAll(
        Map.of(
            "PULSAR_CLIENT_CONF",
            config.toString(),
            "PULSAR_LOG_LEVEL",
            "warn",
            "LC_ALL",
            "C.UTF-8"));
    return Bash.run(
        "exec " + quoted(script.toString()) + quotedAll(words), folder, input, environment, folder);
  }

  private static String quotedAll(String... words) {
    return Stream.of(words).map(AdminTool::quoted).collect(Collectors.joining(" ", " ", ""));
  }

  /** For bash in ASCII: in some locales Java passes nothing else on. */
  private static String quoted(String word) {
    StringBuilder quoted = new StringBuilder("$'");
    for (byte b : word.getBytes(StandardCharsets.UTF_8)) {
      quoted.append(String.format("\\x%02x", b));
    }
    return quoted.append('\'').toString();
  }
}
