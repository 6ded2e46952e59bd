/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import java.util.stream.Stream;

/**
 * Where an operator moves the positions of one name, as JSON has it (docs/openapi.yaml). Immutable.
 * One of the four ways to say where is there.
 *
 * @param name whose positions
 * @param to {@code earliest} or {@code latest}
 * @param messageId the first entry to deliver, {@code ledger:entry}
 * @param timestampMillis the first entry published at or after it
 * @param positionOf the lowest position of another name
 * @param dryRun only says what would be moved
 */
public record PositionsMove(
    String name,
    String to,
    String messageId,
    Long timestampMillis,
    String positionOf,
    boolean dryRun) {

  static final String EARLIEST = "earliest";
  static final String LATEST = "latest";

  /**
   * @throws IllegalArgumentException when something is missing, not allowed or there twice
   */
  public PositionsMove {
    if (name == null) {
      throw new IllegalArgumentException("The field name is missing");
    }
    long ways =
        Stream.of(to, messageId, timestampMillis, positionOf).filter(each -> each != null).count();
    if (ways != 1) {
      throw new IllegalArgumentException(
          (ways == 0
                  ? "Nothing says where to move to"
                  : "More than one field says where to move to")
              + "; allowed is one of to, messageId, timestampMillis and positionOf");
    }
    if (to != null && !to.equals(EARLIEST) && !to.equals(LATEST)) {
      throw new IllegalArgumentException(
          "Invalid to '" + to + "'; allowed are " + EARLIEST + " and " + LATEST);
    }
    if (messageId != null && !messageId.matches("\\d{1,18}:\\d{1,18}")) {
      throw new IllegalArgumentException(
          "Invalid messageId '" + messageId + "'; allowed is ledger:entry, 12:34 for instance");
    }
  }

  /**
   * What was moved, or would be.
   *
   * @param positions how many have the name
   * @param markDeletePosition the last entry before where they are now
   * @param lagEntries entries after it
   * @param skippedEntries what they had not acknowledged before it, summed over them
   * @param backlogEntries what the subscription holds now
   */
  public record Result(
      boolean dryRun,
      int positions,
      String markDeletePosition,
      long lagEntries,
      long skippedEntries,
      long backlogEntries) {}
}
