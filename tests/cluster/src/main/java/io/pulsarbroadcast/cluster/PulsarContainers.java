/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.cluster;

import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.containers.wait.strategy.WaitStrategy;

/**
 * A Pulsar cluster in containers: ZooKeeper, bookies, brokers with the plugin, and if asked for a
 * proxy. Each keeps its address when it is ended and begun again. One thread at a time may call it.
 */
public final class PulsarContainers implements AutoCloseable {
  public static final String NAME = "test";
  public static final String ZOOKEEPER = "zookeeper";
  public static final String PROXY = "proxy";
  public static final int BROKER_PORT = 6650;
  public static final int WEB_PORT = 8080;
  public static final int BOOKIE_PORT = 3181;
  public static final int ZOOKEEPER_PORT = 2181;

  /** Of the environment's variables that also add a key to a file of properties. */
  private static final String PREFIX = "PULSAR_PREFIX_";

  private static final String METADATA_STORE = "zk:" + ZOOKEEPER + ":" + ZOOKEEPER_PORT;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  /** So that starting takes little of a small machine; what is compiled better later costs more. */
  private static final String CHEAP_JVM =
      "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto";

  private final ClusterOptions options;
  private final ClusterNetwork network;
  private final List<String> brokers;
  private final List<String> bookies;
  private final Map<String, Node> nodes = new LinkedHashMap<>();

  private PulsarContainers(ClusterOptions options) {
    this.options = options;
    this.brokers = numbered(options.brokers, PulsarContainers::broker);
    this.bookies = numbered(options.bookies, PulsarContainers::bookie);
    this.network = ClusterNetwork.create();
    network.add(ZOOKEEPER);
    bookies.forEach(network::add);
    brokers.forEach(network::add);
    network.add(PROXY);
  }

  /** The name of a broker, counted from 1. */
  public static String broker(int number) {
    return "broker-" + number;
  }

  /** The name of a bookie, counted from 1. */
  public static String bookie(int number) {
    return "bookie-" + number;
  }

  private static List<String> numbered(int count, IntFunction<String> name) {
    return IntStream.rangeClosed(1, count).mapToObj(name).toList();
  }

  /** Starts a cluster and returns when clients can use it. */
  public static PulsarContainers start(ClusterOptions options)
      throws IOException, InterruptedException {
    PulsarContainers cluster = new PulsarContainers(options);
    try {
      cluster.startAll();
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void startAll() throws IOException, InterruptedException {
    start(zookeeper());
    initializeMetadata();
    // One by one: two that start at once may both create what only one can, and one of them ends.
    for (String name : bookies) {
      start(bookie(name));
    }
    for (String name : brokers) {
      start(broker(name, options.image));
    }
    if (options.proxy) {
      start(proxy());
    }
  }

  private static void start(Node node) throws IOException {
    try {
      node.container().start();
    } catch (ContainerLaunchException e) {
      throw new IOException(node.name() + " does not start; " + node.lastWords(), e);
    }
  }

  private Node zookeeper() {
    return node(
        ZOOKEEPER,
        "zookeeper",
        "zookeeper",
        Map.of(),
        memory(options.storageMegabytes, options.storageMegabytes),
        Wait.forListeningPort(),
        options.image,
        ZOOKEEPER_PORT);
  }

  private Node bookie(String name) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("metadataServiceUri", "metadata-store:" + METADATA_STORE);
    settings.put("useHostNameAsBookieID", "true");
    settings.put("dbStorage_writeCacheMaxSizeMb", "32");
    settings.put("dbStorage_readAheadCacheMaxSizeMb", "32");
    settings.putAll(options.bookieSettings);
    return node(
        name,
        "bookkeeper",
        "bookie",
        settings,
        memory(options.storageMegabytes, options.storageMegabytes),
        Wait.forListeningPort(),
        options.image,
        BOOKIE_PORT);
  }

  /** A crash of a broker is noticed after five seconds, and nothing moves by itself. */
  private Node broker(String name, Future<String> image) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("metadataStoreUrl", METADATA_STORE);
    settings.put("configurationMetadataStoreUrl", METADATA_STORE);
    settings.put("metadataStoreSessionTimeoutMillis", "5000");
    settings.put("clusterName", NAME);
    settings.put("advertisedAddress", network.addresses().get(name));
    settings.put("managedLedgerDefaultEnsembleSize", Integer.toString(options.writeQuorum));
    settings.put("managedLedgerDefaultWriteQuorum", Integer.toString(options.writeQuorum));
    settings.put("managedLedgerDefaultAckQuorum", Integer.toString(options.ackQuorum));
    settings.put("managedLedgerCacheSizeMB", "32");
    settings.put("defaultNumberOfNamespaceBundles", "1");
    settings.put("loadBalancerSheddingEnabled", "false");
    settings.put("loadBalancerAutoBundleSplitEnabled", "false");
    // So that the file gets the key also if it has no such line, as of the plugin's settings.
    options.brokerSettings.forEach(
        (key, value) -> {
          settings.remove(key);
          settings.put(PREFIX + key, value);
        });
    return node(
        name,
        "broker",
        "broker",
        settings,
        memory(options.brokerHeapMegabytes, options.brokerDirectMegabytes),
        Wait.forHttp("/admin/v2/brokers/ready").forPort(WEB_PORT),
        image,
        WEB_PORT);
  }

  private Node proxy() {
    return node(
        PROXY,
        "proxy",
        "proxy",
        Map.of(
            "clusterName", NAME,
            "metadataStoreUrl", METADATA_STORE,
            "configurationMetadataStoreUrl", METADATA_STORE,
            "metadataStoreSessionTimeoutMillis", "5000"),
        memory(options.storageMegabytes, options.storageMegabytes),
        Wait.forHttp("/metrics").forPort(WEB_PORT),
        options.image,
        BROKER_PORT,
        WEB_PORT);
  }

  private Node node(
      String name,
      String conf,
      String role,
      Map<String, String> settings,
      String memory,
      WaitStrategy ready,
      Future<String> image,
      int... ports) {
    String address = network.addresses().get(name);
    GenericContainer<?> container = new GenericContainer<>(image);
    container
        .withNetwork(network.network())
        .withCreateContainerCmdModifier(
            command -> {
              command.withHostName(name).withIpv4Address(address);
              command.getHostConfig().withBinds(binds(name));
            })
        .withEnv(settings)
        .withEnv("PULSAR_MEM", memory)
        .withEnv("BOOKIE_MEM", memory)
        .withEnv("PULSAR_GC", CHEAP_JVM)
        .withCommand(
            "sh",
            "-c",
            "bin/apply-config-from-env.py conf/%s.conf && exec bin/pulsar %s".formatted(conf, role))
        .waitingFor(ready.withStartupTimeout(START_TIMEOUT));
    network.addresses().forEach(container::withExtraHost);
    for (int port : ports) {
      container.addExposedPort(port);
    }
    Node node = new Node(name, address, container);
    nodes.put(name, node);
    return node;
  }

  private static String memory(int heapMegabytes, int directMegabytes) {
    return "-Xms64m -Xmx%dm -XX:MaxDirectMemorySize=%dm".formatted(heapMegabytes, directMegabytes);
  }

  /** Not by Testcontainers, which would first try in a container of its own whether that works. */
  private List<Bind> binds(String name) {
    return options.folders.getOrDefault(name, Map.of()).entrySet().stream()
        .map(folder -> new Bind(folder.getValue().toString(), new Volume(folder.getKey())))
        .toList();
  }

  private void initializeMetadata() throws IOException, InterruptedException {
    String first = brokers.get(0);
    node(ZOOKEEPER)
        .exec(
            "bin/pulsar",
            "initialize-cluster-metadata",
            "--cluster",
            NAME,
            "--metadata-store",
            METADATA_STORE,
            "--configuration-metadata-store",
            METADATA_STORE,
            "--web-service-url",
            "http://" + first + ":" + WEB_PORT,
            "--broker-service-url",
            "pulsar://" + first + ":" + BROKER_PORT);
  }

  /** {@code zookeeper}, {@code bookie-1}, {@code broker-1} and so on, {@code proxy}. */
  public Node node(String name) {
    return nodes.get(name);
  }

  public List<Node> brokers() {
    return brokers.stream().map(nodes::get).toList();
  }

  public List<Node> bookies() {
    return bookies.stream().map(nodes::get).toList();
  }

  /** The node that has this address in the cluster's network. */
  public Node at(String address) {
    return nodes.values().stream()
        .filter(node -> node.address().equals(address))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("No part of the cluster has " + address));
  }

  /** Where a port of the proxy is for any machine. */
  public String proxyAddress(int port) {
    GenericContainer<?> proxy = node(PROXY).container();
    return proxy.getHost() + ":" + proxy.getMappedPort(port);
  }

  /**
   * Removes an ended broker, and starts one of the given image in its place, with its settings.
   *
   * @param log what the file is called that keeps its log
   */
  public void replaceBroker(String name, Future<String> image, String log) throws IOException {
    Node old = node(name);
    if (options.logs != null) {
      old.keepLog(options.logs, log);
    }
    old.container().stop();
    start(broker(name, image));
  }

  /** Stops and removes everything; the logs are kept. */
  @Override
  public void close() throws IOException {
    try {
      Path logs = options.logs;
      if (logs != null) {
        for (Node node : nodes.values()) {
          node.keepLog(logs, node.name());
        }
      }
    } finally {
      nodes.values().parallelStream().forEach(node -> node.container().stop());
      network.close();
    }
  }
}
