/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import io.pulsarbroadcast.cluster.Node;
import java.io.IOException;

/** A broker that is ended in order and started again, as in a rolling restart. */
final class RestartFault implements Fault {
  private static final int STOP_TIMEOUT_SECONDS = 90;

  private final NemesisCluster cluster;
  private final Node broker;
  private final Confirmation moved;

  RestartFault(NemesisCluster cluster, Node broker) {
    this.cluster = cluster;
    this.broker = broker;
    this.moved = Confirmation.moved(cluster, broker);
  }

  @Override
  public String what() {
    return "restart of " + broker.name();
  }

  @Override
  public boolean isCrash() {
    return false;
  }

  @Override
  public void begin() throws IOException, InterruptedException {
    moved.prepare();
    cluster.ending(broker);
    broker.stop(STOP_TIMEOUT_SECONDS);
    if (broker.wasKilled()) {
      throw new IOException(
          "%s did not end within %d s".formatted(broker.name(), STOP_TIMEOUT_SECONDS));
    }
  }

  @Override
  public boolean isConfirmed() throws IOException, InterruptedException {
    return moved.holds();
  }

  @Override
  public void heal() throws IOException, InterruptedException {
    cluster.awaitReady(broker);
  }
}
