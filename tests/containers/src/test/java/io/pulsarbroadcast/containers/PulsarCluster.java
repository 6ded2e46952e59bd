/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pulsarbroadcast.cluster.ClusterOptions;
import io.pulsarbroadcast.cluster.Node;
import io.pulsarbroadcast.cluster.PulsarContainers;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The cluster that the tests use: two bookies, two brokers with the plugin, and a proxy, which is
 * the only way in from outside. One thread at a time may call it.
 */
final class PulsarCluster implements AutoCloseable {

  private static final Duration MOVE_TIMEOUT = Duration.ofMinutes(2);

  /** A request by way of the proxy waits up to a minute for a broker that is not ready. */
  private static final Duration READY_TIMEOUT = Duration.ofMinutes(5);

  /** brokerShutdownTimeoutMs, and what comes after it. */
  private static final int STOP_TIMEOUT_SECONDS = 90;

  private final PulsarContainers containers;
  private final PulsarAdmin admin;
  private int replaced;

  private PulsarCluster(PulsarContainers containers) throws PulsarClientException {
    this.containers = containers;
    this.admin = PulsarAdmin.builder().serviceHttpUrl(adminUrl()).build();
  }

  /** Starts a cluster and returns when clients can use it. */
  static PulsarCluster start(Future<String> image) throws IOException, InterruptedException {
    return new PulsarCluster(
        PulsarContainers.start(
            new ClusterOptions(image)
                .proxy()
                .keepLogs(Path.of(System.getProperty("container.logs")))));
  }

  /** Where clients connect: the proxy. */
  String serviceUrl() {
    return "pulsar://" + containers.proxyAddress(PulsarContainers.BROKER_PORT);
  }

  /** The admin API, through the proxy. */
  PulsarAdmin admin() {
    return admin;
  }

  /** The same for other clients. The proxy asks one broker after the other. */
  String adminUrl() {
    return "http://" + containers.proxyAddress(PulsarContainers.WEB_PORT);
  }

  /** Creates a topic, alone in a namespace of its own, which has one bundle. */
  void createTopic(String topic) throws PulsarAdminException {
    TopicName name = TopicName.get(topic);
    if (!admin.tenants().getTenants().contains(name.getTenant())) {
      admin
          .tenants()
          .createTenant(
              name.getTenant(),
              TenantInfo.builder().allowedClusters(Set.of(PulsarContainers.NAME)).build());
    }
    admin.namespaces().createNamespace(name.getNamespace());
    admin.topics().createNonPartitionedTopic(topic);
  }

  /** The name of the broker that has the topic. */
  String owner(String topic) throws PulsarAdminException {
    return containers.at(URI.create(admin.lookups().lookupTopic(topic)).getHost()).name();
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
                        containers.node(broker).address() + ":" + PulsarContainers.WEB_PORT);
              }
              assertThat(owner(topic)).as("owner of %s", topic).isEqualTo(broker);
            });
  }

  /**
   * Returns when both brokers are there. One that has ended by itself is started again, as whoever
   * runs a cluster does: a broker that starts may give up when ZooKeeper is slow.
   *
   * @throws IOException with the last words of each, when they are not
   */
  void awaitBothBrokers() throws IOException {
    try {
      await()
          .atMost(READY_TIMEOUT)
          .ignoreExceptions()
          .until(
              () -> {
                startEndedBrokers();
                return admin.brokers().getActiveBrokers(PulsarContainers.NAME).size() == 2;
              });
    } catch (ConditionTimeoutException e) {
      throw new IOException(
          containers.brokers().stream()
              .map(broker -> "%s: %s".formatted(broker.name(), broker.lastWords()))
              .collect(Collectors.joining(System.lineSeparator())),
          e);
    }
  }

  private void startEndedBrokers() throws IOException {
    for (Node broker : containers.brokers()) {
      if (!broker.isRunning()) {
        System.out.printf(
            "%s has ended by itself, and is started again; %s%n",
            broker.name(), broker.lastWords());
        broker.restart();
      }
    }
  }

  /** Ends a broker in order, and starts one of the given image in its place, with its settings. */
  void replace(String name, Future<String> image) throws IOException {
    containers.node(name).stop(STOP_TIMEOUT_SECONDS);
    assertThat(containers.node(name).wasKilled())
        .as("%s did not end within %d s", name, STOP_TIMEOUT_SECONDS)
        .isFalse();
    replaced++;
    containers.replaceBroker(name, image, "%s-replaced-%d".formatted(name, replaced));
    awaitBothBrokers();
  }

  /** Ends a container's process with SIGKILL; its disk stays. */
  void kill(String name) throws IOException {
    containers.node(name).signal("KILL");
  }

  /** Starts a killed container again, on the disk it had; does not wait until it is ready. */
  void restart(String name) throws IOException {
    containers.node(name).restart();
  }

  /** Everything that a container has logged, also before it was killed. */
  String log(String name) {
    return containers.node(name).log();
  }

  /** Stops and removes everything; the logs are kept. */
  @Override
  public void close() throws IOException {
    admin.close();
    containers.close();
  }
}
