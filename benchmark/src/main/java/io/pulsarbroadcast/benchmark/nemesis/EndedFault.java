/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;
import java.util.List;

/**
 * A part that has ended by itself, as brokers and bookies do without their session, while no fault
 * did it. It is over before it is noticed.
 */
final class EndedFault implements Fault {
  private final NemesisCluster cluster;
  private final String what;

  EndedFault(NemesisCluster cluster, List<Node> unready) {
    this.cluster = cluster;
    this.what = cluster.describe(unready);
  }

  @Override
  public String what() {
    return what;
  }

  @Override
  public void begin() {}

  @Override
  public boolean isConfirmed() {
    return true;
  }

  @Override
  public void heal() throws IOException, InterruptedException {
    cluster.awaitReady();
  }
}
