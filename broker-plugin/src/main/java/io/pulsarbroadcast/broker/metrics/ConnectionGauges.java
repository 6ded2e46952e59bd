/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

/**
 * What one connection adds to the gauges of a subscription: told when it changes, so that nobody
 * has to ask every connection. Confined to the connection's event loop.
 */
public final class ConnectionGauges {

  private final SubscriptionMetrics metrics;
  private int laggards;
  private boolean unwritable;
  private boolean closed;

  /** Of a connection that has just been made. */
  public ConnectionGauges(SubscriptionMetrics metrics) {
    this.metrics = metrics;
    metrics.connections(1);
  }

  /**
   * Tells how it is now.
   *
   * @param laggardsNow its consumers behind the tail
   * @param unwritableNow whether its socket is full
   */
  public void update(int laggardsNow, boolean unwritableNow) {
    if (laggardsNow != laggards) {
      metrics.laggards(laggardsNow - laggards);
      laggards = laggardsNow;
    }
    if (unwritableNow != unwritable) {
      metrics.unwritableConnections(unwritableNow ? 1 : -1);
      unwritable = unwritableNow;
    }
  }

  /** The connection is gone. */
  public void close() {
    update(0, false);
    if (!closed) {
      closed = true;
      metrics.connections(-1);
    }
  }
}
