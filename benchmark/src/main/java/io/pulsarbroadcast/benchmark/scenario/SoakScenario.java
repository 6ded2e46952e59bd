/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.LoadConfigBuilder;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.scenario.LatencyPhases.Phase;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Consumers that never read or never acknowledge, and what the others notice of them. */
@Command(
    name = "soak",
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Good consumers alone, then with bad ones that never read their socket or never"
            + " acknowledge, then alone again; then the bad ones wake and catch up. Compares what"
            + " the good ones notice, and watches the broker's memory.",
    footer = {"", AbstractScenario.EXIT_CODES})
final class SoakScenario extends AbstractScenario {
  static final String WITH = "with the bad ones";
  private static final String TOPIC = "soak";
  private static final Duration CATCH_UP_TIMEOUT = Duration.ofMinutes(10);
  private static final int SECONDS_PER_MINUTE = 60;
  private static final double FLAT_SHARE = 0.10;
  private static final double FLAT_MEGABYTES = 32;
  private static final long POLL_MILLIS = 100;

  @Mixin FleetOptions load = new FleetOptions();

  @Option(
      names = "--minutes",
      paramLabel = "MINUTES",
      description =
          "How long the bad ones are there; half of it before and after, without them (default:"
              + " ${DEFAULT-VALUE}).")
  @Range(from = 0.05, to = 10_000)
  double minutes = 10;

  @Option(
      names = "--never-read",
      paramLabel = "N",
      description = "Consumers that never read their socket (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  int neverRead = 10;

  @Option(
      names = "--never-acknowledge",
      paramLabel = "N",
      description = "Consumers that never acknowledge (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  int neverAcknowledge = 10;

  @Option(
      names = "--warmup-seconds",
      paramLabel = "SECONDS",
      description = "Load before the first measured message (default: ${DEFAULT-VALUE}).")
  @Range(from = 0, to = 3_600)
  int warmupSeconds = 30;

  @Option(
      names = "--sample-seconds",
      paramLabel = "SECONDS",
      description = "How often the broker's memory is read (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 3_600)
  int sampleSeconds = 15;

  @Option(
      names = "--max-p99-ratio",
      paramLabel = "RATIO",
      description =
          "What the P99 with the bad ones may be of that without (default: ${DEFAULT-VALUE}).")
  @Range(from = 1, to = 1_000)
  double maxP99Ratio = 1.10;

  private double readersSeconds;
  private double allSeconds;
  private long backlogWith;
  private long laggardsWith;

  SoakScenario(PrintStream out, PrintStream err) {
    super(out, err);
  }

  @Override
  Map<String, String> brokerSettings() {
    return Map.of();
  }

  @Override
  void run(ScenarioBroker broker, ResultsFolder results)
      throws IOException, InterruptedException, FleetException {
    double seconds =
        warmupSeconds + 2 * minutes * SECONDS_PER_MINUTE + 2 * CATCH_UP_TIMEOUT.toSeconds();
    int messages = (int) (load.rate * seconds) + 1;
    PhasedLog log = new PhasedLog(load.consumers);
    LoadConfigBuilder config = BroadcastLoad.config(broker, TOPIC, load, log, messages);
    LoadConfig good = config.build();
    try (BroadcastLoad running = new BroadcastLoad(config.run(good.run()), load.sizeBytes);
        MemorySampler memory =
            new MemorySampler(broker, results.file("memory.csv"), sampleSeconds);
        BadConsumers bad = new BadConsumers(good, neverRead, neverAcknowledge)) {
      memory.phase("warm-up");
      running.subscribe();
      say("%,d good consumers subscribed", load.consumers);
      running.publish(0, load.rate);
      TimeUnit.SECONDS.sleep(warmupSeconds);
      Phase before = phase("before the bad ones", running, log, memory, minutes / 2);

      bad.start();
      say("%d consumers that do not read, %d that do not acknowledge", neverRead, neverAcknowledge);
      // They have subscribed: what is published from now on is theirs.
      int joined = running.publisher().nextSequence();
      Phase with = phase(WITH, running, log, memory, minutes);
      backlogWith = broker.backlog(TOPIC);
      laggardsWith = (long) broker.metrics().sum("pulsar_broadcast_laggards");
      memory.phase("waking");
      wake(broker, running, bad);
      Phase after = phase("after the bad ones", running, log, memory, minutes / 2);

      memory.phase("end");
      PublishResult published = running.stopPublishing(CATCH_UP_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      int last = published.acknowledged().length() - 1;
      BroadcastLoad.awaitReached(bad.neverReading(), last, CATCH_UP_TIMEOUT);
      BroadcastLoad.awaitReached(bad.neverAcknowledging(), last, CATCH_UP_TIMEOUT);
      bad.settle();
      long backlogAtEnd = awaitBacklog(broker, 0, Duration.ofSeconds(30));
      memory.check();
      FleetSnapshot fleet = running.fleet().snapshot();
      brokerVersion(fleet.brokerVersion());
      reportLatency(results, fleet, published.sent(), before, with, after);
      reportDelivery(results, fleet, log, bad, published.acknowledged(), joined, backlogAtEnd);
      reportMemory(results, memory);
    }
  }

  private Phase phase(
      String name, BroadcastLoad running, PhasedLog log, MemorySampler memory, double length)
      throws InterruptedException, IOException {
    say("%s: %.1f minutes", name, length);
    memory.check();
    memory.phase(name);
    Phase phase = log.phases().begin(name, running.publisher().nextSequence() + 1);
    TimeUnit.MILLISECONDS.sleep((long) (length * TimeUnit.MINUTES.toMillis(1)));
    log.phases().end(running.publisher().nextSequence() + 1);
    return phase;
  }

  /** Notes how long the bad ones take to have and to acknowledge everything. */
  private void wake(ScenarioBroker broker, BroadcastLoad running, BadConsumers bad)
      throws IOException, InterruptedException {
    int next = running.publisher().nextSequence();
    long startNanos = System.nanoTime();
    bad.wake();
    BroadcastLoad.awaitReached(bad.neverReading(), next - 1, CATCH_UP_TIMEOUT);
    readersSeconds = (System.nanoTime() - startNanos) / 1e9;
    long atTheTail = (long) Math.ceil(2 * load.rate);
    if (awaitBacklog(broker, atTheTail, CATCH_UP_TIMEOUT) <= atTheTail) {
      allSeconds = (System.nanoTime() - startNanos) / 1e9;
    }
    say(
        "awake: read everything after %.1f s, acknowledged after %.1f s",
        readersSeconds, allSeconds);
  }

  /** Returns the backlog as soon as it is no more than this, or when the time is over. */
  private static long awaitBacklog(ScenarioBroker broker, long atMost, Duration timeout)
      throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    while (true) {
      long backlog = broker.backlog(TOPIC);
      if (backlog <= atMost || System.nanoTime() - startNanos > timeout.toNanos()) {
        return backlog;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private void reportLatency(
      ResultsFolder results,
      FleetSnapshot fleet,
      int published,
      Phase before,
      Phase with,
      Phase after)
      throws IOException {
    print("");
    print(
        format(
            "%,d good consumers, %d that never read, %d that never acknowledge, %,d-byte messages"
                + " at %.0f per second, %.1f minutes with the bad ones",
            load.consumers, neverRead, neverAcknowledge, load.sizeBytes, load.rate, minutes));
    print("");
    TextTable table =
        new TextTable(
            "the good ones",
            "deliveries",
            "P50, ms",
            "P99, ms",
            "P99.9, ms",
            "last receiver P50, ms",
            "last receiver P99, ms");
    for (Phase phase : List.of(before, with, after)) {
      row(
          table,
          phase.name(),
          phase.micros(),
          phase.lastReceivers(fleet.lastReceiverMicros(), published));
    }
    Histogram without = LatencyPhases.sum(before, after);
    Histogram lastWithout = before.lastReceivers(fleet.lastReceiverMicros(), published);
    lastWithout.add(after.lastReceivers(fleet.lastReceiverMicros(), published));
    row(table, "before and after", without, lastWithout);
    print(table.toString());
    double p99Without = LatencyPhases.millis(without, 99);
    double p99With = LatencyPhases.millis(with.micros(), 99);
    double ratio = p99Without == 0 ? Double.NaN : p99With / p99Without;
    figures.put("p99MillisWithout", p99Without);
    figures.put("p99MillisWith", p99With);
    figures.put("p99Ratio", ratio);
    promise(
        Promise.measured(
            format(
                "I8: the good ones' P99 with the bad ones is at most %.2f of that without",
                maxP99Ratio),
            ratio <= maxP99Ratio,
            format("%.2f ms and %.2f ms, ratio %.3f", p99With, p99Without, ratio)));
    plotLatency(results, fleet.lastReceiverMicros(), published);
  }

  private static void row(TextTable table, String name, Histogram all, Histogram last) {
    table.row(
        name,
        all.getTotalCount(),
        LatencyPhases.millis(all, 50),
        LatencyPhases.millis(all, 99),
        LatencyPhases.millis(all, 99.9),
        LatencyPhases.millis(last, 50),
        LatencyPhases.millis(last, 99));
  }

  private void plotLatency(ResultsFolder results, List<Long> lastReceiverMicros, int published)
      throws IOException {
    List<Double> seconds = new ArrayList<>();
    List<Double> millis = new ArrayList<>();
    try (CsvFile csv =
        new CsvFile(results.file("latency.csv"), "second", "lastReceiverMaxMillis")) {
      int perSecond = Math.max(1, (int) Math.round(load.rate));
      for (int from = 0; from < published; from += perSecond) {
        long most = 0;
        for (int i = from; i < Math.min(published, from + perSecond); i++) {
          most = Math.max(most, lastReceiverMicros.get(i));
        }
        seconds.add(from / load.rate);
        millis.add(most / 1e3);
        csv.row(format("%.1f", from / load.rate), format("%.3f", most / 1e3));
      }
    }
    TimePlot plot = new TimePlot("Last of the good receivers, worst per second", "s", "ms");
    plot.line("last receiver", seconds, millis);
    plot.write(results.file("latency.svg"), err);
  }

  private void reportDelivery(
      ResultsFolder results,
      FleetSnapshot fleet,
      ConsumerLog log,
      BadConsumers bad,
      BitSet acknowledged,
      int joined,
      long backlogAtEnd)
      throws IOException {
    BitSet sinceJoined = (BitSet) acknowledged.clone();
    sinceJoined.clear(0, joined);
    TextTable table =
        new TextTable("delivery", "consumers", "messages", "missing", "duplicates", "out of order");
    try (CsvFile csv = ConsumerLog.csv(results.file("consumers.csv"))) {
      delivery(table, csv, "good", log, acknowledged);
      delivery(table, csv, "never read", bad.neverReading(), sinceJoined);
      delivery(table, csv, "never acknowledged", bad.neverAcknowledging(), sinceJoined);
    }
    print(table.toString());
    print(format("backlog of the subscription when they woke:       %,d messages", backlogWith));
    print(format("awake, until they had read everything:            %.1f s", readersSeconds));
    print(format("awake, until everything was acknowledged:         %.1f s", allSeconds));
    print(format("backlog of the subscription at the end:           %,d messages", backlogAtEnd));
    print("");
    figures.put("backlogWhenWoken", backlogWith);
    figures.put("laggardsWhenWoken", laggardsWith);
    figures.put("catchUpSecondsRead", readersSeconds);
    figures.put("catchUpSecondsAcknowledged", allSeconds);
    figures.put("backlogAtEnd", backlogAtEnd);
    promises(log.promises("every good consumer", acknowledged));
    promises(bad.neverReading().promises("every consumer that woke to read", sinceJoined));
    promises(
        bad.neverAcknowledging().promises("every consumer that woke to acknowledge", sinceJoined));
    long duplicates =
        log.duplicates() + bad.neverReading().duplicates() + bad.neverAcknowledging().duplicates();
    promise(Promise.counted("nothing came twice", duplicates == 0, format("%,d did", duplicates)));
    promise(
        Promise.counted(
            "the good ones kept their connections",
            fleet.connectionsLost() == 0,
            fleet.connectionsLost() + " lost"));
    promise(
        Promise.counted(
            "the bad ones were bad all the time: none of their connections was closed",
            bad.connectionsLost() == 0,
            bad.connectionsLost() + " lost"));
    promise(
        Promise.counted(
            "the bound of I8 was reached: more was kept from those that never read than waits in"
                + " memory for a socket, and they were behind the tail",
            laggardsWith >= neverRead,
            format("%,d behind", laggardsWith)));
    promise(
        Promise.counted(
            "the backlog was kept for the bad ones until they woke (I3), and is gone at the end",
            backlogWith >= minutes * SECONDS_PER_MINUTE * load.rate / 2 && backlogAtEnd == 0,
            format("%,d, then %,d messages", backlogWith, backlogAtEnd)));
  }

  private static void delivery(
      TextTable table, CsvFile csv, String group, ConsumerLog log, BitSet expected)
      throws IOException {
    log.write(csv, group, expected);
    table.row(
        group,
        log.consumers(),
        expected.cardinality(),
        log.missing(expected),
        log.duplicates(),
        log.outOfOrder());
  }

  private void promises(Promise... list) {
    for (Promise promise : list) {
      promise(promise);
    }
  }

  private void reportMemory(ResultsFolder results, MemorySampler memory) throws IOException {
    List<MemorySampler.Sample> samples = memory.samples();
    List<Double> seconds = samples.stream().map(MemorySampler.Sample::seconds).toList();
    TimePlot plot = new TimePlot("Memory of the broker", "s", "MB");
    plot.line(
        "heap after a collection",
        seconds,
        samples.stream().map(MemorySampler.Sample::heapMegabytes).toList());
    plot.line(
        "direct memory",
        seconds,
        samples.stream().map(MemorySampler.Sample::directMegabytes).toList());
    plot.write(results.file("memory.svg"), err);
    promise(
        memory.flat(
            "heap after a collection",
            WITH,
            MemorySampler.Sample::heapMegabytes,
            FLAT_SHARE,
            FLAT_MEGABYTES));
    promise(
        memory.flat(
            "direct memory",
            WITH,
            MemorySampler.Sample::directMegabytes,
            FLAT_SHARE,
            FLAT_MEGABYTES));
  }
}
