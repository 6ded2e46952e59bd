/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.DockerClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.containers.wait.strategy.WaitStrategy;

/**
 * A Pulsar cluster in containers: ZooKeeper, two bookies, two brokers with the plugin, and a proxy,
 * which is the only way in from outside. One thread at a time may call it.
 */
final class PulsarCluster implements AutoCloseable {

  static final String NAME = "test";
  private static final int BROKER_PORT = 6650;
  private static final int WEB_PORT = 8080;
  private static final int BOOKIE_PORT = 3181;
  private static final int ZOOKEEPER_PORT = 2181;
  private static final String METADATA_STORE = "zk:zookeeper:" + ZOOKEEPER_PORT;
  private static final String MEMORY = "-Xms64m -Xmx256m -XX:MaxDirectMemorySize=256m";
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  private static final Duration MOVE_TIMEOUT = Duration.ofMinutes(2);

  /** brokerShutdownTimeoutMs, and what comes after it. */
  private static final int STOP_TIMEOUT_SECONDS = 90;

  /** What a process is ended with that did not end by itself in time. */
  private static final int SIGKILLED = 128 + 9;

  private final Future<String> image;
  private final Network network = Network.newNetwork();
  private final Map<String, GenericContainer<?>> containers = new LinkedHashMap<>();
  private PulsarAdmin admin;
  private int replaced;

  private PulsarCluster(Future<String> image) {
    this.image = image;
  }

  /** Starts a cluster and returns when clients can use it. */
  static PulsarCluster start(Future<String> image) throws IOException, InterruptedException {
    PulsarCluster cluster = new PulsarCluster(image);
    try {
      cluster.startAll();
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void startAll() throws IOException, InterruptedException {
    run("zookeeper", "zookeeper", Map.of(), Wait.forListeningPort(), ZOOKEEPER_PORT);
    initializeMetadata();
    Map<String, String> bookie =
        Map.of(
            "metadataServiceUri", "metadata-store:" + METADATA_STORE,
            "useHostNameAsBookieID", "true",
            "dbStorage_writeCacheMaxSizeMb", "32",
            "dbStorage_readAheadCacheMaxSizeMb", "32");
    for (String name : List.of("bookie-1", "bookie-2")) {
      run(name, "bookie", bookie, Wait.forListeningPort(), BOOKIE_PORT);
    }
    for (String name : List.of("broker-1", "broker-2")) {
      runBroker(name, image);
    }
    run(
        "proxy",
        "proxy",
        Map.of(
            "clusterName", NAME,
            "metadataStoreUrl", METADATA_STORE,
            "configurationMetadataStoreUrl", METADATA_STORE,
            "metadataStoreSessionTimeoutMillis", "5000"),
        Wait.forHttp("/metrics").forPort(WEB_PORT),
        BROKER_PORT,
        WEB_PORT);
    admin = PulsarAdmin.builder().serviceHttpUrl(adminUrl()).build();
  }

  private void runBroker(String name, Future<String> image) {
    run(
        name,
        "broker",
        brokerSettings(name),
        Wait.forHttp("/admin/v2/brokers/ready").forPort(WEB_PORT),
        image,
        WEB_PORT);
  }

  /** A crash of a broker is noticed after five seconds, and nothing moves by itself. */
  private static Map<String, String> brokerSettings(String name) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("metadataStoreUrl", METADATA_STORE);
    settings.put("configurationMetadataStoreUrl", METADATA_STORE);
    settings.put("metadataStoreSessionTimeoutMillis", "5000");
    settings.put("clusterName", NAME);
    settings.put("advertisedAddress", name);
    settings.put("managedLedgerDefaultEnsembleSize", "2");
    settings.put("managedLedgerDefaultWriteQuorum", "2");
    settings.put("managedLedgerDefaultAckQuorum", "2");
    settings.put("managedLedgerCacheSizeMB", "32");
    settings.put("defaultNumberOfNamespaceBundles", "1");
    settings.put("loadBalancerSheddingEnabled", "false");
    settings.put("loadBalancerAutoBundleSplitEnabled", "false");
    return settings;
  }

  private void run(
      String name, String role, Map<String, String> settings, WaitStrategy ready, int... ports) {
    run(name, role, settings, ready, image, ports);
  }

  private void run(
      String name,
      String role,
      Map<String, String> settings,
      WaitStrategy ready,
      Future<String> image,
      int... ports) {
    GenericContainer<?> container = new GenericContainer<>(image);
    String conf = role.equals("bookie") ? "bookkeeper" : role;
    container
        .withNetwork(network)
        .withNetworkAliases(name)
        .withCreateContainerCmdModifier(command -> command.withHostName(name))
        .withEnv(settings)
        .withEnv("PULSAR_MEM", MEMORY)
        .withEnv("BOOKIE_MEM", MEMORY)
        .withCommand(
            "sh",
            "-c",
            "bin/apply-config-from-env.py conf/%s.conf && exec bin/pulsar %s".formatted(conf, role))
        .waitingFor(ready.withStartupTimeout(START_TIMEOUT));
    for (int port : ports) {
      container.addExposedPort(port);
    }
    containers.put(name, container);
    container.start();
  }

  private void initializeMetadata() throws IOException, InterruptedException {
    ExecResult result =
        containers
            .get("zookeeper")
            .execInContainer(
                "bin/pulsar",
                "initialize-cluster-metadata",
                "--cluster",
                NAME,
                "--metadata-store",
                METADATA_STORE,
                "--configuration-metadata-store",
                METADATA_STORE,
                "--web-service-url",
                "http://broker-1:" + WEB_PORT,
                "--broker-service-url",
                "pulsar://broker-1:" + BROKER_PORT);
    if (result.getExitCode() != 0) {
      throw new IOException("initialize-cluster-metadata failed: " + result.getStderr());
    }
  }

  /** Where clients connect: the proxy. */
  String serviceUrl() {
    return "pulsar://" + address(BROKER_PORT);
  }

  /** The admin API, through the proxy. */
  PulsarAdmin admin() {
    return admin;
  }

  /** The same for other clients. The proxy asks one broker after the other. */
  String adminUrl() {
    return "http://" + address(WEB_PORT);
  }

  private String address(int port) {
    GenericContainer<?> proxy = containers.get("proxy");
    return proxy.getHost() + ":" + proxy.getMappedPort(port);
  }

  /** Creates a topic, alone in a namespace of its own, which has one bundle. */
  void createTopic(String topic) throws PulsarAdminException {
    TopicName name = TopicName.get(topic);
    if (!admin.tenants().getTenants().contains(name.getTenant())) {
      admin
          .tenants()
          .createTenant(
              name.getTenant(), TenantInfo.builder().allowedClusters(Set.of(NAME)).build());
    }
    admin.namespaces().createNamespace(name.getNamespace());
    admin.topics().createNonPartitionedTopic(topic);
  }

  /** The name of the broker that has the topic. */
  String owner(String topic) throws PulsarAdminException {
    return URI.create(admin.lookups().lookupTopic(topic)).getHost();
  }

  /** Returns when the broker has the topic, which another may have lost. */
  void awaitOwner(String topic, String broker) {
    await()
        .atMost(MOVE_TIMEOUT)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(owner(topic)).as("owner of %s", topic).isEqualTo(broker));
  }

  /**
   * Unloads the topic until it is at the given broker. Where an unloaded bundle is to go is a wish:
   * the leader forgets it with the first lookup of any bundle of that range, so a second lookup
   * that overtakes the first may bring the topic back to where it was.
   */
  void move(String topic, String broker) {
    await()
        .atMost(MOVE_TIMEOUT)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofSeconds(1))
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              if (!owner(topic).equals(broker)) {
                admin
                    .namespaces()
                    .unloadNamespaceBundle(
                        TopicName.get(topic).getNamespace(),
                        admin.lookups().getBundleRange(topic),
                        broker + ":" + WEB_PORT);
              }
              assertThat(owner(topic)).as("owner of %s", topic).isEqualTo(broker);
            });
  }

  /** Returns when both brokers are there. */
  void awaitBothBrokers() {
    await()
        .atMost(MOVE_TIMEOUT)
        .ignoreExceptions()
        .until(() -> admin.brokers().getActiveBrokers(NAME).size() == 2);
  }

  /** Ends a broker in order, and starts one of the given image in its place, with its settings. */
  void replace(String name, Future<String> image) throws IOException {
    GenericContainer<?> container = containers.get(name);
    docker(container)
        .stopContainerCmd(container.getContainerId())
        .withTimeout(STOP_TIMEOUT_SECONDS)
        .exec();
    assertThat(container.getCurrentContainerInfo().getState().getExitCodeLong())
        .as("exit code of %s, which has %d s", name, STOP_TIMEOUT_SECONDS)
        .isNotEqualTo(SIGKILLED);
    replaced++;
    keepLog(name, "%s-replaced-%d".formatted(name, replaced));
    container.stop();
    runBroker(name, image);
    awaitBothBrokers();
  }

  /** Ends a container's process with SIGKILL; its disk stays. */
  void kill(String name) {
    GenericContainer<?> container = containers.get(name);
    docker(container).killContainerCmd(container.getContainerId()).withSignal("KILL").exec();
  }

  /** Starts a killed container again, on the disk it had; does not wait until it is ready. */
  void restart(String name) {
    GenericContainer<?> container = containers.get(name);
    docker(container).startContainerCmd(container.getContainerId()).exec();
  }

  private static DockerClient docker(GenericContainer<?> container) {
    return container.getDockerClient();
  }

  /** Everything that a container has logged, also before it was killed. */
  String log(String name) {
    return containers.get(name).getLogs();
  }

  private void keepLog(String name, String file) throws IOException {
    Path logs = Files.createDirectories(Path.of(System.getProperty("container.logs")));
    Files.writeString(logs.resolve(file + ".log"), log(name));
  }

  /** Stops and removes everything; the logs are kept. */
  @Override
  public void close() throws IOException {
    List<GenericContainer<?>> all = new ArrayList<>(containers.values());
    try {
      for (Map.Entry<String, GenericContainer<?>> container : containers.entrySet()) {
        if (container.getValue().getContainerId() != null) {
          keepLog(container.getKey(), container.getKey());
        }
      }
    } finally {
      if (admin != null) {
        admin.close();
      }
      all.forEach(GenericContainer::stop);
      network.close();
    }
  }
}
