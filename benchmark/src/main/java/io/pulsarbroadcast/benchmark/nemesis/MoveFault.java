/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;

/** An unload of a topic's bundle, to wherever it goes or to another broker. */
final class MoveFault implements Fault {
  private final NemesisCluster cluster;
  private final String topic;
  private final boolean isTransfer;
  private final int which;
  private Node to;
  private int closed;

  private MoveFault(NemesisCluster cluster, String topic, boolean isTransfer, int which) {
    this.cluster = cluster;
    this.topic = topic;
    this.isTransfer = isTransfer;
    this.which = which;
  }

  /** Confirmed when the consumers were closed. */
  static MoveFault unload(NemesisCluster cluster, String topic) {
    return new MoveFault(cluster, topic, false, 0);
  }

  /** Confirmed when the other broker has it. */
  static MoveFault transfer(NemesisCluster cluster, String topic, int which) {
    return new MoveFault(cluster, topic, true, which);
  }

  @Override
  public String what() {
    return isTransfer ? "transfer of " + topic : "unload of " + topic;
  }

  @Override
  public boolean isCrash() {
    return false;
  }

  @Override
  public void begin() throws IOException, InterruptedException {
    closed = cluster.closedByBroker(topic);
    if (isTransfer) {
      to = cluster.other(cluster.admin().owner(topic), which);
      cluster.move(topic, to);
    } else {
      cluster.admin().unload(topic, null);
    }
  }

  @Override
  public boolean isConfirmed() throws IOException, InterruptedException {
    return isTransfer ? cluster.admin().owner(topic) == to : cluster.closedByBroker(topic) > closed;
  }
}
