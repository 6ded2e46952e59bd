/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.client.api.Message;

/** A connected consumer: what it is to be given, and what it has been given. */
final class Session {

  final int slot;
  final int topic;
  final String name;

  /** Whether it is Broadcast; else it is of one of Pulsar's types. */
  final boolean broadcast;

  final boolean ordered;
  final boolean durable;
  Position position;

  /** Received since the last event after which everything unacknowledged comes again. */
  final BitSet received = new BitSet();

  /** Received since the consumer was put to its place. */
  final BitSet everReceived = new BitSet();

  /** Acknowledged since then, which does not come again. */
  final BitSet acknowledged = new BitSet();

  /** The last deliveries of what can be acknowledged. */
  final Map<Integer, Message<String>> deliveries = new HashMap<>();

  Session(
      int slot,
      int topic,
      String name,
      boolean broadcast,
      boolean ordered,
      boolean durable,
      Position position) {
    this.slot = slot;
    this.topic = topic;
    this.name = name;
    this.broadcast = broadcast;
    this.ordered = ordered;
    this.durable = durable;
    this.position = position;
  }

  /** Whether a message comes in its place among others. */
  boolean isInOrder(boolean delayed) {
    return ordered || (broadcast && !delayed);
  }

  /** Whether its position can expire as soon as its connection is lost. */
  boolean isBrief() {
    return broadcast && durable && name.equals(Sequence.BRIEF);
  }

  /** Its client forgot what it had: a new connection, or a seek. */
  void beginAgain() {
    received.clear();
    everReceived.clear();
    acknowledged.clear();
    deliveries.clear();
  }

  @Override
  public String toString() {
    return "consumer %d (%s) of topic %d".formatted(slot, name, topic);
  }
}
