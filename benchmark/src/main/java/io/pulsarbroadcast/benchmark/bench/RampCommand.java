/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.bench.RampSchedule.Step;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.metrics.LatencySummary;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.report.ScalePlot;
import io.pulsarbroadcast.benchmark.server.BrokerLoadServer;
import io.pulsarbroadcast.benchmark.server.FloorLoadServer;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Rising rates until latency passes a limit. The main thread calls it. */
@Command(
    name = "ramp",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Small messages at rising rates until P99 reaches a limit: the deliveries per second that"
            + " are possible. --rate is the first rate; --messages is not used.")
final class RampCommand extends BenchSubcommand {
  /** How long a step may take beyond its own time before the ramp ends. */
  private static final int OVERTIME_SECONDS = 30;

  @Option(
      names = "--max-rate",
      paramLabel = "N",
      description = "The highest rate, messages per second (default: ${DEFAULT-VALUE}).")
  private double maxRate = 200;

  @Option(
      names = "--rate-factor",
      paramLabel = "F",
      description = "Each rate is so many times the one before (default: ${DEFAULT-VALUE}).")
  @Range(from = 1.05, to = 100)
  private double rateFactor = 1.5;

  @Option(
      names = "--step-seconds",
      paramLabel = "N",
      description = "How long each rate is held (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 3_600)
  private int stepSeconds = 10;

  @Option(
      names = "--p99-limit-ms",
      paramLabel = "MS",
      description = "The ramp ends when P99 reaches this (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 3_600_000)
  private double limitMillis = 1_000;

  @Option(
      names = "--floor",
      description = "Put each rate on a bare server too, in turn with the broker.")
  private boolean withFloor;

  private final ResultTable table =
      new ResultTable(
          List.of(
              "server",
              "messages/s",
              "deliveries/s offered",
              "deliveries/s",
              "P50, ms",
              "P99, ms",
              "max, ms",
              "publish P99, ms",
              "server CPU per delivery, us",
              "generator CPU per delivery, us",
              "missing"));

  /** A server that is still below the limit. */
  private static final class Climber {
    private final ConnectedFleet connected;
    private final RunListener listener;
    private double lastDeliveries;
    private double lastP99Millis;

    Climber(ConnectedFleet connected, RunListener listener) {
      this.connected = connected;
      this.listener = listener;
    }
  }

  private final List<String> findings = new ArrayList<>();
  private long gaps;

  RampCommand() {
    super("ramp", LoadOptions.smallMessages());
  }

  @Override
  void check() {
    if (!(maxRate >= load().rate)) {
      throw new InvalidOptionException(
          "--max-rate is %s; allowed: at least --rate, which is %s"
              .formatted(maxRate, load().rate));
    }
    long bytes = (long) load().consumers * schedule().messages() / Byte.SIZE * (withFloor ? 2 : 1);
    long most = Runtime.getRuntime().maxMemory() / 2;
    if (bytes > most) {
      throw new InvalidOptionException(
          "--max-rate is %s; allowed: less, or fewer --step-seconds, because what %d consumers received takes %d MB of the %d MB there are for it"
              .formatted(maxRate, load().consumers, bytes >> 20, most >> 20));
    }
  }

  @Override
  String describe() {
    return String.format(
        Locale.ROOT,
        "%,d consumers over %,d connections, %,d-byte messages, ack %s, each rate for %d s",
        load().consumers,
        Math.min(load().connections, load().consumers),
        load().sizeBytes,
        load().ackPolicy(),
        stepSeconds);
  }

  private RampSchedule schedule() {
    return new RampSchedule(load().rate, rateFactor, maxRate, stepSeconds, load().warmup);
  }

  @Override
  int measure(BenchSession session) throws Exception {
    List<ConnectedFleet> opened = new ArrayList<>();
    ScalePlot plot = new ScalePlot(describe(), "Deliveries per second", "P99 (ms)");
    try (BrokerLoadServer broker = session.startBroker("Broadcast");
        FloorLoadServer floor = withFloor ? session.startFloor() : null) {
      try {
        List<Climber> climbers = new ArrayList<>();
        climbers.add(climber(session, broker, load().ackPolicy(), opened));
        if (floor != null) {
          climbers.add(climber(session, floor, AckPolicy.NONE, opened));
        }
        for (Step step : schedule().steps()) {
          for (Iterator<Climber> all = climbers.iterator(); all.hasNext(); ) {
            if (!climb(all.next(), step, plot)) {
              all.remove();
            }
          }
        }
        climbers.forEach(this::foundNoLimit);
        report(session, plot, opened);
      } finally {
        opened.forEach(ConnectedFleet::close);
      }
    }
    return gaps == 0 ? Program.EXIT_COMPLETE : Program.EXIT_MISSING;
  }

  private Climber climber(
      BenchSession session, LoadServer server, AckPolicy acks, List<ConnectedFleet> opened)
      throws Exception {
    RunListener listener = session.listener(server, server.name());
    ConnectedFleet connected =
        ConnectedFleet.connect(
            server,
            load()
                .broadcast(server.serviceUrl(), session.newTopic())
                .messages(schedule().messages())
                .ackPolicy(acks)
                .build(),
            load().plan(),
            listener);
    opened.add(connected);
    connected.publish(
        "warm up " + server.name(), load().rate, 0, load().warmup, Duration.ofMinutes(2));
    return new Climber(connected, listener);
  }

  /** Returns whether it goes on. */
  private boolean climb(Climber climber, Step step, ScalePlot plot) throws Exception {
    ConnectedFleet connected = climber.connected;
    FleetSnapshot before = connected.fleet().snapshot();
    connected.publisher().takeLatencyMicros();
    CpuClock cpu = new CpuClock(connected.server().process());
    climber.listener.measuringStarted();
    double seconds =
        connected.publish(
            "%s at %.1f per second".formatted(connected.server().name(), step.messagesPerSecond()),
            step.messagesPerSecond(),
            step.from(),
            step.to(),
            Duration.ofSeconds(stepSeconds + OVERTIME_SECONDS));
    climber.listener.measuringEnded();
    FleetSnapshot after = connected.fleet().snapshot();
    long deliveries = after.received() - before.received();
    long expected = (long) (step.to() - step.from()) * load().consumers;
    Histogram latencies = after.endToEndMicros().copy();
    latencies.subtract(before.endToEndMicros());
    LatencySummary latency = LatencySummary.of(latencies);
    double elapsed = seconds > 0 ? seconds : stepSeconds + OVERTIME_SECONDS;
    double offered = step.messagesPerSecond() * load().consumers;
    table.add(
        List.of(
            connected.server().name(),
            step.messagesPerSecond(),
            (long) offered,
            (long) (deliveries / elapsed),
            latency.p50Millis(),
            latency.p99Millis(),
            latency.maxMillis(),
            LatencySummary.of(connected.publisher().takeLatencyMicros()).p99Millis(),
            cpu.serverPerDelivery(deliveries),
            cpu.ownPerDelivery(deliveries),
            expected - deliveries));
    plot.add(connected.server().name(), offered, latency.p99Millis());
    if (seconds > 0 && latency.p99Millis() < limitMillis) {
      climber.lastDeliveries = offered;
      climber.lastP99Millis = latency.p99Millis();
      return true;
    }
    found(climber, offered, seconds > 0 ? latency.p99Millis() : Double.POSITIVE_INFINITY);
    return false;
  }

  private void found(Climber climber, double offered, double p99Millis) {
    String name = climber.connected.server().name();
    if (climber.lastDeliveries == 0) {
      findings.add(
          String.format(
              Locale.ROOT,
              "%s: P99 is past %,.0f ms at the first rate, %,.0f deliveries per second",
              name,
              limitMillis,
              offered));
    } else if (Double.isInfinite(p99Millis)) {
      findings.add(
          String.format(
              Locale.ROOT,
              "%s: P99 is %,.0f ms at %,.0f deliveries per second; %,.0f are more than it can do",
              name,
              climber.lastP99Millis,
              climber.lastDeliveries,
              offered));
    } else {
      findings.add(
          String.format(
              Locale.ROOT,
              "%s: P99 reaches %,.0f ms at about %,.0f deliveries per second (%,.0f: %,.0f ms; %,.0f:"
                  + " %,.0f ms)",
              name,
              limitMillis,
              RampSchedule.crossing(
                  climber.lastDeliveries, climber.lastP99Millis, offered, p99Millis, limitMillis),
              climber.lastDeliveries,
              climber.lastP99Millis,
              offered,
              p99Millis));
    }
  }

  private void foundNoLimit(Climber climber) {
    findings.add(
        String.format(
            Locale.ROOT,
            "%s: P99 stays under %,.0f ms up to %,.0f deliveries per second, the highest rate tried",
            climber.connected.server().name(),
            limitMillis,
            climber.lastDeliveries));
  }

  private void report(BenchSession session, ScalePlot plot, List<ConnectedFleet> opened)
      throws Exception {
    for (ConnectedFleet connected : opened) {
      FleetSnapshot snapshot = connected.fleet().snapshot();
      gaps += snapshot.skipped();
      findings.add(
          String.format(
              Locale.ROOT,
              "%s: gaps %,d, duplicates %,d, out of order %,d, corrupt %,d",
              connected.server().name(),
              snapshot.skipped(),
              snapshot.duplicates(),
              snapshot.outOfOrder(),
              snapshot.corrupt()));
    }
    String pulsarVersion = opened.get(0).fleet().snapshot().brokerVersion();
    String newLine = System.lineSeparator();
    String text =
        describe()
            + newLine
            + newLine
            + table.text()
            + newLine
            + String.join(newLine, findings)
            + newLine;
    session.out().println();
    session.out().print(session.results().write(text, table, pulsarVersion, List.of()));
    try {
      plot.write(session.results().folder(), "plot");
    } catch (RuntimeException | LinkageError e) {
      // A JRE without fonts cannot draw; the figures are there all the same.
      session.err().println("The plot was not written: " + e);
    }
    session.out().println("Results: " + session.results().folder());
  }
}
