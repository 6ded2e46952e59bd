/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import io.openmessaging.benchmark.driver.BenchmarkConsumer;
import io.openmessaging.benchmark.driver.BenchmarkDriver;
import io.openmessaging.benchmark.driver.BenchmarkProducer;
import io.openmessaging.benchmark.driver.ConsumerCallback;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.stats.StatsLogger;
import org.apache.pulsar.client.api.Authentication;
import org.apache.pulsar.client.api.PulsarClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver class that a driver file names. OpenMessaging Benchmark calls it, one method at a
 * time.
 *
 * <p>Consumers are not closed one by one, which takes minutes for 100,000 of them and lets
 * OpenMessaging Benchmark's HTTP calls time out; they all go with {@link #close()}.
 */
public final class BroadcastBenchmarkDriver implements BenchmarkDriver {
  private static final Logger LOG = LoggerFactory.getLogger(BroadcastBenchmarkDriver.class);

  private static final long CLOSE_TIMEOUT_SECONDS = 120;

  private DriverFile config;
  private String namespace;
  private AdminApi admin;
  private PulsarClient client;
  private Producers producers;
  private ConsumerGroup consumers;
  private CompletableFuture<Void> namespaceCreated;

  @Override
  public void initialize(File configurationFile, StatsLogger statsLogger) throws IOException {
    config = DriverFile.read(configurationFile);
    // Each worker calls this, but topics, and so the namespace, are created by one of them.
    namespace =
        String.format(
            Locale.ROOT,
            "%s-%08x",
            config.client.namespacePrefix,
            ThreadLocalRandom.current().nextInt());
    Authentication authentication = Clients.authentication(config.client);
    admin = new AdminApi(config.client, authentication);
    client = Clients.create(config, authentication);
    producers = new Producers(client, config.producer);
    consumers = new ConsumerGroup(client, admin, config);
    LOG.info(
        "Driver {}: {} consumers over {} connections to {}",
        config.name,
        config.consumer.subscriptionType,
        config.client.connections,
        config.client.serviceUrl);
  }

  @Override
  public String getTopicNamePrefix() {
    return "persistent://" + namespace + "/topic";
  }

  @Override
  public CompletableFuture<Void> createTopic(String topic, int partitions) {
    if (namespaceCreated == null) {
      namespaceCreated = admin.createNamespace(namespace);
    }
    return namespaceCreated.thenCompose(done -> admin.createTopic(topic, partitions));
  }

  @Override
  public CompletableFuture<BenchmarkProducer> createProducer(String topic) {
    return producers.create(topic);
  }

  @Override
  public CompletableFuture<BenchmarkConsumer> createConsumer(
      String topic, String subscriptionName, ConsumerCallback consumerCallback) {
    return createConsumers(List.of(new ConsumerInfo(0, topic, subscriptionName, consumerCallback)))
        .thenApply(created -> created.get(0));
  }

  @Override
  public CompletableFuture<List<BenchmarkConsumer>> createConsumers(List<ConsumerInfo> infos) {
    return consumers.create(infos);
  }

  /** Waits for messages on their way, writes what was recorded, and drops all connections. */
  @Override
  public void close() throws Exception {
    if (client == null) {
      return;
    }
    try {
      consumers.finish();
    } finally {
      closeClient();
    }
  }

  /** All consumers at once, and the connections in any case. */
  private void closeClient() throws Exception {
    try {
      client.closeAsync().get(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("Not everything was closed in order: {}", e.toString());
      client.shutdown();
    }
  }
}
