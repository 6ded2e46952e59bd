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
import org.apache.pulsar.common.policies.data.PublishRate;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workload files on the real broker, without OpenMessaging Benchmark. Where few others run: a rate
 * that a busy broker does not sustain ends the steps.
 */
@Order(2)
@ExtendWith(ScrapedBroker.class)
@Tag("complete")
class WorkloadProcessIT {
  /** Of the topics that runs make. */
  private static final String NAMESPACE = "public/default";

  private static final Path BENCHMARK = Path.of(System.getProperty("benchmark.folder"));

  @TempDir Path folder;
  private final BrokerExtension.Broker broker;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  WorkloadProcessIT(BrokerExtension.Broker broker) {
    this.broker = broker;
  }

  private int run(String... arguments) {
    PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
    String[] common = {
      "--service-url",
      broker.process().serviceUrl(),
      "--output",
      folder.resolve("results").toString(),
      "--warmup-seconds",
      "1"
    };
    return new Bench(out, out, false)
        .execute(Stream.concat(Stream.of(arguments), Stream.of(common)).toArray(String[]::new));
  }

  private String printed() {
    return output.toString(StandardCharsets.UTF_8);
  }

  private Path result() throws IOException {
    try (Stream<Path> folders = Files.list(folder.resolve("results"))) {
      return folders.findFirst().orElseThrow();
    }
  }

  private List<JsonNode> results() throws IOException {
    try (Stream<Path> files = Files.list(result())) {
      List<JsonNode> results = new ArrayList<>();
      for (Path file : files.filter(f -> f.toString().endsWith("msgs.json")).sorted().toList()) {
        results.add(new ObjectMapper().readTree(file.toFile()));
      }
      return results;
    }
  }

  private static String file(String path) {
    return BENCHMARK.resolve(path).toString();
  }

  @Test
  void shouldRunTheSameWorkloadOnBroadcastAndOnStockSubscriptions() throws IOException {
    int exit =
        run(
            "run",
            file("workloads/smoke-50.yaml"),
            "--driver",
            file("drivers/broadcast.yaml") + "," + file("drivers/shared.yaml"),
            "--metrics-url",
            broker.process().adminUrl() + "/metrics/",
            "--seconds",
            "5");

    assertThat(exit).as(this::printed).isZero();
    assertThat(results()).hasSize(2);
    for (JsonNode result : results()) {
      assertThat(result.path("backlog").get(result.path("backlog").size() - 1).asLong()).isZero();
      assertThat(result.path("aggregatedEndToEndLatency99pct").asDouble()).isPositive();
      assertThat(result.path("aggregatedPublishLatency99pct").asDouble()).isPositive();
      JsonNode delivery = result.path("pulsarBroadcast").path("delivery");
      assertThat(delivery.path("expected").asLong()).isEqualTo(50 * 60);
      assertThat(delivery.path("received").asLong()).isEqualTo(50 * 60);
      JsonNode own = result.path("pulsarBroadcast");
      assertThat(own.path("seconds").asDouble())
          .as("50 messages at 10 per second are not done before the 51st would be due")
          .isGreaterThanOrEqualTo(5);
      if (own.path("subscriptionType").asText().equals("Broadcast")) {
        assertStages(own);
      } else {
        assertThat(own.path("stages").isMissingNode()).as("stock Pulsar has no timers").isTrue();
      }
    }
    assertThat(result().resolve("report.html")).isNotEmptyFile();
  }

  /** Of what was published in the timed part, and of nothing else. */
  private static void assertStages(JsonNode own) {
    JsonNode timers = own.path("brokerTimers");
    for (String stage : List.of("accept", "persist", "notify", "prepare", "last_write")) {
      assertThat(timers.path(stage).path("count").asInt()).as(stage).isBetween(49, 50);
    }
    double brokerMicros = 0;
    for (String stage : List.of("broker", "persist", "notify", "prepare", "broadcast")) {
      brokerMicros += own.path("stages").path(stage).path("meanMicros").asDouble(Double.NaN);
    }
    assertThat(brokerMicros)
        .as("what the broker spends is a part of what the last receiver waits for")
        .isPositive()
        .isLessThan(own.path("lastReceiver").path("meanMicros").asDouble());
    assertThat(own.path("stages").path("produce").path("meanMicros").asDouble()).isPositive();
    assertThat(own.path("stages").path("receive").path("meanMicros").isNumber()).isTrue();
  }

  @Test
  void shouldOnlyPublishWithoutConsumers() throws IOException {
    int exit =
        run(
            "run",
            file("workloads/smoke-50.yaml"),
            "--driver",
            file("drivers/broadcast.yaml"),
            "--sizes",
            "0",
            "--seconds",
            "1");

    assertThat(exit).as(this::printed).isZero();
    JsonNode row =
        new ObjectMapper()
            .readTree(result().resolve("result.json").toFile())
            .at("/tables/result/0");
    assertThat(row.path("publish P50, ms").asDouble()).isPositive();
    assertThat(row.path("expected").asLong()).isZero();
    assertThat(row.path("outcome").asText()).isEqualTo("complete");
  }

  @Test
  void shouldRaiseTheRateOfAPartitionedTopicUntilItIsNotReached() throws Exception {
    Path workload =
        Files.writeString(
            folder.resolve("steps.yaml"),
            """
            name: steps
            partitionsPerTopic: 2
            messageSize: 100
            useRandomizedPayloads: true
            randomizedPayloadPoolSize: 10
            subscriptionsPerTopic: 5
            producerRate: 10
            rateSteps: [10, 20, 20000]
            testDurationMinutes: 1
            """);

    // Of a partition. The schedule of the last step would take 40 s: it is cut off, as a step must
    // be that would take for ever. Nobody is busy meanwhile.
    broker.admin().namespaces().setPublishRate(NAMESPACE, new PublishRate(250, -1));
    int exit;
    try {
      exit =
          run(
              "run",
              workload.toString(),
              "--driver",
              file("drivers/broadcast.yaml"),
              "--warmup",
              "0",
              "--seconds",
              "1");
    } finally {
      broker.admin().namespaces().removePublishRate(NAMESPACE);
    }

    assertThat(exit).as(this::printed).isZero();
    assertThat(printed()).contains("Saturated: 20,000 msg/s are not sustained");
    assertThat(results())
        .extracting(result -> result.path("pulsarBroadcast").path("sustained").asBoolean())
        .containsExactlyInAnyOrder(true, true, false);
    assertThat(results())
        .filteredOn(result -> !result.path("pulsarBroadcast").path("sustained").asBoolean())
        .extracting(result -> result.path("pulsarBroadcast").path("delivery").path("expected"))
        .as("to five subscriptions, of 20,000 messages, what was published until then")
        .allMatch(expected -> expected.asLong() > 0 && expected.asLong() < 5 * 10_000);
  }

  @Test
  void shouldLetLaggardsCatchUpWhileTheOthersStayAtTheEnd() throws IOException {
    Path workload =
        Files.writeString(
            folder.resolve("catch-up.yaml"),
            """
            name: catch-up
            messageSize: 10240
            useRandomizedPayloads: true
            randomizedPayloadPoolSize: 10
            subscriptionsPerTopic: 5
            producerRate: 50
            testDurationMinutes: 1
            catchUp: {backlogGigabytes: 0.005, laggards: [1, 3]}
            """);

    int exit =
        run(
            "run",
            workload.toString(),
            "--driver",
            file("drivers/broadcast.yaml"),
            "--seconds",
            "1");

    assertThat(exit).as(this::printed).isZero();
    JsonNode rounds = results().get(0).path("pulsarBroadcast").path("catchUp");
    assertThat(rounds).extracting(r -> r.path("laggards").asInt()).containsExactly(0, 1, 3);
    assertThat(rounds).allMatch(r -> r.path("caughtUp").asBoolean());
    assertThat(rounds.get(1).path("backlogBytes").asLong()).isGreaterThan(5_000_000);
    assertThat(rounds.get(2).path("curve")).isNotEmpty();
    assertThat(rounds).allMatch(r -> r.path("tailEndToEnd").path("count").asLong() > 0);
  }
}
