/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

import java.util.ArrayList;
import java.util.List;

/** Whole numbers separated by commas, as the value of an option. Any thread may call it. */
public final class NumberList {
  private NumberList() {}

  /** Throws {@link InvalidOptionException} for anything else, and for a number out of range. */
  public static List<Integer> parse(String option, String value, int lowest, int highest) {
    List<Integer> numbers = new ArrayList<>();
    for (String part : value.split(",", -1)) {
      try {
        int number = Integer.parseInt(part.strip());
        if (number >= lowest && number <= highest) {
          numbers.add(number);
          continue;
        }
      } catch (NumberFormatException e) {
        // Said below.
      }
      throw new InvalidOptionException(
          "%s is %s; allowed: whole numbers from %d to %d, separated by commas"
              .formatted(option, value, lowest, highest));
    }
    return numbers;
  }
}
