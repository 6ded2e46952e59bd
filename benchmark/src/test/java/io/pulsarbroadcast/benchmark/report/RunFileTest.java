/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFileTest {
  @TempDir Path folder;
  private JsonNode result;

  @BeforeEach
  void write() throws IOException {
    Path file = SampleResults.write(folder, "smoke-50", "broadcast", 10, 20_000);
    result = new ObjectMapper().readTree(file.toFile());
  }

  @Test
  void shouldHaveEveryFieldOfOpenMessagingBenchmark() {
    List<String> expected =
        new ArrayList<>(
            List.of(
                "workload",
                "driver",
                "messageSize",
                "topics",
                "partitions",
                "producersPerTopic",
                "consumersPerTopic",
                "publishRate",
                "publishErrorRate",
                "consumeRate",
                "backlog"));
    for (String latency : List.of("publishLatency", "publishDelayLatency", "endToEndLatency")) {
      String aggregated =
          "aggregated" + latency.substring(0, 1).toUpperCase(Locale.ROOT) + latency.substring(1);
      for (String suffix :
          List.of("Avg", "50pct", "75pct", "95pct", "99pct", "999pct", "9999pct", "Max")) {
        expected.add(latency + suffix);
        expected.add(aggregated + suffix);
      }
      expected.add(aggregated + "Quantiles");
    }
    expected.add(RunFile.OWN);

    assertThat(result.fieldNames()).toIterable().containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void shouldUseMillisecondsAndForThePublishDelayMicroseconds() {
    assertThat(result.path("aggregatedEndToEndLatencyMax").asDouble()).isBetween(20.0, 20.1);
    assertThat(result.path("aggregatedPublishLatency50pct").asDouble()).isBetween(9.9, 10.1);
    assertThat(result.path("aggregatedPublishDelayLatencyMax").asDouble()).isBetween(2e4, 2.01e4);
    assertThat(result.path("endToEndLatency99pct")).hasSize(2);
  }

  @Test
  void shouldSayWhatOpenMessagingBenchmarkDoesNot() {
    JsonNode own = result.path(RunFile.OWN);

    assertThat(own.path("consumers").asInt()).isEqualTo(50);
    assertThat(own.path("lastReceiver").path("p99Micros").asLong()).isPositive();
    assertThat(own.path("delivery").path("expected").asLong()).isEqualTo(5_000);
    assertThat(own.path("environment").path("pulsar").asText()).isEqualTo("Pulsar 3.3.6");
    assertThat(own.path("sustained").asBoolean()).isTrue();
  }

  @Test
  void shouldHaveTheBrokersTimersAndTheStagesMadeOfThem() {
    JsonNode own = result.path(RunFile.OWN);

    assertThat(own.path("brokerTimers").path("notify").path("count").asInt()).isEqualTo(10);
    assertThat(own.path("stages").fieldNames())
        .toIterable()
        .containsExactly(
            "produce", "broker", "persist", "notify", "prepare", "broadcast", "receive");
    assertThat(own.path("stages").path("broadcast").path("meanMicros").asDouble())
        .isEqualTo(5_000, within(1e-6));
  }

  @Test
  void shouldHaveNoStagesOfStockSubscriptions() throws IOException {
    Path file = SampleResults.write(folder, "smoke-50", "shared", 10, 20_000);

    JsonNode own = new ObjectMapper().readTree(file.toFile()).path(RunFile.OWN);

    assertThat(own.has("stages")).isFalse();
    assertThat(own.has("brokerTimers")).isFalse();
  }

  @Test
  void shouldKnowARateThatWasNotReached() throws IOException {
    RunResult reached =
        SampleResults.result(
            SampleResults.plan("rates-100b-1p", "broadcast", 1_000), 1_000, List.of());
    RunResult tooSlow =
        new RunResult(
            SampleResults.plan("rates-100b-1p", "broadcast", 2_000),
            1,
            reached.intervals(),
            reached.endToEndMicros(),
            reached.lastReceiverMicros(),
            List.of(),
            reached.connectMicros(),
            reached.connectWallMicros(),
            reached.subscribed(),
            reached.delivery(),
            -1,
            -1,
            0,
            "Pulsar 3.3.6",
            null,
            StageTimers.NONE,
            List.of(),
            null);

    assertThat(reached.isSustained()).isTrue();
    assertThat(reached.publishedPerSecond()).isEqualTo(1_000);
    assertThat(RunResult.merge(List.of(reached, reached)).isSustained()).as("twice").isTrue();
    assertThat(tooSlow.isSustained()).isFalse();
    assertThat(RunResult.merge(List.of(tooSlow, tooSlow)).isSustained()).isFalse();
  }
}
