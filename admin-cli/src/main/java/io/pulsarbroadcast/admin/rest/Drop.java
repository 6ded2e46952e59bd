/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Which positions to drop; null is no condition.
 *
 * @param atMost refused when there are more by now
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Drop(
    String name,
    String namePrefix,
    Long absentLongerThanSeconds,
    Long furtherBehindThanEntries,
    Boolean all,
    Integer atMost,
    boolean dryRun) {

  /** All positions. */
  public static Drop everything() {
    return new Drop(null, null, null, null, true, null, true);
  }

  /** The same in earnest: no more than a dry run has shown. */
  public Drop inEarnest(int shown) {
    return new Drop(
        name, namePrefix, absentLongerThanSeconds, furtherBehindThanEntries, all, shown, false);
  }
}
