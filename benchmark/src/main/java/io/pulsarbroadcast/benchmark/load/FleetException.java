/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.load;

/** Says why a fleet cannot do its work. */
public final class FleetException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean refused;

  private FleetException(String message, boolean refused) {
    super(message);
    this.refused = refused;
  }

  /** Consumers could not be subscribed. */
  static FleetException refused(String message) {
    return new FleetException(message, true);
  }

  /** Connections are lost, or the load could not be published. */
  public static FleetException failed(String message) {
    return new FleetException(message, false);
  }

  /** True when the broker answers, but refuses consumers. */
  public boolean isRefused() {
    return refused;
  }
}
