/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.workload;

import io.pulsarbroadcast.benchmark.config.ConfigException;
import io.pulsarbroadcast.benchmark.config.DriverFile;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;

/**
 * One run: a workload at one rate, on one driver. Immutable; any thread may call it.
 *
 * @param workload the file
 * @param driver the file
 * @param consumers of the topic
 * @param messagesPerSecond of all partitions together
 * @param seconds of the timed part
 * @param warmupSeconds before it
 * @param verifyChecksums whether consumers check the CRC32C of every message
 */
record WorkloadPlan(
    WorkloadFile workload,
    DriverFile driver,
    int consumers,
    int messagesPerSecond,
    int seconds,
    int warmupSeconds,
    boolean verifyChecksums) {
  private static final int MAX_MESSAGES = Integer.MAX_VALUE / 2;

  WorkloadPlan {
    long messages = (long) messagesPerSecond * (seconds + warmupSeconds);
    if (messages > MAX_MESSAGES) {
      throw new ConfigException(
          "%s: %,d messages are more than a local run can count; allowed: %,d (--seconds)"
              .formatted(workload.name(), messages, MAX_MESSAGES));
    }
  }

  WorkloadPlan atRate(int newRate) {
    return new WorkloadPlan(
        workload, driver, consumers, newRate, seconds, warmupSeconds, verifyChecksums);
  }

  /** The workload's name, and what was asked for instead of its number of consumers. */
  String name() {
    return workload.name()
        + (consumers == workload.consumers()
            ? ""
            : String.format(Locale.ROOT, "; run with %,d", consumers));
  }

  double messagesPerSecondOfPartition() {
    return (double) messagesPerSecond / workload.partitions();
  }

  /** Of each partition, at least 1. */
  int warmupMessages() {
    return (int) Math.ceil(messagesPerSecondOfPartition() * warmupSeconds);
  }

  /** Of each partition, with those of the warm-up. */
  int messagesOfPartition() {
    return warmupMessages()
        + Math.max(1, (int) Math.round(messagesPerSecondOfPartition() * seconds));
  }

  /** Of all partitions together, which have whole numbers of messages, without the warm-up. */
  long timedMessages() {
    return (long) workload.partitions() * (messagesOfPartition() - warmupMessages());
  }

  /** The names of the partitions, or the topic's own. */
  List<String> partitions(String topic) {
    if (workload.partitions() == 1) {
      return List.of(topic);
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < workload.partitions(); i++) {
      names.add(topic + "-partition-" + i);
    }
    return names;
  }

  /** Connections of each partition's fleet. */
  int connectionsOfPartition() {
    return Math.max(1, driver.client().connections() / workload.partitions());
  }

  /** Consumers {@code prefix-000000} and so on of one partition, as the driver file has them. */
  LoadConfigBuilder consumersOf(String serviceUrl, String partition, String prefix) {
    DriverFile.ConsumerSettings settings = driver.consumer();
    LoadConfigBuilder builder =
        LoadConfig.builder()
            .serviceUrl(serviceUrl)
            .topic(partition)
            .consumers(consumers)
            .connections(connectionsOfPartition())
            .messages(messagesOfPartition())
            .warmupMessages(warmupMessages())
            .subscribeWindow(
                Math.max(1, settings.creationConcurrency() / driver.client().connections()))
            .receiverQueueSize(settings.receiverQueueSize())
            .ackPolicy(ackPolicy())
            .verifyChecksums(verifyChecksums)
            .consumerName(LoadConfig.numbered(prefix));
    if (workload.partitions() > 1) {
      builder.ioThreads(1);
    }
    switch (settings.subscriptionType()) {
      case Broadcast:
        return builder.broadcast(settings.broadcastSubscription());
      default:
        return builder
            .subType(SubType.valueOf(settings.subscriptionType().name()))
            .subscriptionPerConsumer(prefix);
    }
  }

  private AckPolicy ackPolicy() {
    switch (driver.consumer().ack()) {
      case cumulative:
        return AckPolicy.CUMULATIVE;
      case individual:
        return AckPolicy.INDIVIDUAL;
      default:
        return AckPolicy.NONE;
    }
  }

  /** Keys that say something to OpenMessaging Benchmark's driver, but not to a local run. */
  List<String> ignored() {
    List<String> keys = new ArrayList<>();
    if (driver.producer().batchingEnabled()) {
      keys.add("producer.batchingEnabled (messages are published singly)");
    }
    if (driver.producer().lazyPartitions() || driver.producer().partitionsPerProducer() > 0) {
      keys.add(
          "producer.lazyPartitions and partitionsPerProducer (a publisher for each partition)");
    }
    if (driver.consumer().ackGroupMillis() > 0) {
      keys.add("consumer.ackGroupMillis (every message is acknowledged at once)");
    }
    if (workload.producers() > 1) {
      keys.add("producersPerTopic (a publisher for each partition)");
    }
    return keys;
  }
}
