/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./demo > file} writes, on the shared broker. */
@ExtendWith(BrokerExtension.class)
class DemoIT {
  private static final Path BENCHMARK = Path.of(System.getProperty("benchmark.folder"));

  @TempDir Path folder;

  private String outputOf(String... command) throws Exception {
    File output = folder.resolve("output.txt").toFile();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(output.toPath());
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }

  /** As the demo script starts it: its own words for the options of the JVM, and for a terminal. */
  private String demo(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            "bash",
            "-euc",
            "root=$1; program=bench; class_path=$2; shift 2; . \"$root/benchmark/launch.sh\";"
                + " check_tools; exec \"$java_command\" \"${java_options[@]}\""
                + " \"-Dbench.terminal=$terminal\" -cp \"$class_path\""
                + " io.pulsarbroadcast.benchmark.Bench demo \"$@\"",
            "demo",
            BENCHMARK.getParent().toString(),
            System.getProperty("java.class.path")));
    command.addAll(List.of(options));
    return outputOf(command.toArray(String[]::new));
  }

  @Test
  void shouldWriteLinesWithoutControlCharactersIntoAFile(Broker broker) throws Exception {
    String output =
        demo(
            "--service-url",
            broker.process().serviceUrl(),
            "--consumers=50",
            "--connections=4",
            "--messages=10",
            "--rate=20",
            "--output=" + folder);

    assertThat(output).doesNotContainPattern("[\\p{Cntrl}&&[^\\n]]");
    assertThat(output.lines().toList())
        .as("a line per phase, and the table")
        .anySatisfy(line -> assertThat(line).startsWith("connect Broadcast").contains("50 of 50"))
        .anySatisfy(line -> assertThat(line).matches("missing +0"))
        .anySatisfy(line -> assertThat(line).matches("out of order +0"));
  }

  @Test
  void shouldWriteHelpWithoutControlCharactersIntoAFile() throws Exception {
    String help = demo("--help");

    assertThat(help).contains("Usage: bench demo", "--consumers");
    assertThat(help).doesNotContainPattern("[\\p{Cntrl}&&[^\\n]]");
  }
}
