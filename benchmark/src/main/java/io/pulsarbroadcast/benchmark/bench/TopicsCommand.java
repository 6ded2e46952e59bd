/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.TopicsRun;
import io.pulsarbroadcast.benchmark.engine.TopicsRun.Series;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What many topics with few consumers cost the broker. The main thread calls it. */
@Command(
    name = "topics",
    header = "Many topics with a few consumers each.",
    description =
        "What many topics cost the broker to connect, idle and to load again, in memory, metadata and"
            + " metrics: with a Broadcast subscription each, and with an Exclusive one for each"
            + " consumer on a broker without the plugin.")
public final class TopicsCommand extends BenchSubcommand {
  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;

  @Option(
      names = "--topics",
      paramLabel = "N,N,...",
      split = ",",
      description = "Topics that are measured.")
  @Range(from = 1, to = 100_000)
  private List<Integer> topics = List.of(1_000, 10_000);

  @Option(
      names = "--warmup-topics",
      paramLabel = "N",
      description = "Topics that are connected before.")
  @Range(from = 0, to = 100_000)
  private int warmupTopics = 200;

  @Option(names = "--consumers", paramLabel = "N", description = "Consumers of each topic.")
  @Range(from = 1, to = 1_000)
  private int consumers = 2;

  @Option(
      names = "--series",
      paramLabel = "NAME,NAME",
      split = ",",
      description = "Which subscriptions: ${COMPLETION-CANDIDATES}.")
  private List<Series> series = List.of(Series.values());

  @Option(names = "--idle-seconds", paramLabel = "N", description = "For which nothing happens.")
  @Range(from = 1, to = 86_400)
  private int idleSeconds = 60;

  @Option(names = "--rounds", paramLabel = "N", description = "How often, in turn.")
  @Range(from = 1, to = 100)
  private int rounds = 1;

  private final ResultTable table =
      new ResultTable(
          "topics",
          "series",
          "round",
          "all connected, s",
          "broker's CPU to connect, s",
          "heap per topic, bytes",
          "metadata writes per topic",
          "idle CPU per minute, s",
          "lines of /metrics",
          "/metrics, s",
          "loaded again, s",
          "broker's CPU to load again, s",
          "expected",
          "received");

  @Override
  protected int measure(Session session) throws Exception {
    boolean complete = true;
    for (int count : topics) {
      for (int round = 1; round <= rounds; round++) {
        for (Series each : series) {
          complete &= run(session, count, round, each);
        }
      }
    }
    session.show("topics", table);
    return session.finish(complete, true);
  }

  /** With a broker of its own, as it comes. */
  private boolean run(Session session, int count, int round, Series each) throws Exception {
    session.say("%,d topics, %s, round %d", count, each, round);
    TopicsRun.Load load = new TopicsRun.Load(count, warmupTopics, consumers, idleSeconds);
    try (Broker broker =
        session.startBroker(
            each == Series.broadcast, Map.of("broadcastExposeTopicLevelHistograms", "false"))) {
      TopicsRun.Result result =
          new TopicsRun(load, each, session.progress()).execute(broker, session.newTopic());
      table.row(
          count,
          each.name(),
          round,
          result.connect().millis() / MILLIS_PER_SECOND,
          result.connect().serverMillis() / MILLIS_PER_SECOND,
          result.connected().heapBytes() / count,
          (double) result.connected().metadataWrites() / count,
          result.idle().serverSecondsPerMinute(),
          result.metrics().lines(),
          result.metrics().nanos() / NANOS_PER_SECOND,
          result.reload().millis() / MILLIS_PER_SECOND,
          result.reload().serverMillis() / MILLIS_PER_SECOND,
          result.expected(),
          result.received());
      session.keep("topics", table);
      session.save();
      return result.received() == result.expected();
    }
  }
}
