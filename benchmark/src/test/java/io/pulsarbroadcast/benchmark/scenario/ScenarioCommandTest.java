/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScenarioCommandTest {
  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int execute(List<String> arguments) {
    return new ScenarioCommand(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8))
        .execute(arguments.toArray(String[]::new));
  }

  private String error() {
    return err.toString(StandardCharsets.UTF_8).strip();
  }

  static Stream<Arguments> wrongOptions() {
    return Stream.of(
        Arguments.of("soak --minutes 0", "--minutes is 0; allowed: 0.05 to 10000"),
        Arguments.of("soak --minutes long", "--minutes is long; allowed: 0.05 to 10000"),
        Arguments.of("soak --never-read 0", "--never-read is 0; allowed: 1 to 1000"),
        Arguments.of("soak --size 31", "--size is 31; allowed: 32 to 5232640"),
        Arguments.of("catch-up --backlog-mb 0", "--backlog-mb is 0; allowed: 1 to 9000"),
        Arguments.of("kills --kills 0", "--kills is 0; allowed: 1 to 1000"),
        Arguments.of("kills --rate 0", "--rate is 0; allowed: 0.1 to 100000"),
        Arguments.of("unloads --unloads -1", "--unloads is -1; allowed: 1 to 10000"),
        Arguments.of("positions --consumers 1", "--consumers is 1; allowed: 100 to 1000000"),
        Arguments.of("kills --broker-heap-mb 1", "--broker-heap-mb is 1; allowed: 256 to 1048576"),
        Arguments.of("positions", "--plugin-class-path is not set; allowed: a Java class path"));
  }

  @ParameterizedTest
  @MethodSource("wrongOptions")
  void shouldNameOptionValueAndRangeInOneLine(String command, String expected) throws IOException {
    Path nar = Files.createFile(folder.resolve("plugin.nar"));
    Files.createDirectory(folder.resolve("bin"));
    Files.createFile(folder.resolve("bin/pulsar"));
    List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
    arguments.addAll(List.of("--nar", nar.toString(), "--pulsar-home", folder.toString()));

    assertThat(execute(arguments)).isEqualTo(2);
    assertThat(error()).isEqualTo(expected);
  }

  @Test
  void shouldNameTheCommandsWhenThereIsNone() {
    assertThat(execute(List.of())).isEqualTo(2);
    assertThat(error()).isEqualTo("No command; allowed: soak, catch-up, kills, unloads, positions");
  }

  @Test
  void shouldNameTheCommandsWhenOneIsUnknown() {
    assertThat(execute(List.of("sock", "--minutes", "1"))).isEqualTo(2);
    assertThat(error()).startsWith("Unknown option or command: sock; commands are soak, catch-up");
  }

  @Test
  void shouldSayThatADistributionIsMissing() {
    assertThat(execute(List.of("kills"))).isEqualTo(2);
    assertThat(error()).isEqualTo("--pulsar-home is null; allowed: a folder that has bin/pulsar");
  }

  @ParameterizedTest
  @ValueSource(strings = {"soak", "catch-up", "kills", "unloads", "positions"})
  void shouldShowHelpOfEachCommand(String command) {
    assertThat(execute(List.of(command, "--help"))).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("--output", "--counts-only", "default: 1", "Exit code");
  }
}
