/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A position of a Broadcast subscription.
 *
 * @param consumers how many consumers it stands for; more than one only of absent namesakes
 * @param durable whether it outlives its connection; null if the broker does not say
 * @param absentSeconds of absent ones, else null
 * @param timeToLiveSeconds of durable ones, else null
 * @param expiresInSeconds of absent ones, else null
 * @param address the client's, of connected ones, else null
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Position(
    String name,
    String state,
    int consumers,
    Boolean durable,
    String markDeletePosition,
    long lagEntries,
    long lagBytes,
    Long absentSeconds,
    Long timeToLiveSeconds,
    Long expiresInSeconds,
    String address) {

  /** Non-durable positions hold no backlog. */
  boolean holdsBacklog() {
    return !Boolean.FALSE.equals(durable);
  }
}
