/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverFileTest {
  private static final String HEAD =
      "name: Test\ndriverClass: io.pulsarbroadcast.omb.BroadcastBenchmarkDriver\n";

  @TempDir Path folder;

  private File file(String text) throws IOException {
    return Files.writeString(folder.resolve("driver.yaml"), text).toFile();
  }

  @Test
  void shouldHaveADefaultForEverythingButNameAndClass() throws IOException {
    DriverFile driver = DriverFile.read(file(HEAD));

    assertThat(driver.name).isEqualTo("Test");
    assertThat(driver.consumer.subscriptionType).isEqualTo(SubscriptionKind.Broadcast);
    assertThat(driver.consumer.ack).isEqualTo(AckKind.cumulative);
    assertThat(driver.client.connections).isEqualTo(16);
    assertThat(driver.client.ioThreads()).isPositive();
    assertThat(driver.producer.lazyPartitions).isFalse();
    assertThat(driver.brokerSettings).isEmpty();
    assertThat(driver.localServer).isEqualTo(LocalServer.plugin);
    assertThat(driver.consumer.durable).isTrue();
  }

  @Test
  void shouldRefuseBroadcastOnABrokerWithoutThePlugin() throws IOException {
    File plain = file(HEAD + "localServer: plain\n");

    assertThatThrownBy(() -> DriverFile.read(plain))
        .hasMessageEndingWith(
            "localServer is plain; allowed: plugin, floor; without Broadcast also plain");
  }

  @Test
  void shouldReadEveryKey() throws IOException {
    DriverFile driver =
        DriverFile.read(
            file(
                HEAD
                    + "client: {serviceUrl: 'pulsar+ssl://b:6651', httpUrl: 'https://b:8443/',"
                    + " connections: 64, ioThreads: 3, listenerThreads: 4,"
                    + " operationTimeoutSeconds: 9, memoryLimitMegabytes: 64,"
                    + " namespacePrefix: a/b, clusterName: c, authenticationPlugin: P,"
                    + " authenticationParameters: q, tlsTrustCertsFile: ca.pem,"
                    + " persistence: {ensembleSize: 3, writeQuorum: 3, ackQuorum: 2,"
                    + " deduplicationEnabled: true}}\n"
                    + "producer: {batchingEnabled: true, batchingMaxPublishDelayMillis: 0.5,"
                    + " batchingMaxBytes: 1000, blockIfQueueFull: false, maxPendingMessages: 5,"
                    + " lazyPartitions: true, partitionsPerProducer: 2}\n"
                    + "consumer: {subscriptionType: Shared, ack: individual,"
                    + " broadcastSubscription: s, receiverQueueSize: 7, ackGroupMillis: 100,"
                    + " creationConcurrency: 8, creationAttempts: 3, creationTimeoutSeconds: 60,"
                    + " cursorTimeToLiveSeconds: 30, durable: false}\n"
                    + "localServer: plain\n"
                    + "results: {folder: out, drainSeconds: 3}\n"
                    + "brokerSettings: {maxUnackedMessagesPerConsumer: 0}\n"));

    assertThat(driver.localServer).isEqualTo(LocalServer.plain);
    assertThat(driver.consumer.durable).isFalse();
    assertThat(driver.client.httpUrl()).isEqualTo("https://b:8443");
    assertThat(driver.client.connections).isEqualTo(64);
    assertThat(driver.client.ioThreads()).isEqualTo(3);
    assertThat(driver.client.persistence.ackQuorum).isEqualTo(2);
    assertThat(driver.producer.partitionsPerProducer).isEqualTo(2);
    assertThat(driver.producer.batchingMaxPublishDelayMillis).isEqualTo(0.5);
    assertThat(driver.consumer.subscriptionType).isEqualTo(SubscriptionKind.Shared);
    assertThat(driver.consumer.ackGroupMillis).isEqualTo(100);
    assertThat(driver.consumer.cursorTimeToLiveSeconds).isEqualTo(30);
    assertThat(driver.results.folder()).isEqualTo(new File("out"));
    assertThat(driver.brokerSettings).isEqualTo(Map.of("maxUnackedMessagesPerConsumer", "0"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "consumer: {subscriptionType: Fanout}|consumer.subscriptionType is Fanout; allowed:"
            + " Broadcast, Exclusive, Shared, Failover, Key_Shared",
        "consumer: {receiverQueueSize: 0}|consumer.receiverQueueSize is 0; allowed: 1 to 1000000",
        "consumer: {receiverQueueSize: ten}|consumer.receiverQueueSize is ten; allowed: a whole"
            + " number",
        "consumer: {ack: cumulative, subscriptionType: Shared}|consumer.ack is cumulative; allowed:"
            + " individual or none with subscriptionType Shared",
        "client: {serviceUrl: 'http://x'}|client.serviceUrl is http://x; allowed:"
            + " pulsar://host:port",
        "client: {persistence: {ensembleSize: 2, writeQuorum: 3}}|client.persistence.writeQuorum"
            + " is 3; allowed: 1 to 2",
        "producer: {batchingEnabled: maybe}|producer.batchingEnabled is maybe; allowed: true, false",
        "client: {}; client: {}|Duplicate field 'client'",
        "client:|client is empty; allowed: keys with values",
        "consumer: {broadcastSubscription: }|consumer.broadcastSubscription is empty; allowed: text",
        "consumer: {ack: }|consumer.ack is empty; allowed: cumulative, individual, none",
      })
  void shouldNameTheKeyTheValueAndWhatIsAllowed(String wrong, String error) throws IOException {
    File file = file(HEAD + wrong.replace("; ", "\n"));

    assertThatThrownBy(() -> DriverFile.read(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(error);
  }

  @Test
  void shouldListTheKeysWhenOneIsUnknown() throws IOException {
    File file = file(HEAD + "consumer: {receiverQueSize: 5}");

    assertThatThrownBy(() -> DriverFile.read(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("consumer.receiverQueSize is not a key")
        .hasMessageContaining("receiverQueueSize");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"name: x", "driverClass: io.pulsarbroadcast.omb.BroadcastBenchmarkDriver"})
  void shouldInsistOnNameAndClass(String text) throws IOException {
    File file = file(text);

    assertThatThrownBy(() -> DriverFile.read(file)).isInstanceOf(ConfigException.class);
  }

  @Test
  void shouldSayThatThereIsNoFile() {
    assertThatThrownBy(() -> DriverFile.read(new File("no/such.yaml")))
        .hasMessage("There is no file no/such.yaml");
  }
}
