/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

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
    Long only = Long.getLong("model.seed");
    long runs = only != null ? 1 : Math.max(1, Long.getLong("model.steps", 50_000) / STEPS_PER_RUN);
    long first = only != null ? only : Long.getLong("model.first.seed", 0);
    for (long seed = first; seed < first + runs; seed++) {
      run(seed);
    }
    assertThat(runs).isPositive();
  }

  private static void run(long seed) {
    try {
      new PositionsModel(seed, false).run(STEPS_PER_RUN);
    } catch (AssertionError | RuntimeException e) {
      PositionsModel again = new PositionsModel(seed, true);
      try {
        again.run(STEPS_PER_RUN);
      } catch (AssertionError | RuntimeException sameAgain) {
        throw new AssertionError(
            "-Dmodel.seed=" + seed + ": " + sameAgain + "\nafter\n" + again.trace(), sameAgain);
      }
      throw new AssertionError("-Dmodel.seed=" + seed + ", but not a second time: " + e, e);
    }
  }
}
