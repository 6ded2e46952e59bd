/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import java.io.IOException;

/** A split of a topic's bundle, which unloads it. */
final class SplitFault implements Fault {
  private final NemesisCluster cluster;
  private final String topic;
  private String before;

  SplitFault(NemesisCluster cluster, String topic) {
    this.cluster = cluster;
    this.topic = topic;
  }

  @Override
  public String what() {
    return "split of the bundle of " + topic;
  }

  @Override
  public boolean isCrash() {
    return false;
  }

  @Override
  public void begin() throws IOException, InterruptedException {
    before = cluster.admin().bundle(topic);
    cluster.admin().split(topic);
  }

  @Override
  public boolean isConfirmed() throws IOException, InterruptedException {
    return !cluster.admin().bundle(topic).equals(before);
  }
}
