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
  final long subscribedMicros;

  /** Until when its connection has lived: when it was sent something last, or a fault began. */
  long activeMicros;

  /** Since when it waits for everything unacknowledged: it subscribed, or asked for it. */
  long askedLine;

  long askedMicros;

  /** The furthest that it was sent since it subscribed or may start again; null before. */
  Id last;

  long lastLine;

  /** How often it has asked for redelivery without having been sent something further back. */
  int rewinds;

  Incarnation(Subscribe subscribed) {
    this.number = subscribed.incarnation();
    this.contract = subscribed.contract();
    this.subscribedLine = subscribed.line();
    this.subscribedMicros = subscribed.micros();
    this.activeMicros = subscribed.micros();
    this.askedLine = subscribed.line();
    this.askedMicros = subscribed.micros();
  }

  void redeliver(Redeliver asked) {
    rewinds++;
    askedLine = asked.line();
    askedMicros = asked.micros();
  }

  boolean isOrdered() {
    return contract == Contract.ORDERED;
  }

  void sent(Delivery delivery) {
    last = delivery.id();
    lastLine = delivery.line();
  }
}
