/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.annotation.JsonInclude;

/** Where to move the positions of a name: one of the four places is not null. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Move(
    String name,
    String to,
    String messageId,
    Long timestampMillis,
    String positionOf,
    boolean dryRun) {

  public Move withDryRun(boolean newDryRun) {
    return new Move(name, to, messageId, timestampMillis, positionOf, newDryRun);
  }
}
