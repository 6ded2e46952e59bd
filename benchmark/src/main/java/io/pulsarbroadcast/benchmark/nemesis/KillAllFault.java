/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** SIGKILL of every part, as when the power fails, but for what the disks have not been told. */
final class KillAllFault implements Fault {
  /** In which ZooKeeper forgets the sessions of before. */
  private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

  private final NemesisCluster cluster;
  private final List<Node> nodes;

  KillAllFault(NemesisCluster cluster) {
    this.cluster = cluster;
    this.nodes = cluster.nodes();
  }

  @Override
  public String what() {
    return "SIGKILL of all " + nodes.size() + " parts";
  }

  @Override
  public void begin() throws IOException {
    nodes.forEach(cluster::ending);
    // Brokers first, which would end by themselves without ZooKeeper.
    for (int i = nodes.size() - 1; i >= 0; i--) {
      nodes.get(i).signal("KILL");
    }
  }

  @Override
  public boolean isConfirmed() {
    return nodes.stream().noneMatch(Node::isRunning);
  }

  @Override
  public void heal() throws IOException, InterruptedException {
    cluster.awaitReady(cluster.zookeeper());
    Wait.until(
        START_TIMEOUT, "all to be startable", () -> cluster.ended().size() == nodes.size() - 1);
    cluster.start(cluster.ended());
    cluster.awaitReady();
  }
}
