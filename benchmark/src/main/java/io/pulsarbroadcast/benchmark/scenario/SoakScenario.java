/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.bench.LoadOptions;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.engine.Histograms;
import io.pulsarbroadcast.benchmark.engine.Load;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.LoadConfig;
import io.pulsarbroadcast.benchmark.load.PublishResult;
import io.pulsarbroadcast.benchmark.metrics.FleetSnapshot;
import io.pulsarbroadcast.benchmark.report.ResultTable;
import io.pulsarbroadcast.benchmark.server.Broker;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Consumers that never read or never acknowledge, and what the others notice of them. */
@Command(
    name = "soak",
    header = "Consumers that never read or never acknowledge, and what the others notice.",
    description =
        "Good consumers alone, then with bad ones that never read their socket or never"
            + " acknowledge, then alone again; then the bad ones wake and catch up. Compares what"
            + " the good ones notice, and watches the broker's memory.")
public final class SoakScenario extends AbstractScenario {
  /** The statistics that the backlog is read from cost the broker something. */
  private static final long BACKLOG_POLL_MILLIS = 100;

  private static final String WITH = "with the bad ones";
  private static final String TOPIC = "soak";
  private static final int SECONDS_PER_MINUTE = 60;

  @Mixin LoadOptions load = LoadOptions.ofScenario();

  @Option(
      names = "--minutes",
      paramLabel = "MINUTES",
      description = "How long the bad ones are there; half of it before and after, without them.")
  @Range(from = 0.05, to = 10_000)
  double minutes = 10;

  @Option(
      names = "--never-read",
      paramLabel = "N",
      description = "Consumers that never read their socket.")
  @Range(from = 1, to = 1_000)
  int neverRead = 10;

  @Option(
      names = "--never-acknowledge",
      paramLabel = "N",
      description = "Consumers that never acknowledge.")
  @Range(from = 1, to = 1_000)
  int neverAcknowledge = 10;

  @Option(
      names = "--warmup-seconds",
      paramLabel = "SECONDS",
      description = "Load before the first measured message.")
  @Range(from = 0, to = 3_600)
  int warmupSeconds = 30;

  @Option(
      names = "--sample-seconds",
      paramLabel = "SECONDS",
      description = "How often the broker's memory is read.")
  @Range(from = 1, to = 3_600)
  int sampleSeconds = 15;

  @Option(
      names = "--max-p99-ratio",
      paramLabel = "RATIO",
      description = "What the P99 with the bad ones may be of that without.")
  @Range(from = 1, to = 1_000)
  double maxP99Ratio = 1.10;

  private double readersSeconds;
  private double allSeconds;
  private long backlogWith;
  private long laggardsWith;

  @Override
  void run(Broker broker, Session session)
      throws IOException, InterruptedException, FleetException {
    double seconds =
        warmupSeconds + 2 * minutes * SECONDS_PER_MINUTE + 2 * CATCH_UP_TIMEOUT.toSeconds();
    int messages = (int) (load.rate * seconds) + 1;
    ConsumerLog log = new ConsumerLog(load.consumers, true);
    LoadConfig config = config(broker, TOPIC, load, log, messages);
    LoadConfig good = config.build();
    try (Load running = load(config.run(good.run), load.sizeBytes);
        MemorySampler memory =
            new MemorySampler(broker, session.folder().resolve("memory.csv"), sampleSeconds);
        BadConsumers bad = new BadConsumers(good, neverRead, neverAcknowledge)) {
      memory.phase("warm-up");
      running.connect(CONNECT_TIMEOUT);
      session.say("%,d good consumers subscribed", load.consumers);
      running.startPublishing(load.rate);
      TimeUnit.SECONDS.sleep(warmupSeconds);
      Phase before = phase(session, "before the bad ones", running, log, memory, minutes / 2);

      bad.start();
      session.say(
          "%d consumers that do not read, %d that do not acknowledge", neverRead, neverAcknowledge);
      // They have subscribed: what is published from now on is theirs.
      int joined = running.publisher().nextSequence();
      Phase with = phase(session, WITH, running, log, memory, minutes);
      backlogWith = backlog(broker);
      laggardsWith = (long) broker.metrics().sum("pulsar_broadcast_laggards");
      memory.phase("waking");
      wake(broker, session, running, bad);
      Phase after = phase(session, "after the bad ones", running, log, memory, minutes / 2);

      memory.phase("end");
      PublishResult published = running.stopPublishing(CATCH_UP_TIMEOUT);
      running.awaitAll(published.acknowledgedCount());
      int last = published.acknowledged().length() - 1;
      awaitReached(bad.neverReading(), last, CATCH_UP_TIMEOUT);
      awaitReached(bad.neverAcknowledging(), last, CATCH_UP_TIMEOUT);
      bad.settle();
      await(Duration.ofMinutes(2), BACKLOG_POLL_MILLIS, () -> backlog(broker) == 0);
      long backlogAtEnd = backlog(broker);
      memory.check();
      FleetSnapshot fleet = running.fleet().snapshot();
      session.brokerVersion(fleet.brokerVersion());
      reportLatency(session, fleet, published.sent(), before, with, after);
      reportDelivery(session, fleet, log, bad, published.acknowledged(), joined, backlogAtEnd);
      session.check(memory.flat(MemorySampler.HEAP, WITH));
      session.check(memory.flat(MemorySampler.DIRECT, WITH));
      memory.plot(session);
    }
  }

  private Phase phase(
      Session session,
      String name,
      Load running,
      ConsumerLog log,
      MemorySampler memory,
      double length)
      throws InterruptedException, IOException, FleetException {
    session.say("%s: %.1f minutes", name, length);
    memory.check();
    memory.phase(name);
    return Phase.of(name, length, running, log);
  }

  /** Notes how long the bad ones take to have and to acknowledge everything. */
  private void wake(Broker broker, Session session, Load running, BadConsumers bad)
      throws IOException, InterruptedException {
    int next = running.publisher().nextSequence();
    long startNanos = System.nanoTime();
    bad.wake();
    awaitReached(bad.neverReading(), next - 1, CATCH_UP_TIMEOUT);
    readersSeconds = secondsSince(startNanos);
    double atTheTail = 2 * load.rate;
    if (await(CATCH_UP_TIMEOUT, BACKLOG_POLL_MILLIS, () -> backlog(broker) <= atTheTail)) {
      allSeconds = secondsSince(startNanos);
    }
    session.say(
        "awake: read everything after %.1f s, acknowledged after %.1f s",
        readersSeconds, allSeconds);
  }

  private static long backlog(Broker broker) throws IOException, InterruptedException {
    return broker.backlog(topic(TOPIC), SUBSCRIPTION);
  }

  private void reportLatency(
      Session session, FleetSnapshot fleet, int published, Phase before, Phase with, Phase after)
      throws IOException {
    session.print("");
    session.print(
        "%,d good consumers, %d that never read, %d that never acknowledge, %,d-byte messages"
            + " at %.0f per second, %.1f minutes with the bad ones",
        load.consumers, neverRead, neverAcknowledge, load.sizeBytes, load.rate, minutes);
    session.print("");
    ResultTable table = Phase.table("the good ones");
    List<Long> lastReceiverMicros = fleet.lastReceiverMicros();
    for (Phase phase : List.of(before, with, after)) {
      phase.addTo(table, lastReceiverMicros);
    }
    Histogram without = Histograms.sum(Stream.of(before.micros(), after.micros()));
    Phase.addTo(
        table,
        "before and after",
        without,
        Histograms.sum(Stream.of(before, after).map(p -> p.lastReceivers(lastReceiverMicros))));
    session.show("latency-phases", table);
    double p99Without = Histograms.millis(without, 99);
    double p99With = Histograms.millis(with.micros(), 99);
    double ratio = Phase.p99Ratio(with.micros(), without);
    session.figure("p99MillisWithout", p99Without);
    session.figure("p99MillisWith", p99With);
    session.figure("p99Ratio", ratio);
    session.check(
        Check.timed(
            format(
                "I8: the good ones' P99 with the bad ones is at most %.2f of that without",
                maxP99Ratio),
            ratio <= maxP99Ratio,
            "%.2f ms and %.2f ms, ratio %.3f",
            p99With,
            p99Without,
            ratio));
    LastReceivers.plot(
        session,
        lastReceiverMicros.subList(0, published),
        load.rate,
        "Last of the good receivers, worst per second",
        "What the consumers notice that do nothing wrong.");
  }

  /** Consumers of whom the same is expected. */
  private record Group(String name, String who, ConsumerLog log, BitSet expected) {}

  private void reportDelivery(
      Session session,
      FleetSnapshot fleet,
      ConsumerLog log,
      BadConsumers bad,
      BitSet acknowledged,
      int joined,
      long backlogAtEnd)
      throws IOException {
    BitSet sinceJoined = (BitSet) acknowledged.clone();
    sinceJoined.clear(0, joined);
    List<Group> groups =
        List.of(
            new Group("good", "every good consumer", log, acknowledged),
            new Group(
                "never read", "every consumer that woke to read", bad.neverReading(), sinceJoined),
            new Group(
                "never acknowledged",
                "every consumer that woke to acknowledge",
                bad.neverAcknowledging(),
                sinceJoined));
    ResultTable table =
        new ResultTable(
            "delivery", "consumers", "messages", "missing", "duplicates", "out of order");
    ResultTable consumers = ConsumerLog.table();
    for (Group group : groups) {
      group.log.addTo(consumers, group.name, group.expected);
      table.row(
          group.name,
          group.log.consumers(),
          group.expected.cardinality(),
          group.log.missing(group.expected),
          group.log.duplicates(),
          group.log.outOfOrder());
      group.log.checks(group.who, group.expected).forEach(session::check);
    }
    session.show("delivery", table);
    session.write("consumers", consumers);
    session.print("backlog of the subscription when they woke:       %,d messages", backlogWith);
    session.print("awake, until they had read everything:            %.1f s", readersSeconds);
    session.print("awake, until everything was acknowledged:         %.1f s", allSeconds);
    session.print("backlog of the subscription at the end:           %,d messages", backlogAtEnd);
    session.print("");
    session.figure("backlogWhenWoken", backlogWith);
    session.figure("laggardsWhenWoken", laggardsWith);
    session.figure("catchUpSecondsRead", readersSeconds);
    session.figure("catchUpSecondsAcknowledged", allSeconds);
    session.figure("backlogAtEnd", backlogAtEnd);
    long duplicates = groups.stream().mapToLong(group -> group.log.duplicates()).sum();
    session.check("nothing came twice", duplicates == 0, "%,d did", duplicates);
    session.check(
        "the good ones kept their connections",
        fleet.connectionsLost() == 0,
        "%d lost",
        fleet.connectionsLost());
    session.check(
        "the bad ones were bad all the time: none of their connections was closed",
        bad.connectionsLost() == 0,
        "%d lost",
        bad.connectionsLost());
    session.check(
        "the bound of I8 was reached: more was kept from those that never read than waits in"
            + " memory for a socket, and they were behind the tail",
        laggardsWith >= neverRead,
        "%,d behind",
        laggardsWith);
    session.check(
        "the backlog was kept for the bad ones until they woke (I3), and is gone at the end",
        backlogWith >= minutes * SECONDS_PER_MINUTE * load.rate / 2 && backlogAtEnd == 0,
        "%,d, then %,d messages",
        backlogWith,
        backlogAtEnd);
  }
}
