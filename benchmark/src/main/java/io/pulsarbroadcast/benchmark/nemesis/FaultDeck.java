/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.nemesis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The order of the faults: each kind once, in any order, before one comes again. */
final class FaultDeck {
  private final List<FaultKind> kinds;
  private final Random random;
  private final List<FaultKind> left = new ArrayList<>();

  FaultDeck(List<FaultKind> kinds, Random random) {
    this.kinds = kinds;
    this.random = random;
  }

  FaultKind next() {
    if (left.isEmpty()) {
      left.addAll(kinds);
      Collections.shuffle(left, random);
    }
    return left.remove(0);
  }
}
