/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.omb;

import io.openmessaging.benchmark.driver.BenchmarkProducer;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.MessageRoutingMode;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.TypedMessageBuilder;
import org.apache.pulsar.client.impl.customroute.PartialRoundRobinMessageRouterImpl;

/** Makes producers as the driver file describes them. Any thread may call it. */
final class Producers {
  private static final long MICROS_PER_MILLI = 1_000;

  private final PulsarClient client;
  private final DriverFile.ProducerSettings settings;

  Producers(PulsarClient client, DriverFile.ProducerSettings settings) {
    this.client = client;
    this.settings = settings;
  }

  CompletableFuture<BenchmarkProducer> create(String topic) {
    long delayMicros = Math.round(settings.batchingMaxPublishDelayMillis * MICROS_PER_MILLI);
    ProducerBuilder<byte[]> builder =
        client
            .newProducer()
            .topic(topic)
            .enableBatching(settings.batchingEnabled)
            .compressionType(CompressionType.NONE)
            .blockIfQueueFull(settings.blockIfQueueFull)
            .maxPendingMessages(settings.maxPendingMessages)
            .enableLazyStartPartitionedProducers(settings.lazyPartitions)
            .sendTimeout(0, TimeUnit.MILLISECONDS);
    if (settings.batchingEnabled) {
      builder
          .batchingMaxPublishDelay(delayMicros, TimeUnit.MICROSECONDS)
          .batchingMaxBytes(settings.batchingMaxBytes)
          .batchingMaxMessages(Integer.MAX_VALUE);
    }
    if (settings.partitionsPerProducer > 0) {
      builder
          .messageRoutingMode(MessageRoutingMode.CustomPartition)
          .messageRouter(new PartialRoundRobinMessageRouterImpl(settings.partitionsPerProducer));
    }
    return builder.createAsync().thenApply(PulsarBenchmarkProducer::new);
  }

  /** One producer. OpenMessaging Benchmark's producer thread calls it. */
  private static final class PulsarBenchmarkProducer implements BenchmarkProducer {
    private final Producer<byte[]> producer;

    PulsarBenchmarkProducer(Producer<byte[]> producer) {
      this.producer = producer;
    }

    @Override
    public CompletableFuture<Void> sendAsync(Optional<String> key, byte[] payload) {
      TypedMessageBuilder<byte[]> message = producer.newMessage().value(payload);
      key.ifPresent(message::key);
      return message.sendAsync().thenApply(id -> null);
    }

    @Override
    public void close() throws Exception {
      producer.close();
    }
  }
}
