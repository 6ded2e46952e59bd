/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * What was dropped, or would be.
 *
 * @param entries what the positions had not acknowledged, summed over them
 * @param names the first ones
 * @param backlogEntries what the subscription holds afterwards
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Dropped(
    boolean dryRun, int positions, long entries, List<String> names, long backlogEntries) {

  public Dropped {
    names = names == null ? List.of() : names;
  }
}
