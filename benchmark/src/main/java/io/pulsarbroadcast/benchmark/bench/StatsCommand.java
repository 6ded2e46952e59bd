/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.metrics.Median;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How long a broker takes for its statistics. The main thread calls it. */
@Command(
    name = "stats",
    header = "How long the broker takes for metrics and statistics.",
    description =
        "How long the broker takes for /metrics and for statistics with one consumer and with all of"
            + " them, and how large its answers are; again after it has written its own report.")
public final class StatsCommand extends BenchSubcommand {
  private static final Duration CONNECT_LIMIT = Duration.ofMinutes(10);

  @Option(
      names = "--repetitions",
      paramLabel = "N",
      description = "How often each is asked; shown are the median and the slowest.")
  @Range(from = 1, to = 1_000)
  private int repetitions = 5;

  @Option(
      names = "--report-seconds",
      paramLabel = "N",
      description = "How long to wait for the broker's own report, which it writes once a minute.")
  @Range(from = 0, to = 600)
  private int reportSeconds = 70;

  @Mixin private RunLoadOptions load = new RunLoadOptions(100_000, 10, 100, 3, 0);

  private final ResultTable table =
      new ResultTable(
          "consumers", "asked for", "median, ms", "slowest, ms", "bytes", "lines of the answer");

  @Override
  protected void check() {
    load.check();
  }

  /** Answers are made anew for each who asks, and shown for each consumer where that can be set. */
  @Override
  protected int measure(Session session) throws Exception {
    boolean complete;
    try (Broker broker =
        session.startBroker(
            Map.of(
                "metricsBufferResponse", "false",
                "exposeConsumerLevelMetricsInPrometheus", "true"))) {
      String topic = session.newTopic();
      LoadConfig one = load.broadcast(broker.serviceUrl(), topic).consumers(1).build();
      try (Load single = new Load("one", one, load.sizeBytes, session.progress())) {
        single.connect(CONNECT_LIMIT);
        measure(broker, topic, "1");
      }
      LoadConfig all = load.broadcast(broker.serviceUrl(), topic).build();
      try (Load many = new Load("all", all, load.sizeBytes, session.progress())) {
        many.connect(CONNECT_LIMIT);
        complete = many.publish("publish", load.rate, 0, load.messages, CONNECT_LIMIT).inTime();
        measure(broker, topic, "all");
        session.say("waiting %d s for the broker's own report", reportSeconds);
        TimeUnit.SECONDS.sleep(reportSeconds);
        measure(broker, topic, "all, later");
        session.brokerVersion(many.fleet().snapshot().brokerVersion());
      }
    }
    session.print("%s", load.line());
    session.print("");
    session.show("result", table);
    return session.finish(complete, true);
  }

  private void measure(Broker broker, String topic, String consumers)
      throws IOException, InterruptedException {
    String admin = topic.replace("persistent://", "/admin/v2/persistent/");
    for (String path :
        List.of(
            "/metrics/",
            admin + "/stats",
            admin + "/internalStats",
            "/admin/v2/broker-stats/topics")) {
      double[] millis = new double[repetitions];
      String answer = "";
      for (int i = 0; i < repetitions; i++) {
        long startNanos = System.nanoTime();
        answer = broker.get(path);
        millis[i] = (System.nanoTime() - startNanos) / 1e6;
      }
      Arrays.sort(millis);
      table.row(
          consumers,
          path.replace(topic.substring(topic.lastIndexOf('/') + 1), "..."),
          Median.ofSorted(millis),
          millis[repetitions - 1],
          answer.getBytes(StandardCharsets.UTF_8).length,
          answer.lines().count());
    }
  }
}
