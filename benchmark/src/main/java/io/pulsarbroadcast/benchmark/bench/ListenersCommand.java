/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.config.LocalServer;
import io.pulsarbroadcast.benchmark.engine.Histograms;
import io.pulsarbroadcast.benchmark.engine.ListenerRun;
import io.pulsarbroadcast.benchmark.engine.ListenerThreads;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.report.html.Figure;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The evaluation of Philipp Dolif's <i>Pulsar Virtual Threads Message Listener</i>, with a wait in
 * place of its HTTP endpoint, on Broadcast consumers.
 */
@Command(
    name = "listeners",
    header = "Listeners that block, on the client's, platform and virtual threads.",
    description =
        "A stock consumer on each of many topics, whose listener waits for each message; at every"
            + " combination of delay and rate, on each kind of threads.")
public final class ListenersCommand extends BenchSubcommand {
  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double BYTES_PER_MEGABYTE = 1 << 20;

  @Option(
      names = "--topics",
      paramLabel = "N",
      description = "Topics, with a consumer and a producer each.")
  @Range(from = 1, to = 10_000)
  private int topics = 100;

  @Option(names = "--keys", paramLabel = "N", description = "Keys of each topic's messages.")
  @Range(from = 1, to = 1_000_000)
  private int keys = 100;

  @Option(
      names = "--delays-millis",
      paramLabel = "N,N,...",
      split = ",",
      description = "How long a listener waits.")
  @Range(from = 0, to = 60_000)
  private List<Integer> delaysMillis = List.of(10, 100, 500);

  @Option(
      names = "--rates",
      paramLabel = "N,N,...",
      split = ",",
      description = "Messages per second of each topic.")
  @Range(from = 1, to = 100_000)
  private List<Integer> rates = List.of(3, 5, 10, 20);

  @Option(
      names = "--threads",
      paramLabel = "KIND,KIND,...",
      split = ",",
      description =
          "client: one for each consumer, of the client's own; platform, virtual: one for each key"
              + " that has messages (default: all that this Java has).")
  private List<ListenerThreads> threads =
      Arrays.stream(ListenerThreads.values()).filter(ListenerThreads::isAvailable).toList();

  @Option(names = "--size", paramLabel = "BYTES", description = "Size of a message.")
  @Range(from = ListenerRun.MIN_MESSAGE_BYTES, to = 1_048_576)
  private int messageBytes = 10_240;

  @Option(names = "--warmup-seconds", paramLabel = "N", description = "Length of the warm-up.")
  @Range(from = 0, to = 86_400)
  private int warmupSeconds = 5;

  @Option(names = "--seconds", paramLabel = "N", description = "Length of the timed part.")
  @Range(from = 1, to = 86_400)
  private int seconds = 20;

  private final ResultTable table =
      new ResultTable(
          "delay, ms",
          "messages/s of a topic",
          "threads",
          "end to end P50, ms",
          "P90, ms",
          "P99, ms",
          "P99.9, ms",
          "most platform threads",
          "live heap, MB",
          "cores used",
          "published",
          "handled",
          "out of order");

  private record Point(int delayMillis, int rate, ListenerThreads threads, double p99Millis) {}

  private final List<Point> points = new ArrayList<>();

  @Override
  protected void check() {
    for (ListenerThreads kind : threads) {
      if (!kind.isAvailable()) {
        throw new InvalidOptionException(
            "--threads is %s; Java %d has none, 21 and later have"
                .formatted(kind, Runtime.version().feature()));
      }
    }
  }

  @Override
  protected int measure(Session session) throws Exception {
    boolean complete = true;
    try (LoadServer server = session.start(LocalServer.plugin, Map.of())) {
      for (int delayMillis : delaysMillis) {
        for (int rate : rates) {
          for (ListenerThreads kind : threads) {
            complete &= run(session, server, delayMillis, rate, kind);
          }
        }
      }
    }
    session.show("listeners", table);
    for (int delayMillis : delaysMillis) {
      session.plot(plot(delayMillis));
    }
    return session.finish(complete, true);
  }

  private boolean run(
      Session session, LoadServer server, int delayMillis, int rate, ListenerThreads kind)
      throws Exception {
    session.say("%d ms, %d messages/s of a topic, %s threads", delayMillis, rate, kind);
    List<String> names =
        IntStream.range(0, topics).mapToObj(i -> session.newTopic()).collect(Collectors.toList());
    ListenerRun.Settings load =
        new ListenerRun.Settings(
            topics, keys, rate, delayMillis, messageBytes, warmupSeconds, seconds);
    ListenerRun.Result result =
        new ListenerRun(load, kind, session.progress()).execute(server.serviceUrl(), names);
    for (String name : names) {
      session.forget(server, name);
    }
    double p99Millis = millis(result, 99);
    table.row(
        delayMillis,
        rate,
        kind.name(),
        millis(result, 50),
        millis(result, 90),
        p99Millis,
        millis(result, 99.9),
        result.mostThreads(),
        result.liveHeapBytes() / BYTES_PER_MEGABYTE,
        result.cpuMillis() / MILLIS_PER_SECOND / seconds,
        result.published(),
        result.handled(),
        result.outOfOrder());
    points.add(new Point(delayMillis, rate, kind, p99Millis));
    session.keep("listeners", table);
    session.save();
    return result.isComplete();
  }

  private static double millis(ListenerRun.Result result, double percentile) {
    return Histograms.millis(result.endToEndMicros(), percentile);
  }

  private Figure plot(int delayMillis) {
    List<Figure.Line> lines = new ArrayList<>();
    for (ListenerThreads kind : threads) {
      List<Point> line =
          points.stream()
              .filter(point -> point.delayMillis == delayMillis && point.threads == kind)
              .toList();
      lines.add(
          new Figure.Line(
              kind + " threads",
              line.stream().map(point -> (double) point.rate).toList(),
              line.stream().map(Point::p99Millis).toList()));
    }
    return Figure.lines(
        "listeners-" + delayMillis,
        String.format(
            Locale.ROOT,
            "Listeners that wait %d ms: %,d topics, %d keys",
            delayMillis,
            topics,
            keys),
        "messages/s of a topic",
        "end to end P99, ms",
        "From when a message is due to when its listener has waited.",
        lines);
  }
}
