/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.metrics;

/** Why consumers of a Broadcast subscription miss entries that they have not acknowledged (I6). */
public enum SkipCause {
  SKIPPED("skip"),
  CLEARED("clear"),
  RESET("reset"),
  EXPIRED("ttl"),
  POSITION_EXPIRED("position_expiry"),
  OTHER("quota"),
  LOST("lost");

  private final String label;

  SkipCause(String label) {
    this.label = label;
  }

  /** For metrics. */
  String label() {
    return label;
  }
}
