/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * What was moved, or would be.
 *
 * @param positions how many have the name
 * @param skippedEntries what they had not acknowledged and will not be sent, summed over them
 * @param backlogEntries what the subscription holds afterwards
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Moved(
    boolean dryRun,
    int positions,
    String markDeletePosition,
    long lagEntries,
    long skippedEntries,
    long backlogEntries) {}
