/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the registry tells of its positions, and counts as missed (I6). */
class CursorRegistryCountsTest {

  private final SkippedEntries skipped = new SkippedEntries();
  private final CursorRegistry registry = new CursorRegistry(skipped, 5);

  @Test
  void shouldTellThePositionsOfConnectedConsumers() {
    registry.connect("a", 60, () -> 7, 0);
    VirtualCursor gone = registry.connect("b", 60, () -> 8, 0);
    registry.connect("c", CursorRegistry.EPHEMERAL, () -> 9, 0);
    registry.disconnect(gone);
    assertThat(registry.connectedPositions()).containsExactlyInAnyOrder(7, 9);
    assertThat(registry.connectedCount()).isEqualTo(2);
    assertThat(registry.connectedDurableCount()).isEqualTo(1);
    registry.connect("reader, too", CursorRegistry.EPHEMERAL, () -> 9, 0);
    assertThat(registry.connectedDurableCount()).isEqualTo(1);
  }

  @Test
  void shouldFindTheLowestOfHoweverMany() {
    for (int connected = 1; connected <= 40; connected++) {
      int ordinal = 100 - connected;
      CursorRegistry others = new CursorRegistry(skipped, 5);
      for (int i = 1; i <= connected; i++) {
        int at = 100 - i;
        others.connect("car-" + i, 60, () -> at, 0);
      }
      assertThat(others.lowest()).as("%d consumers", connected).isEqualTo(ordinal);
    }
  }

  @Test
  void shouldTellThePublishedPosition() {
    assertThat(registry.floor()).isEqualTo(5);
    registry.connect("a", 60, () -> 7, 0);
    assertThat(registry.floor()).as("not published yet").isEqualTo(5);
    registry.lowest();
    assertThat(registry.floor()).isEqualTo(7);
  }

  @Test
  void shouldNotCountAConsumerThatMissesNothing() {
    VirtualCursor hasAll = registry.connect("has all", 60, () -> 6, 10);
    hasAll.ackIndividual(7);
    hasAll.ackIndividual(8);
    hasAll.ackIndividual(9);
    registry.connect("there already", 60, () -> 10, 10);
    assertThat(registry.skipTo(10)).isEqualTo(new CursorRegistry.Skipped(1, 1));
    hasAll.delivered(12);
    hasAll.ackIndividual(11);
    hasAll.ackIndividual(10);
    assertThat(registry.skipTo(12)).isEqualTo(new CursorRegistry.Skipped(1, 2));
  }

  @Test
  void shouldNotTakeOrdinalsWithoutAnEntryForMissed() {
    skipped.addGap(5, 10);
    registry.connect("a", 60, () -> 5, 10);
    assertThat(registry.skipTo(10)).as("I6").isEqualTo(CursorRegistry.Skipped.NOTHING);
  }

  @Test
  void shouldNotTakeOrdinalsWithoutAnEntryForMissedWhenAPositionExpires() {
    skipped.addGap(6, 10);
    registry.disconnect(registry.connect("a", 60, () -> 5, 10));
    assertThat(registry.expire(Long.MAX_VALUE, 12))
        .as("I6")
        .isEqualTo(new CursorRegistry.Skipped(1, 3));
  }

  @Test
  void shouldNotTakeOrdinalsWithoutAnEntryForLag() {
    skipped.addGap(6, 10);
    assertThat(registry.lag(5, 12)).isEqualTo(3);
    assertThat(registry.lag(12, 11)).as("an end that was read before").isZero();
  }

  @Test
  void shouldBelongToWhoIsThere() {
    assertThat(registry.isAbandonedByEphemerals()).isTrue();
    VirtualCursor reader = registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0);
    assertThat(registry.isAbandonedByEphemerals()).isFalse();
    registry.disconnect(reader);
    assertThat(registry.isAbandonedByEphemerals()).isTrue();
    registry.keepForDurable();
    assertThat(registry.isAbandonedByEphemerals()).isFalse();
  }

  @Test
  void shouldStillBeEphemeralConsumersWhenADurableOneWasRefused() {
    VirtualCursor reader = registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0);
    reader.delivered(30);
    registry.forget(registry.connect("a", 60, () -> 5, 0));

    assertThat(registry.isKeptForDurable()).isFalse();
    assertThat(registry.lowest()).isEqualTo(30);
    registry.disconnect(reader);
    assertThat(registry.isAbandonedByEphemerals()).isTrue();
  }

  @Test
  void shouldKnowOfDurablePositionsBesideEphemeralOnes() {
    registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0);
    assertThat(registry.hasDurable()).isFalse();
    registry.disconnect(registry.connect("a", 60, () -> 5, 0));
    assertThat(registry.hasDurable()).isTrue();
    registry.forget(registry.connect("a", 60, () -> 5, 0));
    assertThat(registry.hasDurable()).isFalse();
    assertThat(registry.isEmpty()).isFalse();
  }

  /** I3 */
  @Test
  void shouldBeHeldForWhoLostTheirPositionsUntilSomebodyDecides() {
    assertThat(registry.isFloorHeld()).isFalse();
    registry.holdFloor();
    assertThat(registry.isFloorHeld()).isTrue();
    assertThat(registry.isEmpty()).isFalse();
    registry.releaseFloor();
    assertThat(registry.isFloorHeld()).isFalse();
    assertThat(registry.isEmpty()).isTrue();
  }

  @Test
  void shouldNotCountGapsForThoseWhosePositionsAreLost() {
    skipped.addGap(7, 9);
    registry.holdFloor();
    assertThat(registry.skipTo(10)).as("I6").isEqualTo(new CursorRegistry.Skipped(1, 3));
  }

  /** A write that arrived in part may have it twice. */
  @Test
  void shouldCountANameOnceThatIsRestoredTwice() {
    registry.restore("a", 60, List.of(registry.left("a", 6, 0, 0, 0, 1)), 1, 0);
    registry.restore("a", 60, List.of(registry.left("a", 6, 0, 0, 0, 1)), 1, 0);
    assertThat(registry.leftBehindCount()).isEqualTo(1);
  }

  /** An operator lets go of what waits sooner by a shorter limit. */
  @Test
  void shouldDropWhatIsRestoredAfterTheLongestTimeToLiveThatIsAllowedNow() {
    registry.limitTimesToLive(60);
    registry.restore("a", 3600, List.of(registry.left("a", 6, 0, 1_000, 1_000, 1)), 1, 0);
    assertThat(registry.expire(60_999, 10)).isEqualTo(CursorRegistry.Skipped.NOTHING);
    assertThat(registry.expire(61_000, 10)).isEqualTo(new CursorRegistry.Skipped(1, 4));
  }

  @Test
  void shouldLeaveNothingBehindForAConsumerThatNeverCounted() {
    registry.disconnectUnanswered(registry.connect("a", 60, () -> 5, 0));
    registry.disconnectUnanswered(registry.connect("r", CursorRegistry.EPHEMERAL, () -> 5, 0));
    assertThat(registry.leftBehindCount()).isZero();
    registry.disconnect(registry.connect("a", 60, () -> 5, 0));
    registry.disconnectUnanswered(registry.connect("a", 60, () -> 5, 0));
    assertThat(registry.leftBehindCount()).as("it had returned").isEqualTo(1);
  }

  @Test
  void shouldTellWhatAConsumerHasYetToAcknowledgeOfWhatItWasGiven() {
    skipped.add(7, 9);
    VirtualCursor cursor = registry.connect("a", 60, () -> 5, 0);
    assertThat(cursor.outstandingBefore(12)).isEqualTo(5);
    assertThat(cursor.outstandingBefore(7)).isEqualTo(2);
    assertThat(cursor.outstandingBefore(3)).as("before its position").isZero();
    cursor.delivered(12);
    cursor.ackIndividual(11);
    assertThat(cursor.unacknowledgedBefore(11)).as("11 is not before it").isEqualTo(6);
    assertThat(cursor.nextGiven(7)).isEqualTo(9);
    assertThat(cursor.cutPart(5, 3)).as("nothing is acknowledged of it").isFalse();
  }
}
