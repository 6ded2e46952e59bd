/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.metrics;

/** The middle of some numbers. Stateless; any thread may call it. */
public final class Median {
  private Median() {}

  /** Of numbers in ascending order, at least one; with an even count, halfway between the two. */
  public static double ofSorted(double... sorted) {
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }
}
