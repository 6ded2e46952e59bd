/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.topic;

import java.util.List;

/**
 * Some of a subscription's positions, as JSON shows them (docs/openapi.yaml). Immutable.
 *
 * @param connected how many consumers are connected
 * @param absent how many consumers may return to a position
 * @param positionsLost whether the backlog is held for positions that were lost
 * @param backlogEntries what the subscription holds
 * @param backlogBytes the same, as the broker estimates it
 * @param matching how many positions match, listed or not
 * @param offset how many of them come before
 */
public record PositionsPage(
    String topic,
    String subscription,
    int connected,
    int absent,
    boolean positionsLost,
    long backlogEntries,
    long backlogBytes,
    int matching,
    int offset,
    List<Row> positions) {

  /**
   * One position. What does not apply is null, and not shown.
   *
   * @param state {@code connected} or {@code absent}
   * @param consumers how many consumers it stands for
   * @param durable whether it outlives its connection
   * @param markDeletePosition the last entry before it, {@code ledger:entry}
   * @param lagEntries entries after it
   * @param lagBytes stored bytes after it, as the broker estimates them
   * @param absentSeconds how long its consumer has been away
   * @param timeToLiveSeconds how long it waits for an absent consumer
   * @param expiresInSeconds when it will be dropped
   * @param address its client's
   */
  public record Row(
      String name,
      String state,
      int consumers,
      boolean durable,
      String markDeletePosition,
      long lagEntries,
      long lagBytes,
      Long absentSeconds,
      Long timeToLiveSeconds,
      Long expiresInSeconds,
      String address) {}
}
