/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import io.pulsarbroadcast.benchmark.cli.InvalidOptionException;
import io.pulsarbroadcast.benchmark.load.AckPolicy;
import io.pulsarbroadcast.benchmark.server.LoadServer;
import java.util.Locale;

/** Whether the floor is sent acknowledgements, which it throws away. */
enum FloorAcks {
  NONE,
  DROPPED,
  BOTH;

  static FloorAcks parse(String value) {
    try {
      return valueOf(value.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new InvalidOptionException(
          "--floor-acks is " + value + "; allowed: none, dropped, both");
    }
  }

  /** Adds the series this means. */
  void addTo(Rounds rounds, LoadServer floor, LoadOptions load) {
    if (this != DROPPED) {
      rounds.add(
          "Floor",
          floor,
          topic -> load.broadcast(floor.serviceUrl(), topic).ackPolicy(AckPolicy.NONE).build());
    }
    if (this != NONE) {
      rounds.add(
          "Floor, acks dropped", floor, topic -> load.broadcast(floor.serviceUrl(), topic).build());
    }
  }
}
