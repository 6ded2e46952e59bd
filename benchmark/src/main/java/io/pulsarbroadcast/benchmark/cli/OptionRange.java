/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.cli;

import io.pulsarbroadcast.benchmark.load.PayloadFormat;
import java.util.Locale;
import java.util.Optional;

/** The numbers each option allows. Immutable; any thread may call it. */
public enum OptionRange {
  CONSUMERS("--consumers", 1, 1_000_000),
  CONNECTIONS("--connections", 1, 1_000_000),
  MESSAGES("--messages", 1, 10_000_000),
  WARMUP("--warmup", 0, 9_999_999),
  SIZE("--size", PayloadFormat.MIN_SIZE_BYTES, PayloadFormat.MAX_SIZE_BYTES),
  RATE("--rate", 0.01, 1_000_000),
  RECEIVER_QUEUE("--receiver-queue", 1, 1_000_000),
  SUBSCRIBE_WINDOW("--subscribe-window", 1, 100_000),
  HEAP("--broker-heap-mb", 256, 1_048_576),
  DIRECT("--broker-direct-mb", 128, 1_048_576),
  SUBSCRIPTIONS("--subscriptions", 1, 1_000),
  ROUNDS("--rounds", 1, 1_000),
  CONNECT_TIMEOUT("--connect-timeout-seconds", 1, 86_400),
  STEP_LIMIT("--step-limit-seconds", 1, 86_400),
  STEP_SECONDS("--step-seconds", 1, 3_600),
  RATE_FACTOR("--rate-factor", 1.05, 100),
  P99_LIMIT("--p99-limit-ms", 1, 3_600_000),
  SETTLE("--settle-seconds", 0, 3_600);

  private final String option;
  private final double lowest;
  private final double highest;

  OptionRange(String option, double lowest, double highest) {
    this.option = option;
    this.lowest = lowest;
    this.highest = highest;
  }

  public static Optional<OptionRange> of(String option) {
    for (OptionRange range : values()) {
      if (range.option.equals(option)) {
        return Optional.of(range);
      }
    }
    return Optional.empty();
  }

  /** Throws with option, value and range when the value is outside. */
  public void check(double value) {
    if (!(value >= lowest && value <= highest)) {
      throw new InvalidOptionException(error(number(value)));
    }
  }

  public String error(String value) {
    return "%s is %s; allowed: %s".formatted(option, value, allowed());
  }

  public String allowed() {
    return "%s to %s".formatted(number(lowest), number(highest));
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%s", value);
  }
}
