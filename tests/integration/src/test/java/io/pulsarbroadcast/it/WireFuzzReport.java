/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.broker.MetricsPage;
import io.pulsarbroadcast.benchmark.engine.Histograms;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.scenario.ConsumerLog;
import io.pulsarbroadcast.benchmark.scenario.MemorySampler;
import io.pulsarbroadcast.benchmark.server.Jcmd;
import io.pulsarbroadcast.benchmark.server.MemoryReading;
import io.pulsarbroadcast.it.BrokerExtension.Broker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.pulsar.common.api.proto.BaseCommand;

/**
 * What a run of {@link WireFuzzProcessIT} came to: tables in its output and as CSV, and what of it
 * has to hold. One thread may call it.
 */
final class WireFuzzReport {
  private static final double MAX_P99_RATIO =
      Double.parseDouble(System.getProperty("wire.p99.ratio", "1.10"));

  private static final int MORE_THREADS = 16;

  /** How a thread of Java begins in a dump. */
  private static final Pattern THREAD = Pattern.compile("^\"(.*)\" #\\d+ ", Pattern.MULTILINE);

  /** What Pulsar itself logs of frames that no client sends; with its NAR or without. */
  private static final List<Pattern> EXPECTED =
      Stream.of(
              // The connection is closed.
              "^io.netty.channel.StacklessClosedChannelException",
              "^io.netty.channel.unix.Errors.NativeIoException: (send|writev).*Broken pipe",
              "^io.netty.channel.unix.Errors.NativeIoException: .*Connection reset",
              // Damaged frames, and fields that are missing.
              "^io.netty.handler.codec.(TooLongFrame|CorruptedFrame|Decoder)Exception",
              "at org.apache.pulsar.common.api.proto\\.",
              "at org.apache.pulsar.common.protocol.PulsarDecoder.channelRead$",
              "at org.apache.pulsar.common.naming\\.",
              // A property that comes twice.
              "Duplicate key at org.apache.pulsar.common.protocol.CommandUtils.toMap$",
              // Commands before the handshake, and of consumers that there are not.
              "^java.lang.IllegalArgumentException at org.apache.pulsar.broker.service.ServerCnx.handle",
              "at org.apache.pulsar.broker.service.ServerCnx.handleConsumerStats$",
              "Closed consumer before creation was complete",
              "^ERROR .*ServerCnx - A failed consumer with id is already present",
              "^ERROR .*ServerCnx - Failed to get consumer-stats response",
              "Permits must be positive, not .* at .*BroadcastConsumer.flowPermits$",
              // A topic that is loaded for nobody.
              "ServiceUnitNotReadyException: .* at org.apache.pulsar.broker.service.BrokerService\\.",
              // A subscription that is durable, or plain, already.
              "NotAllowedException: Durable subscription with the same name .* at org.apache.pulsar",
              "^ERROR .*PersistentTopic - .* Failed to create subscription: ",
              // A plain one, whose consumer the broker has not.
              "^ERROR .*PersistentDispatcherMultipleConsumers - .* Trying to remove a non-conn",
              // Transactions that there are not.
              "^ERROR .*ServerCnx - Send response error for ",
              "^org.apache.pulsar.transaction.coordinator.exceptions.CoordinatorException",
              // A bookie that starts for the first time.
              "^ERROR .*Journal - Problems reading from ")
          .map(Pattern::compile)
          .toList();

  private final Broker broker;
  private final io.pulsarbroadcast.benchmark.server.Broker measured;
  private final List<Bystanders> bystanders;
  private final Path folder;
  private final WireTally tally = new WireTally();
  private final List<Phase> phases = new ArrayList<>();
  private final List<Check> checks = new ArrayList<>();
  private Counters atPhaseStart;
  private Counters atStart;
  private Memory memoryAtStart;

  /** Of the broker, since it was started. */
  private record Counters(double refusedAcks, double refusedSubscribes, Duration cpu) {}

  /** {@code threads}: how many there are of each name, without its numbers. */
  private record Memory(MemoryReading reading, Map<String, Long> threads, double positionsWaiting) {

    long threadCount() {
      return threads.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** {@code latencies}: of each group. */
  private record Phase(boolean fuzzed, List<Histogram> latencies) {}

  private final ResultTable phaseTable;

  WireFuzzReport(Broker broker, List<Bystanders> bystanders, Path folder) {
    this.broker = broker;
    this.measured = io.pulsarbroadcast.benchmark.server.Broker.of(broker.process());
    this.bystanders = bystanders;
    this.folder = folder;
    List<String> columns =
        new ArrayList<>(
            List.of(
                "phase",
                "fuzzed",
                "seeds",
                "frames sent",
                "frames read",
                "connections",
                "slowest ping ms",
                "refused acks",
                "refused subscribes",
                "broker cpu s"));
    for (Bystanders group : bystanders) {
      for (String figure : List.of("deliveries", "P50 ms", "P99 ms", "P99.9 ms", "max ms")) {
        columns.add(group.name + " " + figure);
      }
    }
    phaseTable = new ResultTable(columns);
  }

  // --- During the run --------------------------------------------------------------------------

  /** Both JVMs are warm: what is from now on counts. */
  void started() throws IOException, InterruptedException {
    memoryAtStart = memory();
    atStart = counters();
  }

  void phaseStarted() throws IOException, InterruptedException {
    atPhaseStart = counters();
  }

  /** {@code latencies}: of each group; a number below 0 does not count. */
  void phaseEnded(int number, boolean fuzzed, WireTally sent, List<Histogram> latencies)
      throws IOException, InterruptedException {
    Counters now = counters();
    List<Object> row =
        new ArrayList<>(
            List.of(
                number,
                fuzzed ? "yes" : "no",
                sent.seeds.sum(),
                sent.frames.sum(),
                sent.taken.sum(),
                sent.connections.sum(),
                sent.slowestPingMillis.get(),
                (long) (now.refusedAcks - atPhaseStart.refusedAcks),
                (long) (now.refusedSubscribes - atPhaseStart.refusedSubscribes),
                now.cpu.minus(atPhaseStart.cpu).toMillis() / 1e3));
    for (Histogram micros : latencies) {
      row.addAll(
          List.of(
              micros.getTotalCount(),
              Histograms.millis(micros, 50),
              Histograms.millis(micros, 99),
              Histograms.millis(micros, 99.9),
              micros.getMaxValue() / 1e3));
    }
    phaseTable.add(row);
    // At once, so that a run that ends early leaves what it had.
    Files.writeString(folder.resolve("phases.csv"), phaseTable.csv());
    if (number >= 0) {
      tally.add(sent);
      phases.add(new Phase(fuzzed, latencies));
    }
  }

  private Counters counters() throws IOException, InterruptedException {
    MetricsPage page = measured.metrics();
    return new Counters(
        page.sum("pulsar_broadcast_refused_acks_total"),
        page.sum("pulsar_broadcast_refused_subscribes_total"),
        measured.process().flatMap(process -> process.info().totalCpuDuration()).orElseThrow());
  }

  private Memory memory() throws IOException, InterruptedException {
    return new Memory(
        MemoryReading.of(measured),
        threads(),
        measured.metrics().sum("pulsar_broadcast_positions_waiting"));
  }

  private Map<String, Long> threads() throws IOException {
    String dump = new Jcmd(measured.process().orElseThrow()).run("Thread.print");
    return THREAD
        .matcher(dump)
        .results()
        .map(thread -> thread.group(1).replaceAll("\\d+", "N"))
        .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
  }

  // --- Afterwards ------------------------------------------------------------------------------

  /** All connections that were fuzzed are closed, and everything has arrived. */
  void ended() throws IOException, InterruptedException {
    Counters counters = counters();
    Memory memory = memory();
    showSent(counters);
    showLatency();
    showDelivery();
    showMemory(memory);
    showLog();
  }

  private void showSent(Counters now) throws IOException {
    ResultTable table = new ResultTable("what", "count");
    table.row("seeds", tally.seeds.sum());
    table.row("frames sent", tally.frames.sum());
    table.row("frames that the broker read", tally.taken.sum());
    table.row("connections", tally.connections.sum());
    table.row("slowest answer to a ping, ms", tally.slowestPingMillis.get());
    table.row("refused acknowledgements", (long) (now.refusedAcks - atStart.refusedAcks));
    table.row("refused subscribes", (long) (now.refusedSubscribes - atStart.refusedSubscribes));
    for (Map.Entry<BaseCommand.Type, Long> answer : tally.answers().entrySet()) {
      table.row("answered " + answer.getKey(), answer.getValue());
    }
    show("sent", table);
    checks.add(
        Check.counted(
            "the broker read more than a tenth of the frames",
            tally.taken.sum() > tally.frames.sum() / 10,
            "%,d of %,d",
            tally.taken.sum(),
            tally.frames.sum()));
    checks.add(
        Check.counted(
            "refused acknowledgements are counted",
            now.refusedAcks > atStart.refusedAcks,
            "%,.0f",
            now.refusedAcks - atStart.refusedAcks));
  }

  private void showLatency() throws IOException {
    ResultTable table =
        new ResultTable("who", "fuzzed", "deliveries", "P50, ms", "P99, ms", "P99.9, ms");
    for (int i = 0; i < bystanders.size(); i++) {
      String name = bystanders.get(i).name;
      Histogram without = latencies(i, false);
      Histogram with = latencies(i, true);
      row(table, name, "no", without);
      row(table, name, "yes", with);
      table.row(
          name,
          "ratio",
          null,
          ratio(with, without, 50),
          ratio(with, without, 99),
          ratio(with, without, 99.9));
      checks.add(
          Check.timed(
              "I8: " + name + ": the P99 is at most " + MAX_P99_RATIO + " of that without",
              ratio(with, without, 99) <= MAX_P99_RATIO,
              "ratio %.3f",
              ratio(with, without, 99)));
    }
    show("latency", table);
  }

  private Histogram latencies(int group, boolean fuzzed) {
    return Histograms.sum(
        phases.stream()
            .filter(phase -> phase.fuzzed == fuzzed)
            .map(phase -> phase.latencies.get(group)));
  }

  private static double ratio(Histogram with, Histogram without, double percentile) {
    return Histograms.millis(with, percentile) / Histograms.millis(without, percentile);
  }

  private static void row(ResultTable table, String who, String fuzzed, Histogram micros) {
    table.row(
        who,
        fuzzed,
        micros.getTotalCount(),
        Histograms.millis(micros, 50),
        Histograms.millis(micros, 99),
        Histograms.millis(micros, 99.9));
  }

  private void showDelivery() throws IOException {
    ResultTable table =
        new ResultTable("who", "consumers", "messages", "missing", "duplicates", "out of order");
    ResultTable each = ConsumerLog.table();
    for (Bystanders group : bystanders) {
      group.addTo(table);
      group.addEachTo(each);
      checks.addAll(group.checks());
    }
    show("delivery", table);
    Files.writeString(folder.resolve("consumers.csv"), each.csv());
  }

  private void showMemory(Memory atEnd) throws IOException {
    ResultTable table =
        new ResultTable(
            "when",
            "heap after a collection, MB",
            "direct memory, MB",
            "resident, MB",
            "threads",
            "positions waiting");
    row(table, "start", memoryAtStart);
    row(table, "end", atEnd);
    show("memory", table);
    checks.add(flat("heap", memoryAtStart.reading.heapMegabytes(), atEnd.reading.heapMegabytes()));
    checks.add(
        flat(
            "direct memory",
            memoryAtStart.reading.directMegabytes(),
            atEnd.reading.directMegabytes()));
    checks.add(
        Check.counted(
            "at most " + MORE_THREADS + " threads more than at the start",
            atEnd.threadCount() <= memoryAtStart.threadCount() + MORE_THREADS,
            "%d, then %d",
            memoryAtStart.threadCount(),
            atEnd.threadCount()));
    showThreads(atEnd.threads);
  }

  /** By name, so that a growing pool is seen. */
  private void showThreads(Map<String, Long> atEnd) throws IOException {
    ResultTable table = new ResultTable("threads whose number has changed", "start", "end");
    Set<String> names = new TreeSet<>(memoryAtStart.threads.keySet());
    names.addAll(atEnd.keySet());
    for (String name : names) {
      long before = memoryAtStart.threads.getOrDefault(name, 0L);
      long after = atEnd.getOrDefault(name, 0L);
      if (before != after) {
        table.row(name, before, after);
      }
    }
    show("threads", table);
  }

  private static void row(ResultTable table, String when, Memory memory) {
    table.row(
        when,
        memory.reading.heapMegabytes(),
        memory.reading.directMegabytes(),
        memory.reading.residentMegabytes(),
        memory.threadCount(),
        memory.positionsWaiting);
  }

  private static Check flat(String what, double start, double end) {
    return Check.counted(
        "I8: " + what + " is flat",
        MemorySampler.isFlat(start, end),
        "%.1f MB, then %.1f MB",
        start,
        end);
  }

  private void showLog() throws IOException, InterruptedException {
    // Netty tells of a leak when the buffer has been collected and the next one is made.
    measured.collectGarbage();
    measured.metrics();
    int leaks = broker.logLines("LEAK:").size();
    LoggedExceptions exceptions = LoggedExceptions.of(broker.process().logFile());
    ResultTable table = new ResultTable("in the broker's log", "times");
    table.row("LEAK:", leaks);
    exceptions.counts().forEach(table::row);
    show("log", table);
    List<String> others = exceptions.otherThan(EXPECTED);
    checks.add(Check.counted("no buffer is leaked", leaks == 0, "%d lines", leaks));
    checks.add(Check.counted("no exception but the expected ones", others.isEmpty(), "%s", others));
  }

  /** Prints a table, and writes it down. */
  void show(String name, ResultTable table) throws IOException {
    print(table.text());
    Files.writeString(folder.resolve(name + ".csv"), table.csv());
  }

  private void print(String text) throws IOException {
    System.out.printf("%n%s", text);
    Files.writeString(
        folder.resolve("report.txt"),
        text + System.lineSeparator(),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** What does not hold; {@code timed}: of times, too. */
  List<String> broken(boolean timed) throws IOException {
    print(checks.stream().map(Check::line).collect(Collectors.joining(System.lineSeparator())));
    return checks.stream()
        .filter(check -> !check.holds() && (timed || !check.timed()))
        .map(Check::line)
        .toList();
  }
}
