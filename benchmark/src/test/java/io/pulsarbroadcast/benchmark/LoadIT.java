/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import io.pulsarbroadcast.benchmark.load.LoadRun;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.RunPlan;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.benchmark.metrics.RunResult;
import io.pulsarbroadcast.process.PulsarProcess;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a plain broker of the distribution named by {@code -Dpulsar.home}; skipped without it. */
@Timeout(180)
class LoadIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration QUIET = Duration.ofSeconds(20);
  private static PulsarProcess pulsar;

  @BeforeAll
  static void startBroker() throws IOException, InterruptedException {
    String home = System.getProperty("pulsar.home", "");
    if (home.isEmpty()) {
      System.out.println("LoadIT is skipped: -Dpulsar.home names no distribution");
    }
    assumeTrue(!home.isEmpty(), "-Dpulsar.home names no distribution");
    pulsar =
        PulsarProcess.builder()
            .pulsarHome(Path.of(home))
            .name("load")
            .keepLogs(Path.of("target/broker-logs"))
            .build()
            .start();
  }

  @AfterAll
  static void stopBroker() throws IOException {
    if (pulsar != null) {
      pulsar.close();
    }
  }

  private static LoadConfigBuilder config(String topic) {
    return LoadConfig.builder()
        .serviceUrl(pulsar.serviceUrl())
        .topic("persistent://public/default/" + topic)
        .consumers(50)
        .connections(4)
        .messages(20)
        .receiverQueueSize(8)
        .subscriptionPerConsumer("sub");
  }

  private static Publisher publisher(LoadConfig config) throws Exception {
    return new Publisher(config.serviceUrl(), config.topic(), config.run(), 1_000, Duration.ZERO);
  }

  @Test
  void shouldReceiveEverythingOnceAndInOrder() throws Exception {
    LoadConfig config = config("all").warmupMessages(5).build();

    RunResult result =
        new LoadRun(
                "plain",
                config,
                RunPlan.of(10_240, 50).unsubscribing(),
                RunListener.SILENT,
                ProcessHandle.of(pulsar.pid()).orElseThrow())
            .execute();

    assertThat(result.delivery())
        .isEqualTo(new DeliveryCounts(20, 1_000, 1_000, 0, 0, 0, 0, 0, 0, 0));
    assertThat(result.endToEndMicros().getTotalCount()).isEqualTo(50 * 15);
    assertThat(result.lastReceiverMicros().getTotalCount()).isEqualTo(15);
    assertThat(result.connectMicros().getTotalCount()).isEqualTo(50);
    assertThat(result.connectWallMicros()).isPositive();
    assertThat(result.brokerVersion()).startsWith("Pulsar ");
    assertThat(result.brokerCpuMillis()).isPositive();
    assertThat(admin("GET", "all/subscriptions", 200)).isEqualTo("[]");
  }

  @Test
  void shouldSayWhyConsumersAreRefused() throws Exception {
    LoadConfig config = config("refused").subscriptionName(index -> "one-for-all").build();

    try (ConsumerFleet fleet = new ConsumerFleet(config)) {
      fleet.start();

      assertThatThrownBy(() -> fleet.awaitSubscribed(TIMEOUT))
          .isInstanceOf(FleetException.class)
          .hasMessageContaining("of 50 consumers are subscribed")
          .hasMessageContaining("ConsumerBusy");
    }
  }

  @Test
  void shouldComeBackAfterDroppedConnections() throws Exception {
    LoadConfig config = config("dropped").reconnect(true).build();

    try (ConsumerFleet fleet = new ConsumerFleet(config);
        Publisher publisher = publisher(config)) {
      fleet.start();
      fleet.awaitSubscribed(TIMEOUT);
      CompletableFuture<PublishResult> publishing =
          publisher.publishAsync(new Schedule(System.nanoTime(), 10), 0, 20);
      fleet.awaitReceived(250, QUIET);
      fleet.dropConnections();

      assertThat(fleet.awaitReceived(1_000, QUIET))
          .as(fleet.describeMissing(20, 5)::toString)
          .isTrue();
      DeliveryCounts counts = DeliveryCounts.of(fleet.snapshot(), publishing.get().acknowledged());
      assertThat(counts.missing()).isZero();
      assertThat(counts.outOfOrder() + counts.skipped()).isZero();
      assertThat(fleet.connectionsLost()).isEqualTo(4);
    }
  }

  @Test
  void shouldComeBackAfterABrokerCrash() throws Exception {
    LoadConfig config = config("crash").reconnect(true).build();

    try (ConsumerFleet fleet = new ConsumerFleet(config);
        Publisher publisher = publisher(config)) {
      fleet.start();
      fleet.awaitSubscribed(TIMEOUT);
      CompletableFuture<PublishResult> publishing =
          publisher.publishAsync(new Schedule(System.nanoTime(), 10), 0, 20);
      fleet.awaitReceived(250, QUIET);
      pulsar.kill();
      pulsar.start();

      fleet.awaitSubscribed(TIMEOUT);
      assertThat(fleet.awaitReceived(1_000, QUIET))
          .as(fleet.describeMissing(20, 5)::toString)
          .isTrue();
      DeliveryCounts counts = DeliveryCounts.of(fleet.snapshot(), publishing.get().acknowledged());
      assertThat(counts.published()).isEqualTo(20);
      assertThat(counts.missing()).isZero();
      assertThat(counts.skipped()).isZero();
    }
  }

  @Test
  void shouldComeBackAfterTheTopicIsUnloaded() throws Exception {
    LoadConfig config = config("unloaded").reconnect(true).build();

    try (ConsumerFleet fleet = new ConsumerFleet(config);
        Publisher publisher = publisher(config)) {
      fleet.start();
      fleet.awaitSubscribed(TIMEOUT);
      publisher.publish(new Schedule(System.nanoTime(), 100), 0, 10);
      assertThat(fleet.awaitReceived(500, QUIET)).isTrue();

      admin("PUT", "unloaded/unload", 204);
      publisher.publish(new Schedule(System.nanoTime(), 100), 10, 20);

      assertThat(fleet.awaitReceived(1_000, QUIET)).isTrue();
      assertThat(fleet.subscribed()).isEqualTo(50);
      assertThat(fleet.connectionsLost()).isZero();
      assertThat(fleet.snapshot().outOfOrder() + fleet.snapshot().skipped()).isZero();
    }
  }

  private static String admin(String method, String topicPath, int status) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create(pulsar.adminUrl() + "/admin/v2/persistent/public/default/" + topicPath)
                .toURL()
                .openConnection();
    connection.setRequestMethod(method);
    assertThat(connection.getResponseCode()).isEqualTo(status);
    return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
