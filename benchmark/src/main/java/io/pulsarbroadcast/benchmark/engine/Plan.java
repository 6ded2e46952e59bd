/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.config.LocalServer;
import io.pulsarbroadcast.benchmark.config.WorkloadFile;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One run: a load at one rate, on one kind of server. Immutable; any thread may call it.
 *
 * @param workload as it stands in results
 * @param driver the variant, as it stands in results
 * @param server what a local run starts
 * @param brokerSettings lines of its configuration
 * @param subscriptionType as it stands in results
 * @param partitions of the topic; 1 for a topic that is not partitioned
 * @param consumers of each partition
 * @param connections of the consumers of a partition
 * @param messages of a partition, warm-up included
 * @param warmupMessages of those, from the first; they are not timed
 * @param messageBytes size of a message
 * @param messagesPerSecond of all partitions together
 * @param connectTimeout for all consumers together
 * @param stepped whether it is one of several rates, of which one is to be too high
 * @param catchUp who lags behind, or null
 * @param consumer how each consumer subscribes and acknowledges; a new builder with each call
 */
public record Plan(
    String workload,
    String driver,
    LocalServer server,
    Map<String, String> brokerSettings,
    String subscriptionType,
    int partitions,
    int consumers,
    int connections,
    int messages,
    int warmupMessages,
    int messageBytes,
    double messagesPerSecond,
    Duration connectTimeout,
    boolean stepped,
    WorkloadFile.CatchUp catchUp,
    Supplier<LoadConfig> consumer) {
  private static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(10);

  /** One topic that is not partitioned, at one rate, on a broker with the plugin. */
  public static Plan of(
      String name,
      int consumers,
      int connections,
      int messages,
      int warmupMessages,
      int messageBytes,
      double messagesPerSecond,
      Supplier<LoadConfig> consumer) {
    return new Plan(
        name,
        name,
        LocalServer.plugin,
        Map.of(),
        "",
        1,
        consumers,
        connections,
        messages,
        warmupMessages,
        messageBytes,
        messagesPerSecond,
        CONNECT_TIMEOUT,
        false,
        null,
        consumer);
  }

  double messagesPerSecondOfPartition() {
    return messagesPerSecond / partitions;
  }

  /** Of the timed part, when the rate is reached. */
  public double seconds() {
    return (messages - warmupMessages) / messagesPerSecondOfPartition();
  }

  /** Of the warm-up, when the rate is reached. */
  public double warmupSeconds() {
    return warmupMessages / messagesPerSecondOfPartition();
  }

  /** Of all partitions together, without the warm-up. */
  public long timedMessages() {
    return (long) partitions * (messages - warmupMessages);
  }

  /** The names of the partitions, or the topic's own. */
  List<String> partitionsOf(String topic) {
    return partitions == 1
        ? List.of(topic)
        : IntStream.range(0, partitions).mapToObj(i -> topic + "-partition-" + i).toList();
  }

  /** The consumers of one partition. */
  LoadConfig config(String serviceUrl, String partition) {
    LoadConfig builder =
        consumer
            .get()
            .serviceUrl(serviceUrl)
            .topic(partition)
            .consumers(consumers)
            .connections(connections)
            .messages(messages)
            .warmupMessages(warmupMessages);
    return partitions == 1 ? builder : builder.ioThreads(1);
  }

  /** Heap that one more consumer costs the load generator. */
  public int bytesPerConsumer() {
    LoadConfig config = config("pulsar://unused", "unused").build();
    return config.bytesPerConsumer();
  }
}
