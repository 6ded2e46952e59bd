/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.openmessaging.benchmark.driver;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.stats.StatsLogger;

/** Signatures only: what our driver implements and calls. OpenMessaging Benchmark has the class. */
public interface BenchmarkDriver extends AutoCloseable {
  void initialize(File configurationFile, StatsLogger statsLogger)
      throws IOException, InterruptedException;

  String getTopicNamePrefix();

  CompletableFuture<Void> createTopic(String topic, int partitions);

  CompletableFuture<BenchmarkProducer> createProducer(String topic);

  CompletableFuture<BenchmarkConsumer> createConsumer(
      String topic, String subscriptionName, ConsumerCallback consumerCallback);

  default CompletableFuture<List<BenchmarkConsumer>> createConsumers(List<ConsumerInfo> consumers) {
    throw new UnsupportedOperationException();
  }

  /** Signatures only. */
  class ConsumerInfo {
    private final int id;
    private final String topic;
    private final String subscriptionName;
    private final ConsumerCallback consumerCallback;

    public ConsumerInfo(
        int id, String topic, String subscriptionName, ConsumerCallback consumerCallback) {
      this.id = id;
      this.topic = topic;
      this.subscriptionName = subscriptionName;
      this.consumerCallback = consumerCallback;
    }

    public int getId() {
      return id;
    }

    public String getTopic() {
      return topic;
    }

    public String getSubscriptionName() {
      return subscriptionName;
    }

    public ConsumerCallback getConsumerCallback() {
      return consumerCallback;
    }
  }
}
