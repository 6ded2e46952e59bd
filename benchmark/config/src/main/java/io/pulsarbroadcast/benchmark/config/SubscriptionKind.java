/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

/** The subscription types that a driver file may name. */
public enum SubscriptionKind {
  /** One subscription for all consumers, each of which gets every message; needs the plugin. */
  Broadcast,
  /** Pulsar's own types, with a subscription for each consumer. */
  Exclusive,
  Shared,
  Failover,
  Key_Shared;

  /** Whether the broker takes cumulative acknowledgements. */
  public boolean allowsCumulative() {
    return this != Shared && this != Key_Shared;
  }
}
