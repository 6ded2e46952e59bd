/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.bench;

import java.util.ArrayList;
import java.util.List;

/** The rates of a ramp and how many messages each step takes. Immutable. */
final class RampSchedule {
  private static final int MIN_MESSAGES = 10;

  /** One rate and its messages, {@code from} to before {@code to}. */
  record Step(double messagesPerSecond, int from, int to) {}

  private final List<Step> steps = new ArrayList<>();

  /** From a rate on, each so many times the one before, up to and including the highest. */
  RampSchedule(double first, double factor, double highest, int stepSeconds, int firstMessage) {
    int from = firstMessage;
    for (double rate = first; ; rate = Math.min(rate * factor, highest)) {
      int to = from + Math.max(MIN_MESSAGES, (int) Math.ceil(rate * stepSeconds));
      steps.add(new Step(rate, from, to));
      from = to;
      if (rate >= highest) {
        return;
      }
    }
  }

  List<Step> steps() {
    return List.copyOf(steps);
  }

  /** The number of messages of all steps and of what came before them. */
  int messages() {
    return steps.get(steps.size() - 1).to();
  }

  /**
   * The deliveries per second at which a latency that grows with the load passes a limit, taken
   * from the steps just before and after on logarithmic axes.
   */
  static double crossing(
      double deliveriesBefore,
      double millisBefore,
      double deliveriesAfter,
      double millisAfter,
      double limitMillis) {
    if (millisAfter <= millisBefore) {
      return deliveriesAfter;
    }
    double share =
        (Math.log(limitMillis) - Math.log(millisBefore))
            / (Math.log(millisAfter) - Math.log(millisBefore));
    return Math.exp(
        Math.log(deliveriesBefore)
            + share * (Math.log(deliveriesAfter) - Math.log(deliveriesBefore)));
  }
}
