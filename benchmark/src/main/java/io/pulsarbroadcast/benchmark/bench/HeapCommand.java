/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.Program;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.BrokerLoadServer;
import io.pulsarbroadcast.benchmark.server.ClassHistogram;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** What a connected consumer costs the broker's heap. The main thread calls it. */
@Command(
    name = "heap",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Live heap of the broker without consumers, with all of them connected, and after they"
            + " received and acknowledged all messages; per consumer, and by class.")
final class HeapCommand extends BenchSubcommand {
  private static final int PRIMING_CONSUMERS = 100;
  private static final int TOP_CLASSES = 60;
  private static final Duration PUBLISH_LIMIT = Duration.ofMinutes(10);

  private final ResultTable table =
      new ResultTable(
          List.of(
              "broker",
              "consumers",
              "live heap, MB",
              "heap per consumer, bytes",
              "objects per consumer",
              "direct memory, MB",
              "direct per consumer, bytes",
              "resident, MB"));

  HeapCommand() {
    super("heap", defaults());
  }

  private static LoadOptions defaults() {
    LoadOptions load = new LoadOptions();
    load.messages = 10;
    load.warmup = 0;
    return load;
  }

  @Override
  int measure(BenchSession session) throws Exception {
    try (BrokerLoadServer broker = session.startBroker("Broadcast")) {
      prime(session, broker);
      MemoryReading empty = MemoryReading.of(broker);
      add("without consumers", 0, empty, empty);
      session.results().write("heap-0-without-consumers.txt", top(empty.heap()));
      String topic = session.newTopic();
      FleetSnapshot snapshot;
      MemoryReading connected;
      MemoryReading used;
      try (ConnectedFleet fleet =
          ConnectedFleet.connect(
              broker,
              load().broadcast(broker.serviceUrl(), topic).build(),
              load().plan(),
              session.progress())) {
        connected = MemoryReading.of(broker);
        add("all connected", load().consumers, connected, empty);
        fleet.publish("publish and receive", load().rate, 0, load().messages, PUBLISH_LIMIT);
        used = MemoryReading.of(broker);
        add("all messages acknowledged", load().consumers, used, empty);
        snapshot = fleet.fleet().snapshot();
      }
      session.results().write("heap-1-connected.txt", top(connected.heap()));
      session.results().write("heap-2-acknowledged.txt", top(used.heap()));
      report(session, empty, connected, snapshot);
      long expected = (long) load().messages * load().consumers;
      return snapshot.received() == expected ? Program.EXIT_COMPLETE : Program.EXIT_MISSING;
    }
  }

  /** Lets the broker load its classes and fill its pools, so that they do not count as ours. */
  private void prime(BenchSession session, BrokerLoadServer broker) throws Exception {
    String topic = session.newTopic();
    try (ConnectedFleet fleet =
        ConnectedFleet.connect(
            broker,
            load()
                .broadcast(broker.serviceUrl(), topic)
                .consumers(Math.min(PRIMING_CONSUMERS, load().consumers))
                .build(),
            load().plan(),
            session.progress())) {
      fleet.publish("prime the broker", load().rate * 10, 0, load().messages, PUBLISH_LIMIT);
    }
    session.forget(broker, topic);
  }

  private void add(String state, int consumers, MemoryReading reading, MemoryReading empty) {
    double perConsumer = consumers == 0 ? Double.NaN : 1.0 / consumers;
    table.add(
        List.of(
            state,
            consumers,
            reading.heapMegabytes(),
            (reading.heap().totalBytes() - empty.heap().totalBytes()) * perConsumer,
            (reading.heap().totalInstances() - empty.heap().totalInstances()) * perConsumer,
            reading.directMegabytes(),
            reading.directBytes().isPresent() && empty.directBytes().isPresent()
                ? (reading.directBytes().getAsLong() - empty.directBytes().getAsLong())
                    * perConsumer
                : Double.NaN,
            reading.residentMegabytes()));
  }

  private static String top(ClassHistogram histogram) {
    return histogram.rows().stream()
        .limit(TOP_CLASSES)
        .map(
            row ->
                String.format(
                    Locale.ROOT, "%,14d %,14d  %s", row.bytes(), row.instances(), row.className()))
        .collect(
            Collectors.joining(
                System.lineSeparator(),
                String.format("%14s %14s  %s%n", "bytes", "objects", "class"),
                System.lineSeparator()));
  }

  private void report(
      BenchSession session, MemoryReading empty, MemoryReading connected, FleetSnapshot snapshot)
      throws Exception {
    String newLine = System.lineSeparator();
    String text =
        load().line()
            + newLine
            + newLine
            + table.text()
            + newLine
            + "What connecting added, by class:"
            + newLine
            + connected.heap().growthSince(empty.heap(), load().consumers, TOP_CLASSES / 2);
    session.out().println();
    session.out().print(session.results().write(text, table, snapshot.brokerVersion(), List.of()));
    session.out().println("Results: " + session.results().folder());
  }
}
