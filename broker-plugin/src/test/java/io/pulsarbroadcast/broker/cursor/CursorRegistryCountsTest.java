/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

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
  void shouldBelongToWhoIsThere() {
    assertThat(registry.isAbandonedByEphemerals()).isTrue();
    VirtualCursor reader = registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0);
    assertThat(registry.isAbandonedByEphemerals()).isFalse();
    registry.disconnect(reader);
    assertThat(registry.isAbandonedByEphemerals()).isTrue();
    registry.keepForDurable();
    assertThat(registry.isAbandonedByEphemerals()).isFalse();
  }
}
