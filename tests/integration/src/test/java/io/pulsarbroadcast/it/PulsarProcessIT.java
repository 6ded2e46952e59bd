/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.load.ConsumerFleet;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.load.Publisher;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.DeliveryCounts;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import io.pulsarbroadcast.process.PulsarProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What tests rely on when they kill a broker: it comes back as the same one, and so do the
 * consumers of the load generator. The broker has no plugin. {@link UninstallProcessIT} stops one
 * in order.
 */
@Tag("complete")
class PulsarProcessIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Test
  void shouldComeBackOnTheSamePortsAndDataAfterACrash() throws Exception {
    Broker broker = Broker.start(BrokerExtension.plainBroker().name("crash"));
    PulsarProcess pulsar = broker.process();
    try (broker) {
      long firstPid = pulsar.pid();
      String urls = pulsar.serviceUrl() + pulsar.adminUrl();
      broker.admin().namespaces().createNamespace("public/kept-over-a-crash");
      LoadConfig config =
          LoadConfig.builder()
              .serviceUrl(pulsar.serviceUrl())
              .topic(Broker.newTopic())
              .consumers(50)
              .connections(4)
              .messages(20)
              .receiverQueueSize(8)
              .subscriptionPerConsumer("sub")
              .reconnect(true)
              .build();
      try (ConsumerFleet fleet = new ConsumerFleet(config);
          Publisher publisher =
              new Publisher(config.serviceUrl, config.topic, config.run, 1_000, Duration.ZERO)) {
        fleet.start();
        fleet.awaitSubscribed(TIMEOUT);
        CompletableFuture<PublishResult> publishing =
            publisher.publishAsync(new Schedule(System.nanoTime(), 10), 0, 20);
        fleet.awaitReceived(250, TIMEOUT);

        pulsar.kill();
        assertThat(pulsar.isAlive()).isFalse();
        pulsar.start();

        assertThat(Files.readString(pulsar.logFile(), StandardCharsets.ISO_8859_1))
            .as("what the bookie says when it was not stopped in order")
            .contains("Unclean shutdown detected");
        assertThat(pulsar.pid()).isNotEqualTo(firstPid);
        assertThat(pulsar.serviceUrl() + pulsar.adminUrl()).isEqualTo(urls);
        assertThat(broker.admin().namespaces().getNamespaces("public"))
            .contains("public/kept-over-a-crash");
        fleet.awaitSubscribed(TIMEOUT);
        assertThat(fleet.awaitReceived(1_000, TIMEOUT))
            .as(fleet.describeMissing(20, 5)::toString)
            .isTrue();
        DeliveryCounts counts =
            DeliveryCounts.of(fleet.snapshot(), publishing.get().acknowledged());
        assertThat(counts.published()).isEqualTo(20);
        assertThat(counts.missing()).isZero();
        assertThat(counts.skipped()).isZero();
        assertThat(fleet.connectionsLost()).as("of 4 connections").isGreaterThanOrEqualTo(4);
      }
    }
    assertThat(pulsar.isAlive()).isFalse();
    assertThat(pulsar.instanceFolder()).doesNotExist();
  }
}
