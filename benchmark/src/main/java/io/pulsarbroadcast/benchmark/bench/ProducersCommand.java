/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.ProducerRun;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.BrokerCluster;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The benchmark of Yuri Mizushima's <i>Reduce Redundant Producers from Partitioned Producer</i>, on
 * several unmodified brokers.
 */
@Command(
    name = "producers",
    header = "Producers of partitioned topics that open only the partitions they use.",
    description =
        "A stock producer that opens all partitions, and one limited by PartitionedProducers, in"
            + " turn, on clusters of plain brokers with one ZooKeeper and bookie.")
public final class ProducersCommand extends BenchSubcommand {
  private static final int BROKER_HEAP_MEGABYTES = 384;
  private static final int BROKER_DIRECT_MEGABYTES = 256;
  private static final double BYTES_PER_MEGABYTE = 1 << 20;
  private static final double MILLIS_PER_SECOND = 1e3;

  @Option(
      names = "--brokers",
      paramLabel = "N,N,...",
      split = ",",
      description = "Brokers of each cluster.")
  @Range(from = 1, to = 30)
  private List<Integer> brokers = List.of(5, 10);

  @Option(
      names = "--limits",
      paramLabel = "N,N,...",
      split = ",",
      description = "Partitions that a limited producer uses.")
  @Range(from = 1, to = 1_000)
  private List<Integer> limits = List.of(3, 5);

  @Option(names = "--partitions", paramLabel = "N", description = "Partitions of a topic.")
  @Range(from = 2, to = 1_000)
  private int partitions = 30;

  @Option(
      names = "--bundles",
      paramLabel = "N",
      description = "Bundles of the namespace, by which the brokers share the partitions.")
  @Range(from = 1, to = 1_000)
  private int bundles = 64;

  @Option(names = "--rate", paramLabel = "N", description = "Messages per second.")
  @Range(from = 1, to = 1_000_000)
  private int rate = 5_000;

  @Option(names = "--size", paramLabel = "BYTES", description = "Size of a message.")
  @Range(from = 1, to = 1_048_576)
  private int messageBytes = 1_024;

  @Option(names = "--seconds", paramLabel = "N", description = "Length of each run.")
  @Range(from = 1, to = 86_400)
  private int seconds = 60;

  @Option(
      names = "--creations",
      paramLabel = "N",
      description = "Producers that are made and timed in each run, each of a fresh client.")
  @Range(from = 1, to = 100)
  private int creations = 5;

  @Option(names = "--rounds", paramLabel = "N", description = "Times that all take their turns.")
  @Range(from = 1, to = 1_000)
  private int rounds = 3;

  private final ResultTable table =
      new ResultTable(
          "brokers",
          "limit",
          "round",
          "TCP connections",
          "create, ms",
          "ready, ms",
          "client heap, MB",
          "broker heap, MB",
          "messages/s",
          "client CPU, cores",
          "broker CPU, cores",
          "brokers with load",
          "partitions by broker",
          "producers",
          "expected",
          "acknowledged",
          "entries");

  public ProducersCommand() {
    super(new ServerOptions(BROKER_HEAP_MEGABYTES, BROKER_DIRECT_MEGABYTES));
  }

  @Override
  protected void check() {
    for (int limit : limits) {
      if (limit >= partitions) {
        throw new InvalidOptionException(
            "--limits has %d; allowed: less than --partitions, %d".formatted(limit, partitions));
      }
    }
    if ((long) rate * seconds > Integer.MAX_VALUE) {
      throw new InvalidOptionException(
          "--seconds is %d; allowed: up to %d at --rate %d"
              .formatted(seconds, Integer.MAX_VALUE / rate, rate));
    }
  }

  @Override
  void checkServers(ServerOptions options) {
    options.check(true, false, "");
  }

  @Override
  protected int measure(Session session) throws Exception {
    boolean complete = true;
    for (int count : brokers) {
      session.say("start %d brokers", count);
      try (BrokerCluster cluster = session.startCluster(count, bundles)) {
        complete &= measure(session, cluster, count);
      }
    }
    session.show("producers", table);
    return session.finish(complete, true);
  }

  private boolean measure(Session session, BrokerCluster cluster, int count) throws Exception {
    List<Integer> inTurn = new ArrayList<>();
    inTurn.add(partitions);
    inTurn.addAll(limits);
    String loaded = cluster.createTopic("loaded", partitions);
    for (int limit : inTurn) {
      run(session, cluster, limit).prepare(loaded);
    }
    boolean complete = true;
    for (int round = 1; round <= rounds; round++) {
      for (int limit : inTurn) {
        session.say("%d brokers, %d of %d partitions", count, limit, partitions);
        String topic = cluster.createTopic("load-" + round + "-" + limit, partitions);
        ProducerRun.Result result = run(session, cluster, limit).execute(loaded, topic);
        cluster.forget(topic);
        add(count, limit, round, result);
        session.keep("producers", table);
        session.save();
        complete &= result.isComplete();
      }
    }
    return complete;
  }

  private ProducerRun run(Session session, BrokerCluster cluster, int limit) {
    ProducerRun.Settings load =
        new ProducerRun.Settings(partitions, limit, creations, rate, messageBytes, seconds);
    return new ProducerRun(cluster, load, session.progress());
  }

  private void add(int count, int limit, int round, ProducerRun.Result result) {
    Map<String, Integer> byBroker = result.partitionsByBroker();
    table.row(
        count,
        limit == partitions ? "none" : Integer.toString(limit),
        round,
        result.connections(),
        result.createMillis(),
        result.readyMillis(),
        result.clientHeapBytes() / BYTES_PER_MEGABYTE,
        result.brokerHeapBytes() / BYTES_PER_MEGABYTE,
        result.messagesPerSecond(),
        cores(result.cpuMillis(), result),
        cores(result.brokersCpuMillis(), result),
        byBroker.size(),
        byBroker.values().stream()
            .sorted(Comparator.reverseOrder())
            .map(String::valueOf)
            .collect(Collectors.joining(" ")),
        result.producers(),
        result.expected(),
        result.acknowledged(),
        result.entries());
  }

  private static double cores(long cpuMillis, ProducerRun.Result result) {
    return cpuMillis / MILLIS_PER_SECOND / result.publishSeconds();
  }
}
