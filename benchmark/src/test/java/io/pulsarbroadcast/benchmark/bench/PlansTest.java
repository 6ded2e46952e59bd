/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.LocalServer;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlansTest {
  private final RunLoadOptions load = new RunLoadOptions();

  private Plans newPlans(int seconds, int warmupSeconds) {
    Plans plans = new Plans(load);
    plans.seconds = seconds;
    plans.warmupSeconds = warmupSeconds;
    return plans;
  }

  private List<Plan> plans(String workload, String driver, int consumers) throws IOException {
    return newPlans(10, 2).of(BenchFiles.workload(workload), BenchFiles.driver(driver), consumers);
  }

  private Plan plan(String workload, String driver) throws IOException {
    return plans(workload, driver, 50).get(0);
  }

  private static LoadConfig consumers(Plan plan) {
    return plan.consumer().get().serviceUrl("pulsar://a").topic("t").build();
  }

  @Test
  void shouldTakeFromTheFilesWhatTheCommandLineDoesNotSay() throws IOException {
    Plan plan = plan("smoke-50", "broadcast");

    assertThat(plan.workload()).isEqualTo("50 consumers, 1 KB, 10 msg/s");
    assertThat(plan.messagesPerSecond()).isEqualTo(10);
    assertThat(plan.messages()).as("12 s at 10 per second").isEqualTo(120);
    assertThat(plan.warmupMessages()).isEqualTo(20);
    assertThat(plan.messageBytes()).isEqualTo(1_024);
    assertThat(plan.connections()).isEqualTo(16);
    assertThat(consumers(plan).receiverQueueSize).isEqualTo(100);
  }

  @Test
  void shouldLetTheCommandLineGoOverTheFiles() throws IOException {
    load.rate = 4.0;
    load.connections = 2;
    load.receiverQueue = 7;
    load.ack = "cumulative-ms:20";

    Plan plan = plan("rates-100b-1p", "broadcast");

    assertThat(plans("rates-100b-1p", "broadcast", 7)).as("one rate only").hasSize(1);
    assertThat(plan.stepped()).isFalse();
    assertThat(plan.messages()).isEqualTo(48);
    assertThat(plan.connections()).isEqualTo(2);
    assertThat(consumers(plan).receiverQueueSize).isEqualTo(7);
    assertThat(consumers(plan).ackPolicy).hasToString("cumulative-ms:20");
    assertThat(plans("smoke-50", "broadcast", 7).get(0).workload())
        .isEqualTo("50 consumers, 1 KB, 10 msg/s; run with 7");
  }

  @Test
  void shouldGiveMessagesTheKeysOfTheFileOrOfTheCommandLine(@TempDir Path folder)
      throws IOException {
    Path keyed = folder.resolve("keyed.yaml");
    Files.writeString(
        keyed,
        Files.readString(BenchFiles.findWorkload("smoke-50").toPath())
            .replace("NO_KEY", "KEY_ROUND_ROBIN"));

    assertThat(consumers(plan("smoke-50", "broadcast")).keys).isZero();
    assertThat(consumers(plan(keyed.toString(), "broadcast")).keys).isEqualTo(10_000);
    load.keys = 7;
    assertThat(consumers(plan("smoke-50", "broadcast")).keys).isEqualTo(7);
    load.keys = 0;
    assertThat(consumers(plan(keyed.toString(), "broadcast")).keys).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "broadcast, cumulative, cumulative:5",
    "broadcast-acks-1s, cumulative-ms:1000, cumulative:5",
    "shared, individual, individual",
    "exclusive, cumulative, cumulative:5",
    "reader, cumulative, cumulative:5",
    "floor, none, none",
    "floor-acks, cumulative, cumulative:5"
  })
  void shouldAcknowledgeAsTheTypeAllows(String driver, String ofFile, String asked)
      throws IOException {
    assertThat(consumers(plan("smoke-50", driver)).ackPolicy).hasToString(ofFile);

    load.ack = "cumulative:5";
    assertThat(consumers(plan("smoke-50", driver)).ackPolicy).hasToString(asked);
  }

  @Test
  void shouldRunEachRateAndAskOfItWhatItsPartitionsPublish() throws IOException {
    List<Plan> rates = plans("rates-10kb-16p", "broadcast", 10);

    assertThat(rates).allMatch(Plan::stepped).hasSizeGreaterThan(3);
    load.rate = 10.0;
    Plan slow =
        newPlans(2, 1)
            .of(BenchFiles.workload("rates-10kb-16p"), BenchFiles.driver("broadcast"), 10)
            .get(0);
    assertThat(slow.timedMessages()).as("0.625/s for 2 s is one, on each of 16").isEqualTo(16);
  }

  @Test
  void shouldRefuseMoreMessagesThanCanBeCounted() {
    load.rate = 1e6;

    assertThatThrownBy(
            () ->
                newPlans(10_000, 0)
                    .of(BenchFiles.workload("smoke-50"), BenchFiles.driver("broadcast"), 50))
        .hasMessageContaining("are more than a local run can count");
  }

  @Test
  void shouldHaveADriverForEachOfNttsTablesWithTheBrokerSettingsItNeeds() throws IOException {
    assertThat(settings("shared")).isEmpty();
    assertThat(settings("broadcast-topic-executor"))
        .isEqualTo(Map.of("broadcastDispatchExecutor", "topic", "broadcastAckExecutor", "topic"));
    assertThat(settings("broadcast-executor"))
        .isEqualTo(
            Map.of("broadcastDispatchExecutor", "subscription", "broadcastAckExecutor", "random"));
    assertThat(settings("broadcast")).isEmpty();
  }

  private static Map<String, String> settings(String driver) throws IOException {
    return BenchFiles.driver(driver).brokerSettings;
  }

  @ParameterizedTest
  @CsvSource({"broadcast, plugin", "shared, plain", "reader, plain", "floor, floor"})
  void shouldSayWhatALocalRunStarts(String driver, LocalServer server) throws IOException {
    DriverFile file = BenchFiles.driver(driver);

    assertThat(file.localServer).isEqualTo(server);
  }
}
