/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.load.Schedule;
import io.pulsarbroadcast.benchmark.metrics.Median;
import io.pulsarbroadcast.benchmark.server.BrokerCluster;
import io.pulsarbroadcast.benchmark.server.TcpConnections;
import io.pulsarbroadcast.client.PartitionedProducers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/**
 * One stock producer of a partitioned topic, without batching, that opens all partitions or only
 * some: what it takes to make it, and to publish. One thread may call it.
 */
public final class ProducerRun {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long ANSWER_SECONDS = 60;

  /**
   * The load.
   *
   * @param limit of partitions; all of them if it is {@code partitions}
   * @param creations that are timed, each of a fresh client
   */
  public record Settings(
      int partitions,
      int limit,
      int creations,
      double messagesPerSecond,
      int messageBytes,
      int seconds) {
    int messages() {
      return Math.toIntExact(Math.round(messagesPerSecond * seconds));
    }
  }

  /**
   * What became of it.
   *
   * @param createMillis of {@code create()}; the median of the creations
   * @param readyMillis until a message is persisted in each partition in use; the median
   * @param connections of this process to the brokers
   * @param clientHeapBytes live objects that the client added to this process
   * @param brokerHeapBytes live objects of all brokers
   * @param publishSeconds from the first message until all were answered
   * @param cpuMillis of this process in this time
   * @param brokersCpuMillis of all brokers
   * @param partitionsByBroker those with a producer; of the brokers that have any
   * @param acknowledged to the producer
   * @param entries which the topic counts
   */
  public record Result(
      double createMillis,
      double readyMillis,
      int connections,
      long clientHeapBytes,
      long brokerHeapBytes,
      double publishSeconds,
      long cpuMillis,
      long brokersCpuMillis,
      Map<String, Integer> partitionsByBroker,
      long expected,
      long acknowledged,
      long entries) {
    /** Whether every message was acknowledged and persisted, once. */
    public boolean isComplete() {
      return acknowledged == expected && entries == expected;
    }

    /** Reached while it published. */
    public double messagesPerSecond() {
      return acknowledged / publishSeconds;
    }

    public int producers() {
      return partitionsByBroker.values().stream().mapToInt(n -> n).sum();
    }
  }

  private record Creation(double createMillis, double readyMillis) {}

  private final BrokerCluster cluster;
  private final Settings load;
  private final RunListener listener;

  public ProducerRun(BrokerCluster cluster, Settings load, RunListener listener) {
    this.cluster = cluster;
    this.load = load;
    this.listener = listener;
  }

  /**
   * Runs it.
   *
   * @param loaded a topic for the creations, whose partitions the brokers have loaded
   * @param topic a new one for the load
   */
  public Result execute(String loaded, String topic) throws IOException, InterruptedException {
    List<Creation> creations = create(loaded, load.creations);
    byte[] payload = new byte[load.messageBytes];
    AtomicLong acknowledged = new AtomicLong();
    long heapBefore = OwnHeap.liveBytes();
    listener.phaseStarted("publish", load.messages());
    try (PulsarClient client = client();
        Producer<byte[]> producer = producer(client, topic).create()) {
      CpuClock cpu = new CpuClock(Optional.empty());
      List<CpuClock> brokersCpu =
          cluster.processes().stream().map(process -> new CpuClock(Optional.of(process))).toList();
      Schedule schedule = new Schedule(System.nanoTime(), load.messagesPerSecond);
      for (int i = 0; i < load.messages(); i++) {
        Schedule.awaitTime(schedule.intendedNanos(i));
        producer.sendAsync(payload).thenRun(acknowledged::incrementAndGet);
        listener.progress(acknowledged.get());
      }
      producer.flush();
      double publishSeconds = (System.nanoTime() - schedule.startNanos()) / NANOS_PER_SECOND;
      long cpuMillis = cpu.ownMillis();
      long brokersCpuMillis = brokersCpu.stream().mapToLong(CpuClock::serverMillis).sum();
      return new Result(
          median(creations, Creation::createMillis),
          median(creations, Creation::readyMillis),
          TcpConnections.to(cluster.ports()),
          OwnHeap.liveBytes() - heapBefore,
          cluster.liveHeapBytes(),
          publishSeconds,
          cpuMillis,
          brokersCpuMillis,
          cluster.partitionsWithProducers(topic),
          load.messages(),
          acknowledged.get(),
          cluster.entries(topic));
    } finally {
      listener.phaseEnded();
    }
  }

  /** Has the brokers load all partitions, and this process all classes. */
  public void prepare(String loaded) throws PulsarClientException {
    create(loaded, 1);
  }

  private List<Creation> create(String topic, int times) throws PulsarClientException {
    List<PulsarClient> clients = new ArrayList<>();
    List<Creation> creations = new ArrayList<>();
    try {
      for (int i = 0; i < times; i++) {
        PulsarClient client = client();
        clients.add(client);
        long startNanos = System.nanoTime();
        Producer<byte[]> producer = producer(client, topic).create();
        long createdNanos = System.nanoTime();
        byte[] payload = new byte[load.messageBytes];
        CompletableFuture.allOf(
                IntStream.range(0, load.limit)
                    .mapToObj(message -> producer.sendAsync(payload))
                    .toArray(CompletableFuture<?>[]::new))
            .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
            .join();
        creations.add(
            new Creation(
                (createdNanos - startNanos) / NANOS_PER_MILLI,
                (System.nanoTime() - startNanos) / NANOS_PER_MILLI));
      }
      return creations;
    } finally {
      // Each takes two seconds.
      CompletableFuture.allOf(
              clients.stream().map(PulsarClient::closeAsync).toArray(CompletableFuture<?>[]::new))
          .join();
    }
  }

  private PulsarClient client() throws PulsarClientException {
    return PulsarClient.builder()
        .serviceUrl(cluster.serviceUrl())
        .statsInterval(0, TimeUnit.SECONDS)
        .build();
  }

  private ProducerBuilder<byte[]> producer(PulsarClient client, String topic) {
    ProducerBuilder<byte[]> builder =
        client.newProducer().topic(topic).enableBatching(false).blockIfQueueFull(true);
    return load.limit == load.partitions
        ? builder
        : PartitionedProducers.limitPartitions(builder, load.limit);
  }

  private static double median(List<Creation> creations, ToDoubleFunction<Creation> millis) {
    return Median.ofSorted(creations.stream().mapToDouble(millis).sorted().toArray());
  }
}
