/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Histograms;
import io.pulsarbroadcast.benchmark.engine.HubRun;
import io.pulsarbroadcast.benchmark.engine.Sessions;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sessions of hubs beside consumers. The main thread calls it. */
@Command(
    name = "hub",
    header = "Many sessions of one process: through hubs, beside a consumer for each.",
    description =
        "Every message to every session of one process, with stock clients of one connection each:"
            + " a consumer for each session, a hub for each connection, and the same beside a"
            + " session that requests nothing; in turn, in the same run.")
public final class HubCommand extends BenchSubcommand {
  private static final double MICROS_PER_MILLI = 1e3;
  private static final double BYTES_PER_MEGABYTE = 1 << 20;

  @Mixin private LoadOptions load = new LoadOptions(10_000, 4, 1, 10_240);

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "Messages of a run, warm-up included.")
  @Range(from = 1, to = 10_000_000)
  private int messages = 60;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      description = "How many of them, from the first, are counted but not timed.")
  @Range(from = 0, to = 9_999_999)
  private int warmup = 10;

  @Option(names = "--rounds", paramLabel = "N", description = "How often each one has its turn.")
  @Range(from = 1, to = 1_000)
  private int rounds = 3;

  private final ResultTable table =
      new ResultTable(
          "receivers",
          "round",
          "expected",
          "arrived",
          "end to end P50, ms",
          "P99, ms",
          "P99.9, ms",
          "server CPU per delivery, us",
          "client CPU per delivery, us",
          "sent by the broker, MB",
          "all connected after, s");

  @Override
  protected void check() {
    RunLoadOptions.checkWarmup(warmup, messages);
    if (load.connections > load.consumers) {
      throw new InvalidOptionException(
          "--connections is %d; allowed: up to --consumers, which is %d"
              .formatted(load.connections, load.consumers));
    }
  }

  @Override
  protected int measure(Session session) throws Exception {
    boolean complete = true;
    try (Broker broker = session.startBroker(Map.of())) {
      for (int round = 1; round <= rounds; round++) {
        for (Sessions kind : Sessions.values()) {
          complete &= run(session, broker, round, kind);
        }
      }
    }
    session.show("hub", table);
    return session.finish(complete, true);
  }

  private boolean run(Session session, Broker broker, int round, Sessions kind) throws Exception {
    session.say("round %d: %,d %s", round, load.consumers, kind);
    HubRun.Settings settings =
        new HubRun.Settings(
            load.consumers, load.connections, load.rate, load.sizeBytes, messages, warmup);
    String topic = session.newTopic();
    HubRun.Result result = new HubRun(settings, kind, session.progress()).execute(broker, topic);
    session.forget(broker, topic);
    table.row(
        kind.toString(),
        round,
        result.expected(),
        result.arrived(),
        millis(result, 50),
        millis(result, 99),
        millis(result, 99.9),
        perDelivery(result.serverMillis(), result),
        perDelivery(result.ownMillis(), result),
        result.bytesOut() / BYTES_PER_MEGABYTE,
        result.connectSeconds());
    session.keep("hub", table);
    session.save();
    return result.isComplete();
  }

  private static double millis(HubRun.Result result, double percentile) {
    return Histograms.millis(result.endToEndMicros(), percentile);
  }

  private static double perDelivery(long millis, HubRun.Result result) {
    return millis * MICROS_PER_MILLI / result.timedDeliveries();
  }
}
