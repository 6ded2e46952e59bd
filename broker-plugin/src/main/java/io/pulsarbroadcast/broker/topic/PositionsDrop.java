/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import io.pulsarbroadcast.broker.cursor.Waiting;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which positions of absent consumers an operator drops, as JSON has it (docs/openapi.yaml).
 * Immutable.
 *
 * @param name those of one name; or
 * @param namePrefix those of names that begin so, and
 * @param absentLongerThanSeconds whose consumers have all been away for longer, and
 * @param furtherBehindThanEntries of which one has more entries after it; or
 * @param all all
 * @param atMost none when they are more; null: any number
 * @param dryRun only says what would be dropped
 */
public record PositionsDrop(
    String name,
    String namePrefix,
    Long absentLongerThanSeconds,
    Long furtherBehindThanEntries,
    boolean all,
    Long atMost,
    boolean dryRun) {

  /**
   * @throws IllegalArgumentException when it does not say which, or says it twice
   */
  public PositionsDrop {
    boolean filtered =
        Stream.of(namePrefix, absentLongerThanSeconds, furtherBehindThanEntries)
            .anyMatch(each -> each != null);
    long ways = Stream.of(name != null, filtered, all).filter(given -> given).count();
    if (ways != 1) {
      throw new IllegalArgumentException(
          (ways == 0
                  ? "Nothing says which positions to drop"
                  : "More than one way says which positions to drop")
              + "; allowed are name, or one or more of namePrefix, absentLongerThanSeconds and"
              + " furtherBehindThanEntries, or all=true");
    }
    if (namePrefix != null && namePrefix.isEmpty()) {
      throw new IllegalArgumentException(
          "The namePrefix is empty; allowed is one character or more, or all=true");
    }
    notNegative("absentLongerThanSeconds", absentLongerThanSeconds);
    notNegative("furtherBehindThanEntries", furtherBehindThanEntries);
    notNegative("atMost", atMost);
  }

  private static void notNegative(String field, Long value) {
    if (value != null && value < 0) {
      throw new IllegalArgumentException(
          "Invalid " + field + " " + value + "; allowed is a whole number, 0 or more");
    }
  }

  /**
   * Whether it drops what waits under a name.
   *
   * @param lag entries after the lowest position
   */
  boolean matches(Waiting waiting, long lag, long nowMillis) {
    return (name == null || name.equals(waiting.name()))
        && (namePrefix == null || waiting.name().startsWith(namePrefix))
        && (absentLongerThanSeconds == null
            || (nowMillis - waiting.leftMillis()) / 1_000 > absentLongerThanSeconds)
        && (furtherBehindThanEntries == null || lag > furtherBehindThanEntries);
  }

  /**
   * What was dropped, or would be.
   *
   * @param positions how many
   * @param entries what their consumers had not acknowledged, summed over them
   * @param names their names, 100 at the most
   * @param backlogEntries what the subscription holds now
   */
  public record Result(
      boolean dryRun, int positions, long entries, List<String> names, long backlogEntries) {}
}
