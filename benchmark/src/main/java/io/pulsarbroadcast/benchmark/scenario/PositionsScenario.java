/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.RunListener;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stored positions of very many consumers: how large, and how fast written and recovered. */
@Command(
    name = "positions",
    header = "Size of 100,000 stored positions, and the time to write and recover them.",
    description =
        "Sizes of a change and of a snapshot of very many stored positions, and the time to write and"
            + " to recover them: everybody at one place, at 100 places, each at its own, and 1 %% of"
            + " them with holes. Once for the encoding alone, once through a real broker.")
public final class PositionsScenario extends AbstractScenario {
  private static final String ENCODING_CLASS =
      "io.pulsarbroadcast.broker.cursor.PositionsEncodingMain";
  private static final String STORED_SIZE = "pulsar_ml_StoredMessagesSize";
  private static final String POSITIONS_LEDGERS = "pulsar-broadcast/positions";
  private static final String WARM_UP_TOPIC = "positions-warm-up";
  private static final String BASELINE_TOPIC = "positions-baseline";
  private static final String ONE_NAME = "the-only-one";
  private static final long STABLE_MILLIS = 1_500;
  private static final long POLL_MILLIS = 250;
  private static final int ENCODING_CELLS = 8;

  @Option(names = "--consumers", paramLabel = "N", description = "Positions per case.")
  @Range(from = PositionsCase.HOLDERS_SHARE, to = 1_000_000)
  int consumers = 100_000;

  @Option(names = "--connections", paramLabel = "N", description = "TCP connections they share.")
  @Range(from = 1, to = 10_000)
  int connections = 100;

  @Option(
      names = "--holes",
      paramLabel = "N",
      description = "Holes of each of the 1 %%, through the broker; without it always 1,000.")
  @Range(from = 1, to = 10_000)
  int holes = 1_000;

  @Option(
      names = "--plugin-class-path",
      paramLabel = "PATH",
      description =
          "Classes and tests of broker-plugin, and the broker's jars; the script sets it.")
  String pluginClassPath;

  /** One case and what was found about it. */
  private static final class Row {
    private final PositionsCase positions;
    private final PositionsSetup setup;
    private final String[] encoding;
    private double registerSeconds;
    private double deltaBytes;
    private double deltaSeconds;
    private double moveSeconds;
    private double loadSeconds;
    private double snapshotBytes;
    private double snapshotSeconds;

    private Row(PositionsCase positions, PositionsSetup setup, String[] encoding) {
      this.positions = positions;
      this.setup = setup;
      this.encoding = encoding;
    }
  }

  private final List<Row> rows = new ArrayList<>();
  private double baselineLoadSeconds;
  private double baselineSubscribeSeconds;

  @Override
  protected void check() {
    if (pluginClassPath == null || pluginClassPath.isBlank()) {
      throw new InvalidOptionException(
          "--plugin-class-path is not set; allowed: a Java class path");
    }
  }

  /** Long intervals, so that what is written is what a seek waits for. */
  @Override
  Map<String, String> brokerSettings() {
    return Map.of("broadcastPositionFlushIntervalMillis", "60000");
  }

  @Override
  void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    Map<String, String[]> encodings = measureEncoding(session);
    try {
      for (PositionsCase positions : PositionsCase.values()) {
        PositionsSetup setup = new PositionsSetup(broker, positions, consumers, connections, holes);
        Row row = new Row(positions, setup, encodings.get(positions.label()));
        rows.add(row);
        write(broker, session, row);
        setup.close();
      }
      rows.get(0).setup.subscribeSeconds(WARM_UP_TOPIC, ONE_NAME);
      rows.get(0).setup.subscribeSeconds(BASELINE_TOPIC, ONE_NAME);
      session.say("restarting the broker");
      broker.stop();
      broker.start(RunListener.SILENT);
      recover(broker, session);
    } finally {
      rows.forEach(row -> row.setup.close());
    }
    report(session);
  }

  /** The lines of the CSV file, by their first cells. */
  private Map<String, String[]> measureEncoding(Session session)
      throws IOException, InterruptedException {
    session.say("the encoding alone, %,d positions", consumers);
    Path csv = session.folder().resolve("encoding.csv");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process process =
        new ProcessBuilder(
                java.toString(),
                "-cp",
                pluginClassPath,
                ENCODING_CLASS,
                Integer.toString(consumers))
            .redirectErrorStream(true)
            .redirectOutput(csv.toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(
          ENCODING_CLASS + " failed: " + Files.readString(csv, StandardCharsets.UTF_8).strip());
    }
    return Files.readAllLines(csv).stream()
        .map(line -> line.split(",", -1))
        .filter(cells -> cells.length == ENCODING_CELLS)
        .collect(Collectors.toMap(cells -> cells[0], Function.identity()));
  }

  private void write(Broker broker, Session session, Row row)
      throws IOException, InterruptedException, FleetException {
    PositionsSetup setup = row.setup;
    String label = row.positions.label();
    row.registerSeconds = setup.register();
    session.say("%s: %,d subscribed in %.1f s", label, consumers, row.registerSeconds);
    setup.arrange();
    session.say("%s: arranged", label);
    // A seek is done when the new place is on storage, and with it all that has changed.
    setup.writeSeconds("new-name-1");
    double before = storedBytes(broker);
    row.moveSeconds = setup.moveEverybody();
    row.deltaSeconds = setup.writeSeconds("new-name-2");
    row.deltaBytes = storedBytes(broker) - before;
    session.say(
        "%s: everybody acknowledged one more message in %.1f s, written with %,.0f bytes",
        label, row.moveSeconds, row.deltaBytes);
  }

  private void recover(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    // What a broker does once after its start is not taken for recovery.
    loadSeconds(broker, WARM_UP_TOPIC);
    baselineLoadSeconds = loadSeconds(broker, BASELINE_TOPIC);
    baselineSubscribeSeconds = rows.get(0).setup.subscribeSeconds(BASELINE_TOPIC, ONE_NAME);
    for (Row row : rows) {
      String topic = row.positions.topic();
      double before = storedBytes(broker);
      row.loadSeconds = loadSeconds(broker, topic);
      // The first write after a load is a snapshot, and everything before it is trimmed.
      row.snapshotSeconds = row.setup.subscribeSeconds(topic, row.setup.someName());
      row.snapshotBytes = storedBytes(broker) - before;
      session.say(
          "%s: loaded in %.2f s, snapshot of %,.0f bytes written in %.2f s",
          row.positions.label(), row.loadSeconds, row.snapshotBytes, row.snapshotSeconds);
    }
  }

  /** The broker loads a topic, with everything that is stored of it, when asked for statistics. */
  private static double loadSeconds(Broker broker, String topic)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    broker.backlog(topic(topic), SUBSCRIPTION);
    return secondsSince(startNanos);
  }

  /** The size of all positions logs, as soon as it does not change any more. */
  private static double storedBytes(Broker broker) throws IOException, InterruptedException {
    double last = Double.NaN;
    long sinceNanos = System.nanoTime();
    while (true) {
      double bytes = broker.metrics().sum(STORED_SIZE, POSITIONS_LEDGERS);
      if (Double.isNaN(bytes)) {
        throw new IOException(
            "The broker shows no " + STORED_SIZE + " of ledgers in " + POSITIONS_LEDGERS);
      }
      if (bytes != last) {
        last = bytes;
        sinceNanos = System.nanoTime();
      } else if (System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(STABLE_MILLIS)) {
        return bytes;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private void report(Session session) throws IOException {
    ResultTable encoding =
        new ResultTable(
            "encoding alone",
            "change, bytes",
            "encoded, ms",
            "snapshot, bytes",
            "snapshot encoded, ms",
            "recovered, ms");
    ResultTable through =
        new ResultTable(
            "through the broker",
            "subscribe all, s",
            "moved, s",
            "change, bytes",
            "change written, s",
            "snapshot, bytes",
            "snapshot written, s",
            "recovered, s");
    for (Row row : rows) {
      String label = row.positions.label();
      String[] cells = row.encoding;
      encoding.row(
          label,
          Long.parseLong(cells[4]),
          Double.parseDouble(cells[6]),
          Long.parseLong(cells[1]),
          Double.parseDouble(cells[3]),
          Double.parseDouble(cells[7]));
      through.row(
          label,
          row.registerSeconds,
          row.moveSeconds,
          (long) row.deltaBytes,
          row.deltaSeconds,
          (long) row.snapshotBytes,
          row.snapshotSeconds,
          row.loadSeconds);
      session.figure("deltaBytes " + label, row.deltaBytes);
      session.figure("snapshotBytes " + label, row.snapshotBytes);
      session.figure("loadSeconds " + label, row.loadSeconds);
    }
    session.print("");
    session.print("%,d positions; %,d holes each through the broker", consumers, holes);
    session.print("");
    session.show("encoding-alone", encoding);
    session.show("through-the-broker", through);
    session.print(
        "for comparison, one position: topic loaded in %.2f s, its consumer subscribed in %.2f s",
        baselineLoadSeconds, baselineSubscribeSeconds);
    session.figure("baselineLoadSeconds", baselineLoadSeconds);
    checks(session);
  }

  private long changeBytes(PositionsCase positions) {
    return Long.parseLong(rows.get(positions.ordinal()).encoding[4]);
  }

  private void checks(Session session) {
    long atOne = changeBytes(PositionsCase.ONE_PLACE);
    long atMany = changeBytes(PositionsCase.HUNDRED_PLACES);
    session.check(
        "a change of everybody at one place takes less than 1 kB",
        atOne < 1_000,
        "%,d bytes",
        atOne);
    session.check(
        "a change of everybody at 100 places takes no more than 4 bytes a consumer",
        atMany <= 4L * consumers + 10_000,
        "%,d bytes",
        atMany);
  }
}
