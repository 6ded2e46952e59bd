/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

import java.util.BitSet;
import java.util.List;

/**
 * What arrived of what should have. Immutable; any thread may call it.
 *
 * @param published messages the broker acknowledged
 * @param expected that many times the consumers
 * @param received first receptions of acknowledged messages
 * @param missing what is lacking of the expected
 * @param duplicates further receptions by the same consumer
 * @param outOfOrder receptions after a message that is further on in the topic, in redeliveries too
 * @param skipped messages passed over when a later one came, in redeliveries too
 * @param corrupt messages whose checksum or layout is wrong
 * @param unexpected messages of another run, and commands that make no sense
 * @param unacknowledged receptions of messages that the broker did not acknowledge
 */
public record DeliveryCounts(
    int published,
    long expected,
    long received,
    long missing,
    long duplicates,
    long outOfOrder,
    long skipped,
    long corrupt,
    long unexpected,
    long unacknowledged) {

  /** Of nothing yet. */
  public static final DeliveryCounts NONE = new DeliveryCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Both together. */
  public DeliveryCounts plus(DeliveryCounts other) {
    return new DeliveryCounts(
        published + other.published,
        expected + other.expected,
        received + other.received,
        missing + other.missing,
        duplicates + other.duplicates,
        outOfOrder + other.outOfOrder,
        skipped + other.skipped,
        corrupt + other.corrupt,
        unexpected + other.unexpected,
        unacknowledged + other.unacknowledged);
  }

  /** Compares what a fleet received with what the broker acknowledged to the publisher. */
  public static DeliveryCounts of(FleetSnapshot fleet, BitSet acknowledged) {
    List<Integer> receivers = fleet.receivers();
    long received = 0;
    long unacknowledged = 0;
    for (int i = 0; i < receivers.size(); i++) {
      if (acknowledged.get(i)) {
        received += receivers.get(i);
      } else {
        unacknowledged += receivers.get(i);
      }
    }
    int published = acknowledged.cardinality();
    long expected = (long) published * fleet.consumers();
    return new DeliveryCounts(
        published,
        expected,
        received,
        expected - received,
        fleet.duplicates(),
        fleet.outOfOrder(),
        fleet.skipped(),
        fleet.corrupt(),
        fleet.unexpected() + fleet.protocolErrors(),
        unacknowledged);
  }
}
