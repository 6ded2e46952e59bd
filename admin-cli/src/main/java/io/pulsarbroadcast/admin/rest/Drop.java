/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.annotation.JsonInclude;

/** Which positions to drop; null is no condition. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Drop(
    String name,
    String namePrefix,
    Long absentLongerThanSeconds,
    Long furtherBehindThanEntries,
    Boolean all,
    boolean dryRun) {

  /** All positions. */
  public static Drop all(boolean dryRun) {
    return new Drop(null, null, null, null, true, dryRun);
  }

  public Drop withDryRun(boolean newDryRun) {
    return new Drop(
        name, namePrefix, absentLongerThanSeconds, furtherBehindThanEntries, all, newDryRun);
  }
}
