/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.floor;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.broker.StageTimers;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.engine.Plan;
import io.pulsarbroadcast.benchmark.engine.Run;
import io.pulsarbroadcast.benchmark.engine.RunResult;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fleet and the publisher of the benchmarks, unchanged, on the floor. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
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

  /** The floor in this process. */
  private LoadServer floor() {
    return new LoadServer() {
      @Override
      public String serviceUrl() {
        return server.serviceUrl();
      }

      @Override
      public Optional<ProcessHandle> process() {
        return Optional.of(ProcessHandle.current());
      }

      @Override
      public boolean isOwn() {
        return true;
      }

      @Override
      public StageTimers timers(List<String> topics) {
        return StageTimers.NONE;
      }

      @Override
      public void forget(String topic) {}

      @Override
      public void close() {}
    };
  }

  private RunResult run(
      int consumers, int connections, int sizeBytes, UnaryOperator<LoadConfig> consumer)
      throws Exception {
    return run(consumers, connections, sizeBytes, 100, Duration.ofMinutes(1), consumer);
  }

  private RunResult run(
      int consumers,
      int connections,
      int sizeBytes,
      double messagesPerSecond,
      Duration limit,
      UnaryOperator<LoadConfig> consumer)
      throws Exception {
    Plan plan =
        Plan.of(
            "floor",
            consumers,
            connections,
            10,
            2,
            sizeBytes,
            messagesPerSecond,
            () -> consumer.apply(LoadConfig.builder().broadcast("floor")));
    return new Run(plan, floor(), "persistent://public/default/floor", RunListener.SILENT)
        .limit(limit)
        .execute();
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 100, 1_024, 10_240, 1_000_000})
  void shouldGiveEverybodyEveryMessageOnceAndInOrder(int sizeBytes) throws Exception {
    // Not gigabytes.
    int consumers = sizeBytes < 1_000_000 ? 200 : 20;
    RunResult result = run(consumers, 4, sizeBytes, config -> config);

    assertThat(result.stoppedBy()).isNull();
    assertThat(result.delivery())
        .isEqualTo(new DeliveryCounts(10, 10L * consumers, 10 * consumers, 0, 0, 0, 0, 0, 0, 0));
    assertThat(result.endToEndMicros().getTotalCount()).isEqualTo(consumers * 8L);
    assertThat(result.brokerVersion()).startsWith("floor, Netty 4.");
    assertThat(result.brokerCpuMicrosPerDelivery()).isPositive();
  }

  @Test
  void shouldDropAcknowledgementsAndAnswerLookupsOfEachConsumer() throws Exception {
    RunResult result =
        run(
            200,
            200,
            100,
            config -> config.ackPolicy(AckPolicy.INDIVIDUAL).lookupPerConsumer(true));

    assertThat(result.isComplete()).isTrue();
    assertThat(result.connectMicros().getTotalCount()).isEqualTo(200);
  }

  @Test
  void shouldServeOneFleetAfterTheOther() throws Exception {
    for (int round = 0; round < 3; round++) {
      RunResult result = run(200, 4, 2_000, config -> config.ackPolicy(AckPolicy.timed(10)));

      assertThat(result.isComplete()).isTrue();
      assertThat(result.delivery().unexpected()).isZero();
    }
  }

  @Test
  void shouldSayHowFarItCameWhenTheTimeIsOver() throws Exception {
    RunResult result = run(20, 4, 100, 0.5, Duration.ofSeconds(6), config -> config);

    assertThat(result.stoppedBy()).isEqualTo("not done after 6 s");
    assertThat(result.isComplete()).isFalse();
    assertThat(result.subscribed()).isEqualTo(20);
    assertThat(result.delivery().published()).as("of ten").isBetween(1, 9);
  }

  @Test
  void shouldNotBeInTimeWhileSomethingIsMissing() throws Exception {
    LoadConfig knowsFive =
        LoadConfig.builder()
            .serviceUrl(server.serviceUrl())
            .topic("persistent://public/default/floor")
            .broadcast("floor")
            .consumers(20)
            .messages(5)
            .build();
    try (Load load = new Load("floor", knowsFive, 100, RunListener.SILENT)) {
      load.connect(Duration.ofMinutes(1));

      Load.Published published = load.publish("publish", 100, 0, 10, Duration.ofSeconds(3));

      assertThat(published.partitions().get(0).acknowledged().cardinality()).isEqualTo(10);
      assertThat(load.fleet().received()).isEqualTo(20 * 5);
      assertThat(published.inTime()).isFalse();
    }
  }

  @Test
  void shouldEndWhenTheServerGoesAwayAndSayWhy() throws Exception {
    RunListener listener =
        new RunListener() {
          @Override
          public void phaseStarted(String name, long total) {}

          @Override
          public void progress(long done) {}

          @Override
          public void phaseEnded() {}

          @Override
          public void measuringStarted() {
            server.close();
            start(); // Another one, elsewhere.
          }
        };
    Plan plan =
        Plan.of("floor", 20, 4, 1_000, 2, 100, 10, () -> LoadConfig.builder().broadcast("floor"));

    RunResult result =
        new Run(plan, floor(), "persistent://public/default/floor", listener).execute();

    assertThat(result.stoppedBy()).containsIgnoringCase("connection");
    assertThat(result.isComplete()).isFalse();
  }
}
