/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import io.pulsarbroadcast.benchmark.server.ClassHistogram;
import io.pulsarbroadcast.benchmark.server.MemoryReading;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What a connected consumer costs the broker's heap. The main thread calls it. */
@Command(
    name = "heap",
    header = "Memory of the broker for each connected consumer.",
    description =
        "Live heap of the broker without consumers, with all of them connected, and after they"
            + " received and acknowledged all messages; per consumer, and by class.")
public final class HeapCommand extends BenchSubcommand {
  private static final int PRIMING_CONSUMERS = 100;
  private static final int TOP_CLASSES = 60;
  private static final Duration CONNECT_LIMIT = Duration.ofMinutes(10);
  private static final Duration PUBLISH_LIMIT = Duration.ofMinutes(10);

  @Mixin private RunLoadOptions load = new RunLoadOptions(100_000, 1, 10_240, 10, 0);

  private final ResultTable table =
      new ResultTable(
          "broker",
          "consumers",
          "live heap, MB",
          "heap per consumer, bytes",
          "objects per consumer",
          "direct memory, MB",
          "direct per consumer, bytes",
          "resident, MB");

  @Override
  protected void check() {
    load.check();
  }

  @Override
  protected int measure(Session session) throws Exception {
    try (Broker broker = session.startBroker(Map.of())) {
      prime(session, broker);
      MemoryReading empty = MemoryReading.of(broker);
      add("without consumers", 0, empty, empty);
      MemoryReading connected;
      FleetSnapshot snapshot;
      LoadConfig config = load.broadcast(broker.serviceUrl(), session.newTopic()).build();
      try (Load all = new Load("Broadcast", config, load.sizeBytes, session.progress())) {
        all.connect(CONNECT_LIMIT);
        connected = MemoryReading.of(broker);
        add("all connected", load.consumers, connected, empty);
        all.publish("publish and receive", load.rate, 0, load.messages, PUBLISH_LIMIT);
        MemoryReading used = MemoryReading.of(broker);
        add("all messages acknowledged", load.consumers, used, empty);
        snapshot = all.fleet().snapshot();
        keep(session, "heap-2-acknowledged", used);
      }
      keep(session, "heap-0-without-consumers", empty);
      keep(session, "heap-1-connected", connected);
      session.brokerVersion(snapshot.brokerVersion());
      session.print("%s", load.line());
      session.print("");
      session.show("result", table);
      session.print("What connecting added, by class:");
      session.show("heap-growth", growth(empty.heap(), connected.heap()));
      return session.finish(snapshot.received() == (long) load.messages * load.consumers, true);
    }
  }

  /** Lets the broker load its classes and fill its pools, so that they do not count as ours. */
  private void prime(Session session, Broker broker) throws Exception {
    String topic = session.newTopic();
    LoadConfig config =
        load.broadcast(broker.serviceUrl(), topic)
            .consumers(Math.min(PRIMING_CONSUMERS, load.consumers))
            .build();
    try (Load few = new Load("a few", config, load.sizeBytes, session.progress())) {
      few.connect(CONNECT_LIMIT);
      few.publish("prime the broker", load.rate * 10, 0, load.messages, PUBLISH_LIMIT);
    }
    session.forget(broker, topic);
  }

  private void add(String state, int consumers, MemoryReading reading, MemoryReading empty) {
    double perConsumer = consumers == 0 ? Double.NaN : 1.0 / consumers;
    table.row(
        state,
        consumers,
        reading.heapMegabytes(),
        (reading.heap().totalBytes() - empty.heap().totalBytes()) * perConsumer,
        (reading.heap().totalInstances() - empty.heap().totalInstances()) * perConsumer,
        reading.directMegabytes(),
        (reading.directMegabytes() - empty.directMegabytes()) * (1 << 20) * perConsumer,
        reading.residentMegabytes());
  }

  private ResultTable growth(ClassHistogram before, ClassHistogram after) {
    ResultTable growth =
        new ResultTable("class", "bytes more", "objects more", "bytes per consumer");
    after.growthSince(before).stream()
        .limit(TOP_CLASSES / 2)
        .forEach(
            row ->
                growth.row(
                    row.className(),
                    row.bytes(),
                    row.instances(),
                    (double) row.bytes() / load.consumers));
    return growth;
  }

  private static void keep(Session session, String name, MemoryReading reading) throws IOException {
    ResultTable classes = new ResultTable("class", "bytes", "objects");
    reading.heap().rows().stream()
        .limit(TOP_CLASSES)
        .forEach(row -> classes.row(row.className(), row.bytes(), row.instances()));
    session.write(name, classes);
  }
}
