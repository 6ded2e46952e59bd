/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.openmessaging.benchmark.driver.BenchmarkConsumer;
import io.openmessaging.benchmark.driver.BenchmarkDriver;
import io.openmessaging.benchmark.driver.BenchmarkDriver.ConsumerInfo;
import io.openmessaging.benchmark.driver.BenchmarkProducer;
import io.openmessaging.benchmark.driver.ConsumerCallback;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The packaged driver through the interfaces of OpenMessaging Benchmark, in a class loader that has
 * nothing else, so that a class that is missing in the jar or not renamed shows.
 */
@ExtendWith(ScrapedBroker.class)
@Order(1)
class OmbDriverIT {
  private static final int CONSUMERS = 50;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Path JAR = Path.of(System.getProperty("omb.driver.jar"));

  @TempDir Path folder;
  private final BrokerExtension.Broker broker;
  private final Received received = new Received();

  OmbDriverIT(BrokerExtension.Broker broker) {
    this.broker = broker;
  }

  /** Counts, and keeps the time that came with the last message. */
  private static final class Received implements ConsumerCallback {
    private final AtomicInteger messages = new AtomicInteger();
    private volatile long publishTime;

    @Override
    public void messageReceived(byte[] payload, long publishTimestamp) {
      publishTime = publishTimestamp;
      messages.incrementAndGet();
    }

    @Override
    public void messageReceived(ByteBuffer payload, long publishTimestamp) {
      messageReceived(new byte[payload.remaining()], publishTimestamp);
    }
  }

  /** Lets through what OpenMessaging Benchmark has and Java's own classes, and nothing else. */
  private static final class OnlyOmb extends ClassLoader {
    OnlyOmb() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("io.openmessaging.")
          || name.startsWith("org.apache.bookkeeper.stats.")
          || name.startsWith("org.slf4j.")) {
        return OmbDriverIT.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }

  private BenchmarkDriver driver(String settings) throws Exception {
    assertThat(JAR).isRegularFile();
    return driver(settings, new URLClassLoader(new URL[] {JAR.toUri().toURL()}, new OnlyOmb()));
  }

  private BenchmarkDriver driver(String settings, ClassLoader loader) throws Exception {
    Path file = folder.resolve("driver.yaml");
    Files.writeString(
        file,
        "name: Under test\n"
            + "driverClass: io.pulsarbroadcast.omb.BroadcastBenchmarkDriver\n"
            + "client: {serviceUrl: '"
            + broker.process().serviceUrl()
            + "', httpUrl: '"
            + broker.process().adminUrl()
            + "', connections: 4}\n"
            + "results: {folder: '"
            + folder
            + "'}\n"
            + settings);
    BenchmarkDriver driver =
        (BenchmarkDriver)
            loader
                .loadClass("io.pulsarbroadcast.omb.BroadcastBenchmarkDriver")
                .getDeclaredConstructor()
                .newInstance();
    driver.initialize(file.toFile(), null);
    return driver;
  }

  private List<ConsumerInfo> consumers(String topic) {
    List<ConsumerInfo> infos = new ArrayList<>();
    for (int i = 0; i < CONSUMERS; i++) {
      infos.add(new ConsumerInfo(i, topic, "sub-%03d-random".formatted(i), received));
    }
    return infos;
  }

  /** The order of calls of a run: topic, consumers, producers, load, stop. */
  private void run(BenchmarkDriver driver, int partitions, int messages) throws Exception {
    String topic = driver.getTopicNamePrefix() + "-0000000-it";
    driver.createTopic(topic, partitions).get(60, TimeUnit.SECONDS);
    List<BenchmarkConsumer> created =
        driver.createConsumers(consumers(topic)).get(60, TimeUnit.SECONDS);
    assertThat(created).hasSize(CONSUMERS);
    try (BenchmarkProducer producer = driver.createProducer(topic).get(60, TimeUnit.SECONDS)) {
      List<CompletableFuture<Void>> sent = new ArrayList<>();
      for (int i = 0; i < messages; i++) {
        sent.add(producer.sendAsync(Optional.of("key-" + i), new byte[100]));
      }
      for (CompletableFuture<Void> each : sent) {
        each.get(60, TimeUnit.SECONDS);
      }
    }
    await().atMost(TIMEOUT).until(() -> received.messages.get() >= messages * CONSUMERS);
    for (BenchmarkConsumer consumer : created) {
      consumer.close();
    }
    driver.close();
    assertThat(received.messages).hasValue(messages * CONSUMERS);
    assertThat(received.publishTime).isCloseTo(System.currentTimeMillis(), Offset.offset(60_000L));
  }

  private JsonNode report() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      Path file =
          files.filter(f -> f.toString().endsWith(".driver.json")).findFirst().orElseThrow();
      return new ObjectMapper().readTree(file.toFile());
    }
  }

  @Test
  void shouldGiveEveryMessageToEachConsumerOfOneBroadcastSubscription() throws Exception {
    BenchmarkDriver driver = driver("");
    String prefix = driver.getTopicNamePrefix();

    run(driver, 1, 20);

    String topic = prefix + "-0000000-it";
    assertThat(broker.admin().topics().getSubscriptions(topic)).containsExactly("broadcast");
    JsonNode report = report();
    assertThat(report.path("consumers").asInt()).isEqualTo(CONSUMERS);
    assertThat(report.path("connect").path("own").path("count").asInt()).isEqualTo(CONSUMERS);
    assertThat(report.path("connect").path("wallMicros").asLong()).isPositive();
    JsonNode delivery = report.path("delivery");
    assertThat(delivery.path("topicEndKnown").asBoolean()).isTrue();
    assertThat(delivery.path("expectedEntries").asInt()).isEqualTo(20 * CONSUMERS);
    assertThat(delivery.path("receivedEntries").asInt()).isEqualTo(20 * CONSUMERS);
    assertThat(delivery.path("findings")).isEmpty();
    JsonNode timers = report.path("brokerTimers");
    for (String stage : List.of("accept", "persist", "notify", "prepare", "last_write")) {
      assertThat(timers.path(stage).path("count").asInt()).as(stage).isBetween(19, 20);
      assertThat(timers.path(stage).path("meanMicros").asDouble()).as(stage).isPositive();
    }
  }

  /** The jar has the client of the first; the driver's classes go with any. */
  @ParameterizedTest
  @ValueSource(strings = {"3.0.7", "3.3.6", "4.0.8", "4.2.4"})
  @Tag("complete")
  void shouldWorkWithTheClientOfEachLine(String version) throws Exception {
    try (ClientLine line = ClientLine.of(version, JAR.resolveSibling("classes"))) {
      run(driver("", line), 1, 20);
      assertThat(report().path("delivery").path("receivedEntries").asInt())
          .isEqualTo(20 * CONSUMERS);
      assertThat(report().path("delivery").path("findings")).isEmpty();
    }
  }

  @Test
  void shouldServePartitionsBatchesAndPartialProducers() throws Exception {
    BenchmarkDriver driver =
        driver(
            "producer: {batchingEnabled: true, lazyPartitions: true, partitionsPerProducer: 2}\n"
                + "consumer: {ack: individual, ackGroupMillis: 50, creationConcurrency: 10}\n");
    String topic = driver.getTopicNamePrefix() + "-0000000-it";

    run(driver, 4, 40);

    long used = 0;
    for (int i = 0; i < 4; i++) {
      String partition = topic + "-partition-" + i;
      used += broker.admin().topics().getStats(partition).getMsgInCounter() > 0 ? 1 : 0;
    }
    assertThat(used).isBetween(1L, 2L);
    assertThat(report().path("delivery").path("findings")).isEmpty();
    assertThat(report().path("connect").path("own").path("count").asInt()).isEqualTo(4 * CONSUMERS);
  }

  @Test
  void shouldMeasureStockSubscriptionsInTheSameWay() throws Exception {
    BenchmarkDriver driver = driver("consumer: {subscriptionType: Shared, ack: individual}\n");
    String topic = driver.getTopicNamePrefix() + "-0000000-it";

    run(driver, 1, 20);

    assertThat(broker.admin().topics().getSubscriptions(topic)).hasSize(CONSUMERS);
    assertThat(report().path("delivery").path("findings")).isEmpty();
    assertThat(report().path("delivery").path("receivedEntries").asInt()).isEqualTo(20 * CONSUMERS);
    assertThat(report().path("brokerTimers")).as("stock Pulsar has none").isEmpty();
  }

  @Test
  void shouldRefuseSeveralConsumersPerSubscriptionWhichWouldHideLosses() throws Exception {
    BenchmarkDriver driver = driver("");
    String topic = driver.getTopicNamePrefix() + "-0000000-it";
    driver.createTopic(topic, 1).get(60, TimeUnit.SECONDS);
    ConsumerInfo info = new ConsumerInfo(0, topic, "sub-000-random", received);

    assertThatThrownBy(() -> driver.createConsumers(List.of(info, info)).get(60, TimeUnit.SECONDS))
        .hasMessageContaining("consumerPerSubscription is more than 1; allowed with Broadcast: 1");
    driver.close();
  }
}
