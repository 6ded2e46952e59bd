/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.Seeds;
import org.junit.jupiter.api.Test;

/**
 * Everything that happens to positions, in random order, against a naive reference. Protects I1 (as
 * far as positions decide it), I3, I4, I5 and the counting part of I6.
 *
 * <p>{@code -Dmodel.steps=1000000} takes more steps; {@code -Dmodel.seed=N} repeats one run.
 */
class PositionsModelTest {

  private static final int STEPS_PER_RUN = 500;

  @Test
  void shouldAgreeWithANaiveReference() {
    int steps = Integer.getInteger("model.steps", 50_000);
    Seeds.forEach("model", Math.max(2, steps / STEPS_PER_RUN), PositionsModelTest::run);
  }

  private static void run(long seed) {
    try {
      new PositionsModel(seed, false).run(STEPS_PER_RUN);
    } catch (AssertionError | RuntimeException e) {
      PositionsModel again = new PositionsModel(seed, true);
      try {
        again.run(STEPS_PER_RUN);
      } catch (AssertionError | RuntimeException sameAgain) {
        throw new AssertionError(sameAgain + "\nafter\n" + again.trace(), sameAgain);
      }
      throw new AssertionError("but not a second time: " + e, e);
    }
  }
}
