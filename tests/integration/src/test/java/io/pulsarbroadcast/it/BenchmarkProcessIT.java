/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.Bench;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark commands at a small size, with the packaged plugin; what they measure is noise. */
@Order(2)
@Tag("complete")
class BenchmarkProcessIT {
  @TempDir Path results;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private Path execute(String command, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(
        List.of(
            "--pulsar-home=" + System.getProperty("pulsar.home"),
            "--nar=" + System.getProperty("broadcast.nar"),
            "--output=" + results,
            "--consumers=200",
            "--connections=4",
            "--broker-heap-mb=512",
            "--broker-direct-mb=1024"));
    arguments.addAll(List.of(options));
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    int exitCode = new Bench(stream, stream, false).execute(arguments.toArray(String[]::new));

    assertThat(exitCode).as(out.toString(StandardCharsets.UTF_8)).isZero();
    try (Stream<Path> folders = Files.list(results)) {
      return folders.findFirst().orElseThrow();
    }
  }

  private static JsonNode json(Path folder) throws IOException {
    return new ObjectMapper().readTree(folder.resolve("result.json").toFile());
  }

  @Test
  void shouldMeasureBrokerAndFloorInOneRun() throws IOException {
    Path folder =
        execute(
            "fanout",
            "--floor",
            "--jfr",
            "--rounds=1",
            "--messages=10",
            "--warmup=2",
            "--rate=20",
            "--ack=cumulative-ms:100",
            "--lookup=consumer",
            "--broker-setting=broadcastMarkDeleteIntervalMillis=50");

    for (String file : List.of("Broadcast-200-20msgs.json", "Floor-200-20msgs.json")) {
      JsonNode one =
          new ObjectMapper().readTree(folder.resolve(file).toFile()).get("pulsarBroadcast");
      assertThat(one.get("delivery").get("received").asInt()).isEqualTo(2_000);
      assertThat(one.get("delivery").get("missing").asInt()).isZero();
      assertThat(one.get("delivery").get("duplicates").asInt()).isZero();
      assertThat(one.get("endToEnd").get("count").asInt()).isEqualTo(1_600);
      assertThat(one.get("connect").get("count").asInt()).isEqualTo(200);
    }
    assertThat(json(folder).get("environment").get("pulsar").asText()).startsWith("Pulsar 3.");
    assertThat(Files.readString(folder.resolve("result.txt"))).contains("Broadcast / Floor");
    assertThat(folder.resolve("Broadcast-1.jfr")).isNotEmptyFile();
    assertThat(folder.resolve("Broadcast-1-jfr.txt")).isNotEmptyFile();
    assertThat(folder.resolve("report.html")).content().contains("Broadcast / Floor", "<svg");
  }

  @Test
  void shouldCutOffEverybodyAndReadTheBrokersMemory() throws IOException {
    Path folder = execute("reconnect", "--rounds=1", "--settle-seconds=1", "--rate=20");

    JsonNode rows = json(folder).get("tables").get("result");
    assertThat(rows).as("before, and one round").hasSize(2);
    assertThat(rows.get(1).get("all complete, s").asDouble()).isPositive();
    assertThat(rows.get(1).get("published meanwhile").asInt()).isPositive();
    for (JsonNode row : rows) {
      assertThat(row.get("live heap, MB").asDouble()).isPositive();
      assertThat(row.get("direct memory, MB").asDouble()).isPositive();
    }
  }
}
