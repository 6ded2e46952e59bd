/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WorkloadFileTest {
  private static final Path SHIPPED = Path.of("..");
  private static final String GOOD =
      "name: w\nmessageSize: 100\nuseRandomizedPayloads: true\nrandomizedPayloadPoolSize: 10\n"
          + "subscriptionsPerTopic: 5\nproducerRate: 10\ntestDurationMinutes: 1\n";

  @TempDir Path folder;

  static Stream<Path> shippedWorkloads() throws IOException {
    return Files.list(SHIPPED.resolve("workloads"));
  }

  static Stream<Path> shippedDrivers() throws IOException {
    return Files.list(SHIPPED.resolve("drivers"));
  }

  private File file(String text) throws IOException {
    return Files.writeString(folder.resolve("workload.yaml"), text).toFile();
  }

  @ParameterizedTest
  @MethodSource("shippedWorkloads")
  void shouldReadTheWorkloadsThatAreShipped(Path file) throws IOException {
    WorkloadFile workload = WorkloadFile.read(file.toFile());

    assertThat(workload.name).isNotBlank();
    assertThat(workload.subscriptionsPerTopic).isBetween(50, 1_000_000);
    // OpenMessaging Benchmark runs the first of the steps.
    assertThat(workload.rateSteps()).startsWith(workload.producerRate).isSorted();
  }

  @ParameterizedTest
  @MethodSource("shippedDrivers")
  void shouldReadTheDriversThatAreShipped(Path file) throws IOException {
    assertThat(DriverFile.read(file.toFile()).name).isNotBlank();
  }

  @Test
  void shouldCountASubscriptionAsAConsumer() throws IOException {
    WorkloadFile workload = WorkloadFile.read(file(GOOD));

    assertThat(workload.subscriptionsPerTopic).isEqualTo(5);
    assertThat(workload.rateSteps()).containsExactly(10);
    assertThat(workload.isStepped()).isFalse();
    assertThat(workload.catchUp).isNull();
  }

  @Test
  void shouldReadWhatLagsBehind() throws IOException {
    WorkloadFile workload =
        WorkloadFile.read(file(GOOD + "catchUp: {backlogGigabytes: 0.5, laggards: [1, 10]}"));

    assertThat(workload.catchUp.backlogGigabytes).isEqualTo(0.5);
    assertThat(workload.catchUp.laggards()).containsExactly(1, 10);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "consumerPerSubscription: 2|consumerPerSubscription is 2; allowed: 1 to 1",
        "topics: 2|topics is 2; allowed: 1 to 1",
        "consumerBacklogSizeGB: 1|consumerBacklogSizeGB is 1; allowed: 0",
        "payloadFile: x|payloadFile is x; allowed: no such key",
        "rateSteps: [0]|rateSteps is 0; allowed: 1 to",
        "rateSteps: [null]|rateSteps.#0 is empty; allowed: a whole number",
        "rateSteps:|rateSteps is empty; allowed: a list",
        "rateSteps: [a]|rateSteps.#0 is a; allowed: a whole number",
        "catchUp: {backlogGigabytes: 1}|catchUp.laggards is []; allowed: a list",
        "producerates: 1|producerates is not a key; allowed: ",
        "keyDistributor: SOME|keyDistributor is SOME; allowed: NO_KEY, KEY_ROUND_ROBIN, RANDOM_NANO",
      })
  void shouldNameTheKeyTheValueAndWhatIsAllowed(String wrong, String error) throws IOException {
    File file = file(GOOD + wrong);

    assertThatThrownBy(() -> WorkloadFile.read(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(error);
  }

  @Test
  void shouldRefuseARateOfZeroWhichMeansNothingInFanOut() throws IOException {
    File file = file(GOOD.replace("producerRate: 10", "producerRate: 0"));

    assertThatThrownBy(() -> WorkloadFile.read(file))
        .hasMessageContaining("producerRate is 0; allowed: 1 to ");
  }
}
