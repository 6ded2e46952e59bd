/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BenchCommandTest {
  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int execute(String... arguments) {
    return new BenchCommand(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false)
        .execute(arguments);
  }

  static Stream<Arguments> wrongOptions() {
    return Stream.of(
        Arguments.of(
            "fan-out",
            "Unknown option or command: fan-out; commands are fanout, floor, compare, ramp,"
                + " reconnect, heap, ablation, jmh, and each has --help"),
        Arguments.of("fanout --rounds 0", "--rounds is 0; allowed: 1 to 1000"),
        Arguments.of("fanout --consumers many", "--consumers is many; allowed: 1 to 1000000"),
        Arguments.of(
            "fanout --warmup 60", "--warmup is 60; allowed: less than --messages, which is 60"),
        Arguments.of("floor --floor-acks all", "--floor-acks is all; allowed: none, dropped, both"),
        Arguments.of("floor --lookup each", "--lookup is each; allowed: connection, consumer"),
        Arguments.of("floor --subscriptions 0", "--subscriptions is 0; allowed: 1 to 1000"),
        Arguments.of(
            "floor --ack cumulative-ms:0",
            "--ack is cumulative-ms:0; allowed: cumulative, cumulative:<messages>,"
                + " cumulative-ms:<milliseconds>, individual, none"),
        Arguments.of("floor --broker-setting key", "--broker-setting is key; allowed: key=value"),
        Arguments.of(
            "fanout --pulsar-home /no/such/folder",
            "--pulsar-home is /no/such/folder; allowed: a folder that has bin/pulsar"),
        Arguments.of("fanout --floors", "Unknown option: '--floors'; see --help"));
  }

  @ParameterizedTest
  @MethodSource("wrongOptions")
  void shouldNameOptionValueAndWhatIsAllowedInOneLine(String arguments, String error) {
    assertThat(execute(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(error + System.lineSeparator());
  }

  static Stream<Arguments> wrongOptionsOfABroker() {
    return Stream.of(
        Arguments.of(
            "compare --sizes 10,x",
            "--sizes is 10,x; allowed: whole numbers from 1 to 1000000, separated by commas"),
        Arguments.of(
            "compare --types key_shared",
            "--types is key_shared; allowed: broadcast, exclusive, shared, reader, separated by"
                + " commas"),
        Arguments.of(
            "ramp --rate 300", "--max-rate is 200.0; allowed: at least --rate, which is 300.0"),
        Arguments.of("ramp --rate-factor 1", "--rate-factor is 1; allowed: 1.05 to 100"),
        Arguments.of(
            "reconnect --settle-seconds -1", "--settle-seconds is -1; allowed: 0 to 3600"));
  }

  @ParameterizedTest
  @MethodSource("wrongOptionsOfABroker")
  void shouldCheckTheOptionsOfACommandBeforeItStartsABroker(String arguments, String error)
      throws IOException {
    assertThat(execute(withBroker(arguments))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(error + System.lineSeparator());
  }

  @Test
  void shouldSayWhatIsWrongInAListOfCombinations() throws IOException {
    Path list = Files.writeString(folder.resolve("list.json"), "[{\"settings\": {}}]");

    assertThat(execute(withBroker("ablation --combinations " + list))).isEqualTo(2);

    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("--combinations is " + list)
        .contains("a combination needs a name and settings");
  }

  /** Files that pass for a distribution and a plugin as long as nothing starts them. */
  private String[] withBroker(String arguments) throws IOException {
    Files.createDirectories(folder.resolve("bin"));
    Files.writeString(folder.resolve("bin/pulsar"), "");
    Path nar = Files.writeString(folder.resolve("plugin.nar"), "");
    return (arguments + " --pulsar-home=" + folder + " --nar=" + nar).split(" ");
  }

  @Test
  void shouldListTheCommands() {
    assertThat(execute("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("fanout", "floor", "compare", "ramp", "reconnect", "heap", "ablation", "jmh");
  }

  @Test
  @Timeout(60)
  void shouldMeasureTheFloorAndLeaveResults() throws IOException {
    Path results = folder.resolve("results");

    int exitCode =
        execute(
            "floor",
            "--consumers=50",
            "--connections=4",
            "--messages=6",
            "--warmup=2",
            "--rate=50",
            "--rounds=2",
            "--floor-acks=both",
            "--broker-heap-mb=256",
            "--output=" + results);

    assertThat(exitCode).as(err.toString(StandardCharsets.UTF_8)).isZero();
    try (Stream<Path> folders = Files.list(results)) {
      Path result = folders.findFirst().orElseThrow();
      assertThat(result.getFileName().toString()).endsWith("-floor");
      assertThat(Files.readString(result.resolve("result.txt")))
          .contains("./bench floor --consumers=50", "last receiver P99, ms", "Floor, acks dropped");
      List<String> csv = Files.readAllLines(result.resolve("result.csv"));
      assertThat(csv).as("two series of two rounds and their sum, ratios, header").hasSize(10);
      JsonNode json = new ObjectMapper().readTree(result.resolve("result.json").toFile());
      assertThat(json.get("series")).hasSize(2);
      assertThat(json.get("series").get(0).get("delivery").get("received").asInt()).isEqualTo(600);
      assertThat(json.get("series").get(0).get("delivery").get("missing").asInt()).isZero();
      assertThat(json.get("environment").get("processor").asText()).isNotEmpty();
    }
  }
}
