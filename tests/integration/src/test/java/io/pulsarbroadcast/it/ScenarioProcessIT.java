/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.Bench;
import io.pulsarbroadcast.benchmark.history.Event;
import io.pulsarbroadcast.benchmark.history.HistoryChecker;
import io.pulsarbroadcast.benchmark.history.HistoryReader;
import io.pulsarbroadcast.benchmark.history.Invariant;
import io.pulsarbroadcast.process.Folders;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The checks of docs/measure.md at a size that takes seconds. Every check counts; those about times
 * have limits that a busy machine keeps.
 */
@Tag("complete")
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class ScenarioProcessIT {
  /** Kept after the test, with the broker's log when a check failed. */
  private final Path results = Path.of("target/scenario-results", UUID.randomUUID().toString());

  @TempDir private static Path pulsarHome;

  /** The distribution, as its operator would set it up for a JVM that starts soon. */
  @BeforeAll
  static void installWithALightJvm() throws IOException {
    Path distribution = Path.of(System.getProperty("pulsar.home"));
    for (String linked : List.of("lib", "instances")) {
      Files.createSymbolicLink(pulsarHome.resolve(linked), distribution.resolve(linked));
    }
    for (String copied : List.of("bin", "conf")) {
      Folders.copy(distribution.resolve(copied), pulsarHome.resolve(copied));
    }
    Files.writeString(
        pulsarHome.resolve("conf/pulsar_env.sh"),
        """

        PULSAR_GC="-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
        PULSAR_GC_LOG="-Xlog:disable"
        """,
        StandardOpenOption.APPEND);
  }

  /** I1, I2, I3, I8. */
  @Test
  void shouldLetBadConsumersCatchUpWhenTheyWake() throws Exception {
    JsonNode figures =
        run(
            // 3 MB a second: what a socket holds, and what may wait for it, is full after a few
            // seconds, and whatever is kept beyond that shows in the broker's memory. Of 8 MB a
            // second, a machine with five other brokers never saw the end of the backlog.
            "soak --consumers 4 --connections 2 --size 100000 --rate 30 --minutes 0.25"
                + " --never-read 2 --never-acknowledge 1 --warmup-seconds 5 --sample-seconds 1"
                + " --broker-setting broadcastConnectionMaxPendingBytes=1000000"
                + " --broker-direct-mb 512 --broker-setting managedLedgerCacheSizeMB=32"
                + " --max-p99-ratio 1000");

    assertThat(figures.path("laggardsWhenWoken").asLong()).isGreaterThanOrEqualTo(2);
    assertThat(figures.path("p99MillisWith").asDouble())
        .as("I8: nobody waits for those that stand still for 15 s")
        .isLessThan(5_000);
    assertThat(figures.path("backlogWhenWoken").asLong()).isGreaterThan(225);
    assertThat(figures.path("backlogAtEnd").asLong()).isZero();
    assertThat(files()).contains("memory.csv", "latency.csv", "consumers.csv", "report.html");
  }

  /** I1, I2, I8. */
  @Test
  void shouldServeConsumersThatLeaveAndReturn() throws Exception {
    JsonNode figures =
        run(
            "churn --consumers 50 --connections 10 --rate 20 --minutes 0.2 --window-minutes 0.1"
                + " --leave-percent 1000 --warmup-seconds 1 --sample-seconds 1"
                + " --max-p99-ratio 1000 --max-heap-percent 50");

    assertThat(figures.path("left").asInt())
        .as("each connection, and some again")
        .isGreaterThan(10);
    assertThat(figures.path("published").asInt()).isGreaterThan(200);
    assertThat(files()).contains("windows.csv", "memory.csv", "latency.csv", "consumers.csv");
  }

  /** I1, I2, I8. */
  @Test
  void shouldServeConsumersAtOnePlaceWithTheReadsOfOne() throws Exception {
    JsonNode figures =
        run(
            "catch-up --consumers 50 --backlog-mb 20 --laggards 10 --before-seconds 2 --cache-mb 2"
                + " --max-read-ratio 3");

    assertThat(figures.path("reads1").asDouble()).isPositive();
    assertThat(figures.path("reads10").asDouble()).isPositive();
    assertThat(files()).contains("catch-up.csv", "consumers.csv");
  }

  /** I1 to I7, as the recorded history shows. */
  @Test
  void shouldLoseNothingAndRedeliverOneIntervalWhenTheBrokerIsKilled() throws Exception {
    // The margin is wide because other tests may use the machine at the same time.
    JsonNode figures =
        run("kills --consumers 50 --kills 2 --between-seconds 5 --margin-millis 6000");

    assertThat(figures.path("kills").asInt()).isEqualTo(2);
    assertThat(figures.path("published").asInt()).isGreaterThan(200);
    assertThat(figures.path("oldestMillis").asInt()).isLessThanOrEqualTo(7_000);
    assertThat(files()).contains("kills.csv", "consumers.csv", "history.jsonl.gz");
  }

  /** I1 to I7, as the recorded history shows. */
  @Test
  void shouldRedeliverNothingWithAReceiptWhenTheTopicIsUnloaded() throws Exception {
    JsonNode figures = run("unloads --consumers 50 --unloads 3 --between-seconds 2");

    assertThat(figures.path("receipts").asLong()).isGreaterThan(3_000);
    assertThat(files()).contains("unloads.csv", "consumers.csv", "history.jsonl.gz");
    try (HistoryReader reader = HistoryReader.open(folder().resolve("history.jsonl.gz"))) {
      assertThat(new HistoryChecker().check(withARepetition(reader.events().toList()).stream()))
          .as("the same history, but a message with a receipt comes again")
          .singleElement()
          .satisfies(found -> assertThat(found.invariant()).isEqualTo(Invariant.I5));
    }
  }

  /** The first consumer that comes back is sent again what it had the last receipt for. */
  private static List<Event> withARepetition(List<Event> history) {
    List<Event> events = new ArrayList<>(history);
    Map<String, Event.Delivery> delivered = new HashMap<>();
    Map<String, Event.Delivery> receipted = new HashMap<>();
    for (Event event : history) {
      if (event instanceof Event.Delivery delivery) {
        delivered.put(delivery.name() + delivery.id(), delivery);
      } else if (event instanceof Event.Ack ack && ack.phase() == Event.Phase.OK) {
        receipted.put(ack.name(), delivered.get(ack.name() + ack.id()));
      } else if (event instanceof Event.Subscribe subscribe
          && subscribe.phase() == Event.Phase.OK
          && receipted.containsKey(subscribe.name())) {
        Event.Delivery before = receipted.get(subscribe.name());
        events.add(
            events.indexOf(event) + 1,
            new Event.Delivery(
                subscribe.line(),
                subscribe.micros(),
                subscribe.name(),
                subscribe.incarnation(),
                before.broker(),
                before.id(),
                0,
                before.payload()));
        return events;
      }
    }
    throw new AssertionError("nobody came back");
  }

  /** I4: what is measured is what is there, so every case is written and recovered. */
  @Test
  void shouldMeasureStoredPositions() throws Exception {
    Path plugin = BrokerExtension.nar().getParent();
    String classPath =
        String.join(
            File.pathSeparator,
            plugin.resolve("classes").toString(),
            plugin.resolve("test-classes").toString(),
            System.getProperty("pulsar.home") + "/lib/*");

    JsonNode figures =
        run(
            // The load generator sends acknowledgements 100 ms late, or when it has some 2,000 of a
            // connection. Hence one for so many: else a fast machine writes before they are there.
            "positions --consumers 3000 --connections 1 --holes 50"
                // Of a minute, as by default, the end of a broker took more than 20 s, and a kill.
                + " --broker-setting brokerShutdownTimeoutMs=6000",
            "--plugin-class-path",
            classPath);

    assertThat(figures.path("deltaBytes one place").asDouble()).isBetween(1.0, 1_000.0);
    assertThat(figures.path("deltaBytes own places").asDouble()).isGreaterThan(10_000);
    assertThat(files()).contains("encoding.csv", "encoding-alone.csv", "through-the-broker.csv");
  }

  /** Runs a scenario, and returns the figures of its result.json. */
  private JsonNode run(String command, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
    arguments.addAll(List.of(more));
    arguments.addAll(
        List.of(
            "--output",
            results.toString(),
            "--pulsar-home",
            pulsarHome.toString(),
            "--nar",
            BrokerExtension.nar().toString()));
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);

    int exitCode = new Bench(out, out, false).execute(arguments.toArray(String[]::new));

    assertThat(exitCode).as(output.toString(StandardCharsets.UTF_8)).isZero();
    return new ObjectMapper().readTree(folder().resolve("result.json").toFile()).path("figures");
  }

  private Path folder() throws Exception {
    try (Stream<Path> folders = Files.list(results)) {
      return folders.findFirst().orElseThrow();
    }
  }

  private List<String> files() throws Exception {
    try (Stream<Path> found = Files.list(folder())) {
      return found.map(file -> file.getFileName().toString()).toList();
    }
  }
}
