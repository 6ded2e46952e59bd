/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.config;

import java.io.File;

/** The checks of one file. One thread may call it. */
final class Check {
  private final File file;

  Check(File file) {
    this.file = file;
  }

  Check range(String key, double value, double lowest, double highest) {
    return that(
        value >= lowest && value <= highest,
        key,
        number(value),
        number(lowest) + " to " + number(highest));
  }

  Check that(boolean right, String key, Object value, String allowed) {
    if (!right) {
      throw new ConfigException(file + ": " + key + " is " + value + "; allowed: " + allowed);
    }
    return this;
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
