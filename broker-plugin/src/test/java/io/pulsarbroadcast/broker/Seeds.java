/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker;

import java.util.Random;
import java.util.SplittableRandom;

/**
 * The seeds of a random test: half of its runs are the same every time, half are new every time. A
 * failure names the seed of its run; {@code -DNAME.seed=N} repeats that run alone.
 */
public final class Seeds {

  /** One run of a random test, which its seed repeats. */
  public interface Run {
    void run(long seed) throws Exception;
  }

  private Seeds() {}

  /**
   * Makes the runs of a test, and prints their seeds.
   *
   * @param name what the test is called in {@code -DNAME.seed=N}
   */
  public static void forEach(String name, int runs, Run run) {
    Long only = Long.getLong(name + ".seed");
    if (only != null) {
      run(name, only, run);
      return;
    }
    int fixed = (runs + 1) / 2;
    long firstNew = new SplittableRandom().nextInt(1_000_000, Integer.MAX_VALUE - runs);
    System.out.printf(
        "%s: seeds 0 to %d, and new: %d to %d%n",
        name, fixed - 1, firstNew, firstNew + runs - fixed - 1);
    for (long seed = 0; seed < fixed; seed++) {
      run(name, seed, run);
    }
    for (long seed = firstNew; seed < firstNew + runs - fixed; seed++) {
      run(name, seed, run);
    }
  }

  private static void run(String name, long seed, Run run) {
    try {
      run.run(seed);
    } catch (Exception | AssertionError e) {
      throw new AssertionError("-D" + name + ".seed=" + seed + " repeats: " + e, e);
    }
  }

  /** Random numbers of a seed. Those of {@code new Random(seed)} begin alike for seeds in a row. */
  public static Random random(long seed) {
    return new Random(new SplittableRandom(seed).nextLong());
  }
}
