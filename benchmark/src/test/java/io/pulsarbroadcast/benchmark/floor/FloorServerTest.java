/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import io.pulsarbroadcast.benchmark.load.LoadRun;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.RunPlan;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.RunOutcome;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fleet and the publisher of the benchmarks, unchanged, on the floor. */
@Timeout(60)
class FloorServerTest {
  private FloorServer server;

  @BeforeEach
  void start() {
    server = new FloorServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private LoadConfigBuilder config() {
    return LoadConfig.builder()
        .serviceUrl(server.serviceUrl())
        .topic("persistent://public/default/floor")
        .consumers(200)
        .connections(4)
        .messages(10)
        .warmupMessages(2)
        .broadcast("floor");
  }

  private static RunOutcome run(LoadConfig config, int sizeBytes) throws InterruptedException {
    return new LoadRun(
            "floor",
            config,
            RunPlan.of(sizeBytes, 100),
            RunListener.SILENT,
            ProcessHandle.current())
        .executeWithin(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 100, 1_024, 10_240, 1_000_000})
  void shouldGiveEverybodyEveryMessageOnceAndInOrder(int sizeBytes) throws Exception {
    // Not gigabytes.
    int consumers = sizeBytes < 1_000_000 ? 200 : 20;
    RunOutcome outcome = run(config().consumers(consumers).build(), sizeBytes);

    assertThat(outcome.stoppedBy()).isNull();
    assertThat(outcome.result().delivery())
        .isEqualTo(new DeliveryCounts(10, 10 * consumers, 10 * consumers, 0, 0, 0, 0, 0, 0, 0));
    assertThat(outcome.result().endToEndMicros().getTotalCount()).isEqualTo(consumers * 8);
    assertThat(outcome.result().brokerVersion()).startsWith("floor, Netty 4.");
    assertThat(outcome.result().brokerCpuMicrosPerDelivery()).isPositive();
  }

  @Test
  void shouldDropAcknowledgementsAndAnswerLookupsOfEachConsumer() throws Exception {
    RunOutcome outcome =
        run(
            config()
                .connections(200)
                .ackPolicy(AckPolicy.INDIVIDUAL)
                .lookupPerConsumer(true)
                .build(),
            100);

    assertThat(outcome.isComplete()).isTrue();
    assertThat(outcome.result().connectMicros().getTotalCount()).isEqualTo(200);
  }

  @Test
  void shouldServeOneFleetAfterTheOther() throws Exception {
    for (int round = 0; round < 3; round++) {
      RunOutcome outcome = run(config().ackPolicy(AckPolicy.timed(10)).build(), 2_000);

      assertThat(outcome.isComplete()).isTrue();
      assertThat(outcome.result().delivery().unexpected()).isZero();
    }
  }
}
