/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.engine;

/** How a process that serves many sessions receives for them, over a few connections. */
public enum Sessions {
  /** A consumer of the stock client for each. */
  CONSUMERS("consumers"),
  /** A hub on each connection, and its sessions. */
  HUBS("sessions of hubs"),
  /** The same, beside a session of the first hub that requests nothing. */
  HUBS_WITH_A_DEAD_SESSION("sessions of hubs, beside a dead one");

  private final String text;

  Sessions(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
