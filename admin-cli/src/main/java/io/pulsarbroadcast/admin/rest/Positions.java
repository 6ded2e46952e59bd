/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.admin.rest;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Some positions of a subscription, and the state of all.
 *
 * @param furthestBehind what holds the backlog; null if nothing does, and as the broker answers
 * @param matching how many match, listed or not
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Positions(
    String topic,
    String subscription,
    int connected,
    int absent,
    boolean positionsLost,
    long backlogEntries,
    long backlogBytes,
    Position furthestBehind,
    int matching,
    int offset,
    List<Position> positions) {

  /** The same with what holds the backlog, taken from a list sorted by lag. */
  public Positions withFurthestBehind(List<Position> byLag) {
    Position furthest = byLag.stream().filter(Position::holdsBacklog).findFirst().orElse(null);
    return new Positions(
        topic,
        subscription,
        connected,
        absent,
        positionsLost,
        backlogEntries,
        backlogBytes,
        furthest,
        matching,
        offset,
        positions);
  }

  /** The same with other positions. */
  Positions with(int newMatching, int newOffset, List<Position> newPositions) {
    return new Positions(
        topic,
        subscription,
        connected,
        absent,
        positionsLost,
        backlogEntries,
        backlogBytes,
        furthestBehind,
        newMatching,
        newOffset,
        newPositions);
  }
}
