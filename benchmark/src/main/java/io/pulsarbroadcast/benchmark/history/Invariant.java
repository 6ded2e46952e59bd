/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

/**
 * What a history has to keep: the invariants of docs/contract.md that it can show, and two more.
 */
public enum Invariant {
  /** Without it, nothing can be said of the others. */
  VALID("the history is complete, and its faults happened"),
  LOG("the topic is one log: ids ascend per producer, and each has one published message"),
  I1("every consumer that was registered receives every acknowledged message"),
  I2("a consumer is sent messages in the topic's order, again too"),
  I3("the mark-delete position passes no consumer's position"),
  I4("a consumer that comes back is sent what it has not acknowledged"),
  I5("nothing comes again whose acknowledgement may not be lost"),
  I6("every skip is counted, and nothing else is"),
  I7("nobody starves once all faults are over");

  private final String text;

  Invariant(String text) {
    this.text = text;
  }

  /** For people: its name, and what holds. */
  public String text() {
    return switch (this) {
      case VALID, LOG -> text;
      default -> name() + ": " + text;
    };
  }
}
