/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.benchmark.bench.BenchSubcommand;
import io.pulsarbroadcast.benchmark.bench.Session;
import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.cli.Range;
import io.pulsarbroadcast.benchmark.load.FleetException;
import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import io.pulsarbroadcast.benchmark.scenario.HistoryRecorder.Manner;
import io.pulsarbroadcast.cluster.ClusterOptions;
import io.pulsarbroadcast.cluster.Images;
import io.pulsarbroadcast.cluster.PulsarContainers;
import io.pulsarbroadcast.process.NewThread;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Faults of a real cluster under load: what is lost, what comes again. */
@Command(
    name = "nemesis",
    header = "Faults of a real cluster under load: what is lost, what comes again.",
    description =
        "Starts three brokers, three bookies and ZooKeeper in containers, puts a load on them, makes"
            + " faults that it draws from a seed, sees that each has happened, and checks the"
            + " invariants. Takes Linux, root and a Docker engine on this machine. Exit code: 0 when"
            + " they hold, 1 when not, 3 when a fault did not happen or the run failed.")
public final class NemesisCommand extends BenchSubcommand {
  private static final int HEAP_MEGABYTES = 320;
  private static final int STORAGE_MEGABYTES = 160;
  private static final int BROKERS = 3;
  private static final int BOOKIES = 3;
  private static final int ACK_QUORUM = 2;
  private static final int CONNECTIONS = 3;
  private static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration STOP_TIMEOUT = Duration.ofMinutes(1);

  /** Room for what is published while the last fault is healed. */
  private static final int SECONDS_MORE = 600;

  private static final int SECONDS_PER_MINUTE = 60;

  /** Of a small entry, beside its payload. */
  private static final int ENTRY_BYTES = 200;

  private static final int MAX_STORED_MEGABYTES = 1_024;

  /** Some consumers leave every tenth message until they come again. */
  private static final int MAX_INDIVIDUAL = 50_000;

  private static final String FLUSH_INTERVAL = "broadcastPositionFlushIntervalMillis";

  private static final Executor CLOSER = NewThread.named("close-topic");

  enum LoadManager {
    modular("org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl"),
    extensible("org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl");

    private final String className;

    LoadManager(String className) {
      this.className = className;
    }
  }

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "What the faults are drawn from (default: a new one, which is shown).")
  private Long seed;

  @Option(names = "--minutes", paramLabel = "MINUTES", description = "How long faults are made.")
  @Range(from = 0.1, to = 10_000)
  private double minutes = 8;

  @Option(
      names = "--faults",
      paramLabel = "KIND",
      split = ",",
      description = "Only these kinds: ${COMPLETION-CANDIDATES} (default: all).")
  private List<FaultKind> kinds = List.of(FaultKind.values());

  @Option(
      names = "--acknowledge",
      paramLabel = "MANNER",
      split = ",",
      description =
          "How the consumers of the first topic, the second and so on do it, in turn:"
              + " ${COMPLETION-CANDIDATES} (default: all).")
  private List<Manner> manners = List.of(Manner.values());

  @Option(
      names = "--load-manager",
      paramLabel = "NAME",
      description =
          "Of the brokers: ${COMPLETION-CANDIDATES} (default: the first where the seed is even).")
  private LoadManager loadManager;

  @Option(
      names = "--stock",
      description =
          "A stock subscription for each consumer, to see what the brokers themselves do.")
  private boolean stock;

  @Option(names = "--topics", paramLabel = "N", description = "Topics under load.")
  @Range(from = 1, to = 1_000)
  private int topics = 10;

  @Option(names = "--consumers", paramLabel = "N", description = "Consumers of each topic.")
  @Range(from = 1, to = 10_000)
  private int consumers = 12;

  @Option(names = "--rate", paramLabel = "N", description = "Messages per second of each topic.")
  @Range(from = 1, to = 10_000)
  private double rate = 10;

  @Option(names = "--size", paramLabel = "BYTES", description = "Size of a message.")
  @Range(from = PayloadFormat.MIN_SIZE_BYTES, to = PayloadFormat.MAX_SIZE_BYTES)
  private int sizeBytes = 100;

  @Option(
      names = "--quiet-seconds",
      paramLabel = "SECONDS",
      description = "Undisturbed time before each fault.")
  @Range(from = 1, to = 3_600)
  private int quietSeconds = 5;

  @Option(
      names = "--recovery-seconds",
      paramLabel = "SECONDS",
      description = "In which all consumers must receive again when a fault is undone.")
  @Range(from = 1, to = 3_600)
  private int recoverySeconds = 180;

  @Option(
      names = "--image",
      paramLabel = "IMAGE",
      description = "Pulsar's image, to which the plugin is added; the script adds it.")
  private String image;

  public NemesisCommand() {
    super(HEAP_MEGABYTES, HEAP_MEGABYTES);
  }

  @Override
  protected boolean startsProcesses() {
    return false;
  }

  @Override
  protected void check() {
    if (image == null) {
      throw new InvalidOptionException("--image is not set; allowed: an image of Pulsar");
    }
    if (manners.stream().anyMatch(manner -> manner != Manner.CUMULATIVE)
        && messagesOfTopic() > MAX_INDIVIDUAL) {
      throw new InvalidOptionException(
          "--rate, --minutes and their like come to %,.0f messages of each topic;"
                  .formatted(messagesOfTopic())
              + " allowed: up to %,d, as many as a position stores individually,"
                  .formatted(MAX_INDIVIDUAL)
              + " or --acknowledge cumulative");
    }
    if (storedMegabytes() > MAX_STORED_MEGABYTES) {
      throw new InvalidOptionException(
          "--topics, --rate, --size and --minutes come to %,d MB, which each bookie keeps in memory;"
                  .formatted(storedMegabytes())
              + " allowed: up to %,d MB".formatted(MAX_STORED_MEGABYTES));
    }
  }

  /** What may be published. */
  private double messagesOfTopic() {
    int secondsMore = SECONDS_MORE + 2 * quietSeconds + recoverySeconds;
    return rate * (minutes * SECONDS_PER_MINUTE + secondsMore);
  }

  /** What a bookie has of it in the end: garbage of so short a time is not collected. */
  private long storedMegabytes() {
    return (long) (topics * messagesOfTopic() * (sizeBytes + ENTRY_BYTES)) >> 20;
  }

  @Override
  protected int measure(Session session) throws Exception {
    int flushMillis = flushMillis(session);
    checkQuiet(flushMillis);
    long drawn = seed == null ? new Random().nextInt(Integer.MAX_VALUE) : seed;
    LoadManager manager =
        loadManager == null
            ? LoadManager.values()[Math.floorMod(drawn, LoadManager.values().length)]
            : loadManager;
    session.say("seed %d, load manager %s; starting the cluster", drawn, manager);
    try (Disks disks = new Disks();
        PulsarContainers containers = PulsarContainers.start(options(session, disks, manager))) {
      session.say("the cluster is up");
      NemesisCluster cluster =
          new NemesisCluster(
              containers,
              disks,
              IntStream.range(0, topics)
                  .mapToObj(i -> "persistent://" + ClusterAdmin.TENANT + "/ns-" + i + "/topic")
                  .toList());
      cluster.createTopics();
      session.say("%d topics are there, on %d brokers", topics, BROKERS);
      return run(session, cluster, flushMillis, drawn);
    }
  }

  private ClusterOptions options(Session session, Disks disks, LoadManager manager)
      throws IOException, InterruptedException {
    Path dockerfile =
        Path.of(System.getProperty("benchmark.folder")).resolveSibling("deploy/docker/Dockerfile");
    ClusterOptions options =
        new ClusterOptions(Images.withPlugin(image, "nemesis", dockerfile, session.nar()))
            .brokers(BROKERS)
            .bookies(BOOKIES, BOOKIES, ACK_QUORUM)
            .brokerMegabytes(session.brokerHeapMegabytes(), session.brokerDirectMegabytes())
            .storageMegabytes(STORAGE_MEGABYTES)
            .keepLogs(session.brokerLogs())
            .brokerSetting("loadManagerClassName", manager.className)
            .brokerSetting("brokerDeleteInactiveTopicsEnabled", "false")
            // With the default, brokers try for minutes to get a session, with their clients
            // connected: https://github.com/apache/pulsar/issues/23015.
            .brokerSetting("zookeeperSessionExpiredPolicy", "shutdown")
            .bookieSetting("zkTimeout", "6000")
            // Files that fit on the small disks, looked at often.
            .bookieSetting("journalMaxSizeMB", "8")
            .bookieSetting("journalMaxBackups", "0")
            .bookieSetting("journalPreAllocSizeMB", "1")
            .bookieSetting("logSizeLimit", "8388608")
            .bookieSetting("minUsableSizeForEntryLogCreation", "1048576")
            .bookieSetting("minUsableSizeForIndexFileCreation", "1048576")
            .bookieSetting("diskCheckInterval", "2000");
    session.brokerSettings().forEach(options::brokerSetting);
    for (int i = 1; i <= BOOKIES; i++) {
      String bookie = PulsarContainers.bookie(i);
      for (BookieDisk disk : BookieDisk.values()) {
        long megabytes = disk.megabytes + (disk == BookieDisk.LEDGERS ? storedMegabytes() : 0);
        options.folder(bookie, disk.folder(), disks.create(disk.nameOf(bookie), megabytes));
      }
    }
    return options;
  }

  private int run(Session session, NemesisCluster cluster, int flushMillis, long drawn)
      throws IOException, InterruptedException, FleetException {
    int messages = (int) messagesOfTopic();
    RecordedTopic.Options each =
        new RecordedTopic.Options(
            cluster.serviceUrl(), flushMillis, stock, consumers, CONNECTIONS, rate, sizeBytes);
    List<RecordedTopic> recorded = new ArrayList<>();
    NemesisReport report = new NemesisReport(session, drawn);
    try {
      for (int i = 0; i < topics; i++) {
        RecordedTopic topic =
            new RecordedTopic(
                cluster.topics().get(i),
                manners.get(i % manners.size()),
                each,
                messages,
                session.folder().resolve("history-" + i + ".jsonl.gz"));
        recorded.add(topic);
        topic.start(CONNECT_TIMEOUT);
        cluster.loaded(topic);
      }
      session.say("%,d consumers of %d topics are subscribed", topics * consumers, topics);
      try (Nemesis nemesis =
          new Nemesis(
              cluster,
              recorded,
              kinds,
              drawn,
              quietSeconds,
              recoverySeconds,
              line -> session.say("%s", line))) {
        try {
          nemesis.run(Duration.ofSeconds((long) (minutes * SECONDS_PER_MINUTE)));
          stop(recorded, cluster);
        } catch (IOException | FleetException | RuntimeException e) {
          // The engine's client throws the last.
          report.ended(e);
          // So that the histories show who starves.
          TimeUnit.MILLISECONDS.sleep(2 * RecordedTopic.PATIENCE_MILLIS);
        }
        report.made(nemesis.made());
        report.crashed(cluster.crashed());
      }
    } finally {
      close(recorded);
    }
    session.say("checking the histories");
    return report.finish(recorded);
  }

  /** How far positions are behind, at most; the brokers are told the same. */
  private static int flushMillis(Session session) {
    String value = session.brokerSettings().getOrDefault(FLUSH_INTERVAL, "1000");
    try {
      return Integer.parseUnsignedInt(value.strip());
    } catch (NumberFormatException e) {
      throw new InvalidOptionException(
          "--broker-setting %s is \"%s\"; allowed: milliseconds, a whole number"
              .formatted(FLUSH_INTERVAL, value));
    }
  }

  /** Between two faults everything has to be stored, or nothing is said of it (I5). */
  private void checkQuiet(int flushMillis) {
    long storedMillis = (long) flushMillis + RecordedTopic.MARGIN_MILLIS;
    if (TimeUnit.SECONDS.toMillis(quietSeconds) <= storedMillis) {
      throw new InvalidOptionException(
          "--quiet-seconds is %d; allowed: more than the %,d ms in which what is acknowledged is stored"
              .formatted(quietSeconds, storedMillis));
    }
  }

  /** At once: each takes seconds. */
  private static void close(List<RecordedTopic> recorded) throws IOException {
    List<CompletableFuture<Void>> closing =
        recorded.stream()
            .map(topic -> CompletableFuture.runAsync(topic::closeUnchecked, CLOSER))
            .toList();
    try {
      closing.forEach(CompletableFuture::join);
    } catch (CompletionException e) {
      throw new IOException(e.getCause().getMessage(), e);
    }
  }

  private static void stop(List<RecordedTopic> recorded, NemesisCluster cluster)
      throws IOException, InterruptedException, FleetException {
    TimeUnit.MILLISECONDS.sleep(RecordedTopic.PATIENCE_MILLIS);
    for (RecordedTopic topic : recorded) {
      topic.stop(STOP_TIMEOUT);
    }
    TimeUnit.MILLISECONDS.sleep(RecordedTopic.PATIENCE_MILLIS);
    for (RecordedTopic topic : recorded) {
      Wait.until(
          STOP_TIMEOUT,
          "the mark-delete position of " + topic.name(),
          () -> {
            topic.sampleMarkDelete(cluster.admin());
            return true;
          });
    }
  }
}
