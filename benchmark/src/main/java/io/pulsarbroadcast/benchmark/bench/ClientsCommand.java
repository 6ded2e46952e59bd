/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.ClientRun;
import io.pulsarbroadcast.benchmark.engine.ClientSettings;
import io.pulsarbroadcast.benchmark.engine.Histograms;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What many consumers of the stock client cost the JVM that has them. */
@Command(
    name = "clients",
    header = "Many consumers of the stock Java client in one JVM.",
    description =
        "Connect time, heap, threads and CPU of a client with many Broadcast consumers of one topic,"
            + " idle and with messages to all; at every number of consumers, with each settings.")
public final class ClientsCommand extends BenchSubcommand {
  private static final int PRIMING_CONSUMERS = 1_000;
  private static final int PRIMING_RATE = 20;
  private static final int PRIMING_MESSAGES = 100;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MICROS_PER_MILLI = 1e3;

  @Option(
      names = "--consumers",
      paramLabel = "N,N,...",
      split = ",",
      description = "Consumers of the client.")
  @Range(from = 1, to = 1_000_000)
  private List<Integer> consumers = List.of(1_000, 10_000, 100_000);

  @Option(
      names = "--settings",
      paramLabel = "NAME,NAME,...",
      split = ",",
      description =
          "defaults: of the client; many: ManyConsumers; others change one of the defaults.")
  private List<ClientSettings> settings = List.of(ClientSettings.defaults, ClientSettings.many);

  @Option(names = "--idle-seconds", paramLabel = "N", description = "Before the first message.")
  @Range(from = 1, to = 86_400)
  private int idleSeconds = 20;

  @Option(names = "--size", paramLabel = "BYTES", description = "Size of a message.")
  @Range(from = 32, to = 1_048_576)
  private int messageBytes = 1_024;

  @Option(names = "--rate", paramLabel = "N", description = "Messages per second.")
  @Range(from = 1, to = 100_000)
  private int rate = 1;

  @Option(names = "--messages", paramLabel = "N", description = "Messages, with the warm-up.")
  @Range(from = 1, to = 1_000_000)
  private int messages = 30;

  @Option(names = "--warmup", paramLabel = "N", description = "Messages that are not timed.")
  @Range(from = 0, to = 1_000_000)
  private int warmup = 10;

  private final ResultTable table =
      new ResultTable(
          "consumers",
          "settings",
          "all connected, s",
          "heap per consumer, bytes",
          "broker's heap per consumer, bytes",
          "threads",
          "idle CPU per minute, s",
          "broker's idle CPU per minute, s",
          "CPU per delivery, us",
          "broker's CPU per delivery, us",
          "P50, ms",
          "P99, ms",
          "slowest, ms",
          "expected",
          "received",
          "out of order");

  @Override
  protected void check() {
    RunLoadOptions.checkWarmup(warmup, messages);
  }

  @Override
  protected int measure(Session session) throws Exception {
    boolean complete = true;
    for (int count : consumers) {
      for (ClientSettings each : settings) {
        complete &= run(session, count, each);
      }
    }
    session.show("clients", table);
    return session.finish(complete, true);
  }

  /** With a broker of its own, which no other has warmed up. */
  private boolean run(Session session, int count, ClientSettings each) throws Exception {
    session.say("%,d consumers, %s", count, each);
    ClientRun.Load load =
        new ClientRun.Load(count, idleSeconds, messageBytes, rate, messages, warmup);
    try (Broker broker = session.startBroker(Map.of())) {
      prime(session, broker, load, each);
      ClientRun.Result result =
          new ClientRun(load, each, session.progress()).execute(broker, session.newTopic());
      long expected = (long) result.published() * count;
      double timed = (double) (messages - warmup) * count;
      table.row(
          count,
          each.name(),
          result.connected().nanos() / NANOS_PER_SECOND,
          result.connected().heapBytes() / count,
          result.connected().brokerHeapBytes() / count,
          result.connected().threads(),
          result.idle().ownSecondsPerMinute(),
          result.idle().serverSecondsPerMinute(),
          result.timed().ownMillis() * MICROS_PER_MILLI / timed,
          result.timed().serverMillis() * MICROS_PER_MILLI / timed,
          millis(result, 50),
          millis(result, 99),
          result.endToEndMicros().getMaxValue() / MICROS_PER_MILLI,
          expected,
          result.received(),
          result.outOfOrder());
      session.keep("clients", table);
      session.save();
      return result.published() == messages
          && result.received() == expected
          && result.outOfOrder() == 0;
    }
  }

  /** Lets broker and client load their classes and compile them. */
  private static void prime(
      Session session, Broker broker, ClientRun.Load load, ClientSettings each) throws Exception {
    int few = Math.min(PRIMING_CONSUMERS, load.consumers());
    String topic = session.newTopic();
    new ClientRun(
            new ClientRun.Load(few, 1, load.messageBytes(), PRIMING_RATE, PRIMING_MESSAGES, 0),
            each,
            session.progress())
        .execute(broker, topic);
    session.forget(broker, topic);
  }

  private static double millis(ClientRun.Result result, double percentile) {
    return Histograms.millis(result.endToEndMicros(), percentile);
  }
}
