/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it.lifecycle;

/** What the policies of a namespace make of the topics in it. */
enum Rules {
  /** What everybody has acknowledged is kept. */
  RETAINING(true, false, Rules.MANY),

  /** What everybody has acknowledged is deleted from storage. */
  TRIMMING(false, false, Rules.MANY),

  /** A subscription has few consumers at a time. */
  LIMITED(false, false, 2),

  /** Only an administrator makes subscriptions. */
  STRICT(true, true, Rules.MANY);

  private static final int MANY = 1_000;

  final boolean retained;
  final boolean declaredOnly;
  final int maxConsumers;

  Rules(boolean retained, boolean declaredOnly, int maxConsumers) {
    this.retained = retained;
    this.declaredOnly = declaredOnly;
    this.maxConsumers = maxConsumers;
  }

  /** Three quarters of the seeds have no such limits. */
  static Rules of(long seed) {
    return switch ((int) Math.floorMod(seed, 8L)) {
      case 3 -> LIMITED;
      case 6 -> STRICT;
      case 0, 2, 4 -> RETAINING;
      default -> TRIMMING;
    };
  }
}
