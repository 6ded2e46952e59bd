/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

import java.io.File;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * A driver file: the broker, the subscription type and how clients behave. Any thread may read it.
 *
 * <p>OpenMessaging Benchmark itself reads {@code name} and {@code driverClass}; the rest is ours.
 */
public final class DriverFile {
  public static final String DRIVER_CLASS = "io.pulsarbroadcast.omb.BroadcastBenchmarkDriver";

  private static final int MAX_COUNT = 1_000_000;
  private static final int MAX_SECONDS = 86_400;

  /** As it is shown in results. */
  public String name = "";

  private String driverClass = "";
  public ClientSettings client = new ClientSettings();
  public ProducerSettings producer = new ProducerSettings();
  public ConsumerSettings consumer = new ConsumerSettings();
  public ResultSettings results = new ResultSettings();

  /**
   * Lines of the broker's configuration that this variant needs. Local runs and runs on AWS start
   * their broker with them; elsewhere an operator sets them.
   */
  public Map<String, String> brokerSettings = new TreeMap<>();

  /** What a local run starts. */
  public LocalServer localServer = LocalServer.plugin;

  private DriverFile() {}

  /** Throws {@link ConfigException} for the first key that is wrong. */
  public static DriverFile read(File file) throws IOException {
    DriverFile driver = StrictYaml.read(file, DriverFile.class);
    driver.check(new Check(file));
    return driver;
  }

  private void check(Check check) {
    check
        .that(!name.isBlank(), "name", "empty", "any text")
        .that(DRIVER_CLASS.equals(driverClass), "driverClass", driverClass, DRIVER_CLASS)
        .that(
            localServer != LocalServer.plain
                || consumer.subscriptionType != SubscriptionKind.Broadcast,
            "localServer",
            localServer,
            "plugin, floor; without Broadcast also plain");
    client.check(check);
    producer.check(check);
    consumer.check(check);
    results.check(check);
  }

  /** Where the broker is, and how many connections go there. */
  public static final class ClientSettings {
    public String serviceUrl = "pulsar://localhost:6650";
    private String httpUrl = "http://localhost:8080";

    /** TCP connections to a broker that all consumers of a process share. */
    public int connections = 16;

    private int ioThreads;
    private int listenerThreads;
    public int operationTimeoutSeconds = 60;

    /** Memory for messages not sent yet; 0 for no limit. */
    public int memoryLimitMegabytes;

    /** Tenant and beginning of the name of the namespace that is created for a run. */
    public String namespacePrefix = "benchmark/broadcast";

    public String clusterName = "standalone";

    /** Class name of a Pulsar authentication plugin, or empty. */
    public String authenticationPlugin = "";

    public String authenticationParameters = "";

    /** PEM file of the certificates to trust, or empty for those of the JVM. */
    public String tlsTrustCertsFile = "";

    public PersistenceSettings persistence = new PersistenceSettings();

    private void check(Check check) {
      check
          .that(
              serviceUrl.matches("pulsar(\\+ssl)?://[^/\\s]+"),
              "client.serviceUrl",
              serviceUrl,
              "pulsar://host:port, pulsar+ssl://host:port")
          .that(
              httpUrl.matches("https?://[^/\\s]+/?"),
              "client.httpUrl",
              httpUrl,
              "http://host:port, https://host:port")
          .range("client.connections", connections, 1, 10_000)
          .range("client.ioThreads", ioThreads, 0, 1_024)
          .range("client.listenerThreads", listenerThreads, 0, 1_024)
          .range("client.operationTimeoutSeconds", operationTimeoutSeconds, 1, MAX_SECONDS)
          .range("client.memoryLimitMegabytes", memoryLimitMegabytes, 0, 1_048_576)
          .that(
              namespacePrefix.matches("[\\w.=:-]+/[\\w.=:-]+"),
              "client.namespacePrefix",
              namespacePrefix,
              "tenant/name")
          .that(!clusterName.isBlank(), "client.clusterName", "empty", "the cluster's name");
      persistence.check(check);
    }

    public String httpUrl() {
      return httpUrl.endsWith("/") ? httpUrl.substring(0, httpUrl.length() - 1) : httpUrl;
    }

    /** Threads that read sockets; as many as there are cores when the file says 0. */
    public int ioThreads() {
      return orCores(ioThreads);
    }

    /** Threads that hand messages on; as many as there are cores when the file says 0. */
    public int listenerThreads() {
      return orCores(listenerThreads);
    }

    private static int orCores(int threads) {
      return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }
  }

  /** How the run's namespace is stored. */
  public static final class PersistenceSettings {
    public int ensembleSize = 1;
    public int writeQuorum = 1;
    public int ackQuorum = 1;
    public boolean deduplicationEnabled;

    private void check(Check check) {
      check
          .range("client.persistence.ensembleSize", ensembleSize, 1, 100)
          .range("client.persistence.writeQuorum", writeQuorum, 1, ensembleSize)
          .range("client.persistence.ackQuorum", ackQuorum, 1, writeQuorum);
    }
  }

  /** How messages are published. */
  public static final class ProducerSettings {
    public boolean batchingEnabled;
    public double batchingMaxPublishDelayMillis = 1;
    public int batchingMaxBytes = 131_072;
    public boolean blockIfQueueFull = true;

    /** Messages without an answer yet; 0 for no limit. */
    public int maxPendingMessages = 1_000;

    /** Whether a partition's producer connects with its first message only. */
    public boolean lazyPartitions;

    /** How many partitions each producer uses; all of them when 0. */
    public int partitionsPerProducer;

    private void check(Check check) {
      check
          .range(
              "producer.batchingMaxPublishDelayMillis",
              batchingMaxPublishDelayMillis,
              0.001,
              60_000)
          .range("producer.batchingMaxBytes", batchingMaxBytes, 1, 5 * 1024 * 1024)
          .range("producer.maxPendingMessages", maxPendingMessages, 0, MAX_COUNT)
          .range("producer.partitionsPerProducer", partitionsPerProducer, 0, 10_000);
    }
  }

  /** How consumers subscribe, receive and acknowledge. */
  public static final class ConsumerSettings {
    public SubscriptionKind subscriptionType = SubscriptionKind.Broadcast;

    /** The one subscription of all Broadcast consumers. */
    public String broadcastSubscription = "broadcast";

    /** Whether positions are stored; otherwise a consumer is as good as a reader. */
    public boolean durable = true;

    /** Permits: messages that a consumer may be sent before it has handled them. */
    public int receiverQueueSize = 100;

    public AckKind ack = AckKind.cumulative;

    /** For how long a client collects acknowledgements before it sends them; 0 for not at all. */
    public int ackGroupMillis;

    /** Subscribes of a process that may be unanswered at a time. */
    public int creationConcurrency = 500;

    /** How often a consumer's subscribe is tried. */
    public int creationAttempts = 10;

    /** For all consumers of a process together. */
    public int creationTimeoutSeconds = 570;

    /** How long a Broadcast position outlives its connection; -1 for the broker's setting. */
    public long cursorTimeToLiveSeconds = -1;

    private void check(Check check) {
      check
          .that(
              broadcastSubscription.matches("\\S+"),
              "consumer.broadcastSubscription",
              "'" + broadcastSubscription + "'",
              "a subscription name")
          .range("consumer.receiverQueueSize", receiverQueueSize, 1, MAX_COUNT)
          .that(
              ack != AckKind.cumulative || subscriptionType.allowsCumulative(),
              "consumer.ack",
              ack,
              "individual or none with subscriptionType " + subscriptionType)
          .range("consumer.ackGroupMillis", ackGroupMillis, 0, 60_000)
          .range("consumer.creationConcurrency", creationConcurrency, 1, 100_000)
          .range("consumer.creationAttempts", creationAttempts, 1, 1_000)
          .range("consumer.creationTimeoutSeconds", creationTimeoutSeconds, 1, MAX_SECONDS)
          .range(
              "consumer.cursorTimeToLiveSeconds", cursorTimeToLiveSeconds, -1, Integer.MAX_VALUE);
    }
  }

  /** Where the driver writes what OpenMessaging Benchmark does not record. */
  public static final class ResultSettings {
    private String folder = ".";

    /** How long the end waits for messages that are still on their way. */
    public int drainSeconds = 10;

    private void check(Check check) {
      check
          .that(!folder.isBlank(), "results.folder", "empty", "a folder")
          .range("results.drainSeconds", drainSeconds, 0, 300);
    }

    public File folder() {
      return new File(folder);
    }
  }
}
