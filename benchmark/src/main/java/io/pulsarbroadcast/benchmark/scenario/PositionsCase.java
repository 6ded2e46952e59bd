/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import java.util.Random;
import java.util.function.IntUnaryOperator;

/** Where consumers stand when their positions are measured. Any thread may call it. */
enum PositionsCase {
  ONE_PLACE("one place", "one-place"),
  HUNDRED_PLACES("100 places", "100-places"),
  OWN_PLACES("own places", "own-places"),
  HOLES("1 % with holes", "holes");

  static final int PLACES = 100;

  /** Of so many consumers one has holes. */
  static final int HOLDERS_SHARE = 100;

  private static final long SEED = 1;

  private final String label;
  private final String topic;

  PositionsCase(String label, String topic) {
    this.label = label;
    this.topic = topic;
  }

  String label() {
    return label;
  }

  String topic() {
    return "positions-" + topic;
  }

  /** Messages that are needed, so that everybody has one to receive after its place. */
  int messages(int consumers, int holes) {
    return switch (this) {
      case ONE_PLACE -> 2;
      case HUNDRED_PLACES -> PLACES + 1;
      case OWN_PLACES -> consumers + 1;
      case HOLES -> 2 * holes + 2;
    };
  }

  /** The message each consumer is moved to by seek, or null when it stays at the first. */
  IntUnaryOperator seeks() {
    return switch (this) {
      case ONE_PLACE, HOLES -> null;
      case HUNDRED_PLACES -> consumer -> new Random(SEED + consumer).nextInt(PLACES);
      case OWN_PLACES -> consumer -> consumer;
    };
  }
}
