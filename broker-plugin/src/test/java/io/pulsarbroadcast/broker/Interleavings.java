/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * How far Lincheck goes: it makes up scenarios of a few operations per thread, and runs each in
 * many interleavings: enough to find the races that were put in on purpose. {@code
 * -Dlincheck.scenarios=500 -Dlincheck.interleavings=2000} goes further than a build can wait for.
 */
public final class Interleavings {

  private static final int INTERLEAVINGS = Integer.getInteger("lincheck.interleavings", 100);

  private Interleavings() {}

  /**
   * Checks that what each interleaving answers, some order of the operations answers too.
   *
   * @param scenarios how many, unless {@code -Dlincheck.scenarios} says otherwise
   * @param aside classes, by how their names begin, that are used under one lock or by one thread
   *     only and are not the subject: no switch of threads inside them, which takes less time
   */
  public static void check(
      Class<?> tested, Class<?> sequentialSpecification, int scenarios, String... aside) {
    options(Integer.getInteger("lincheck.scenarios", scenarios))
        .actorsAfter(looksAtTheEndItself(tested) ? 0 : 2)
        .addGuarantee(
            forClasses(name -> Stream.of(aside).anyMatch(name::startsWith)).allMethods().ignore())
        .sequentialSpecification(sequentialSpecification)
        .check(tested);
  }

  private static ModelCheckingOptions options(int scenarios) {
    return new ModelCheckingOptions()
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(2)
        .minimizeFailedScenario(false)
        .addGuarantee(
            forClasses(Interleavings::isGuardedBySomethingElse).allMethods().treatAsAtomic())
        .iterations(scenarios)
        .invocationsPerIteration(INTERLEAVINGS);
  }

  /** Then no operation comes after the threads: it could mend what they left. */
  private static boolean looksAtTheEndItself(Class<?> tested) {
    return Stream.of(tested.getMethods()).anyMatch(m -> m.isAnnotationPresent(Validate.class));
  }

  /** Collections that are not thread-safe and need not be: no switch of threads inside them. */
  private static boolean isGuardedBySomethingElse(String className) {
    return className.startsWith("org.roaringbitmap.")
        || className.startsWith("com.google.")
        || className.startsWith("io.pulsarbroadcast.broker.cursor.OrdinalSet")
        || className.equals("java.util.concurrent.ConcurrentSkipListMap");
  }

  /** To be thrown in operations: assertion libraries are too much code to interleave. */
  public static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalStateException(message);
    }
  }
}
