/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * How far Lincheck goes: it makes up scenarios of a few operations per thread, and runs each in
 * many interleavings. {@code -Dlincheck.scenarios=200 -Dlincheck.interleavings=5000} goes further
 * than a build can wait for.
 */
public final class Interleavings {

  private static final int SCENARIOS = Integer.getInteger("lincheck.scenarios", 3);
  private static final int INTERLEAVINGS = Integer.getInteger("lincheck.interleavings", 40);

  private Interleavings() {}

  /** Checks that what each interleaving answers, some order of the operations answers too. */
  public static void check(Class<?> tested, Class<?> sequentialSpecification) {
    options().sequentialSpecification(sequentialSpecification).check(tested);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(2)
        .actorsAfter(2)
        .minimizeFailedScenario(false)
        .addGuarantee(
            forClasses(Interleavings::isGuardedBySomethingElse).allMethods().treatAsAtomic())
        .iterations(SCENARIOS)
        .invocationsPerIteration(INTERLEAVINGS);
  }

  /** Collections that are not thread-safe and need not be: no switch of threads inside them. */
  private static boolean isGuardedBySomethingElse(String className) {
    return className.startsWith("org.roaringbitmap.") || className.startsWith("com.google.");
  }

  /** To be thrown in operations: assertion libraries are too much code to interleave. */
  public static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalStateException(message);
    }
  }
}
