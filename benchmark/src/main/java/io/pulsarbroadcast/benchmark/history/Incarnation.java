/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import io.pulsarbroadcast.benchmark.history.Event.Contract;
import io.pulsarbroadcast.benchmark.history.Event.Delivery;
import io.pulsarbroadcast.benchmark.history.Event.Redeliver;
import io.pulsarbroadcast.benchmark.history.Event.Subscribe;

/** One subscribe of a consumer, and how far it is. Only the checker's thread uses it. */
final class Incarnation {
  final int number;
  final Contract contract;
  final long subscribedLine;

  /**
   * Since when its consumer waits: it subscribed, or one before it that was sent nothing, either.
   */
  final long waitingMicros;

  /** Until when its connection has lived: when it was sent something last, or a fault began. */
  long activeMicros;

  /** When it subscribed, or asked for everything unacknowledged. */
  long askedLine;

  /** Since when it waits for that. */
  long askedMicros;

  /** Of what it was sent last; 0 before. */
  private long deliveredLine;

  /** Whether its own program has closed it. */
  private boolean closed;

  /** The furthest that it was sent since it subscribed or may start again; null before. */
  Id last;

  long lastLine;

  /** How often it has asked for redelivery without having been sent something further back. */
  int rewinds;

  /** {@code before}: the consumer's last one, or null. */
  Incarnation(Subscribe subscribed, Incarnation before) {
    boolean isStillWaiting = before != null && before.deliveredLine == 0 && !before.closed;
    this.number = subscribed.incarnation();
    this.contract = subscribed.contract();
    this.subscribedLine = subscribed.line();
    this.waitingMicros = isStillWaiting ? before.waitingMicros : subscribed.micros();
    this.activeMicros = subscribed.micros();
    this.askedLine = subscribed.line();
    this.askedMicros = isStillWaiting ? before.askedMicros : subscribed.micros();
  }

  void redeliver(Redeliver asked) {
    rewinds++;
    if (deliveredLine >= askedLine) {
      askedMicros = asked.micros();
    }
    askedLine = asked.line();
  }

  void closed() {
    closed = true;
  }

  /** It is sent something, whatever it is. */
  void delivered(Delivery delivery) {
    activeMicros = delivery.micros();
    deliveredLine = delivery.line();
  }

  boolean isOrdered() {
    return contract == Contract.ORDERED;
  }

  void sent(Delivery delivery) {
    last = delivery.id();
    lastLine = delivery.line();
  }
}
