/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CursorRegistryTest {

  private final SkippedEntries skipped = new SkippedEntries();
  private final CursorRegistry registry = new CursorRegistry(skipped, 5);

  @Test
  void shouldHoldTheLowestPositionOfConnectedAndAbsentConsumers() {
    VirtualCursor slow = connect("slow", 5);
    VirtualCursor fast = connect("fast", 5);
    ackTo(fast, 20);
    ackTo(slow, 8);
    assertThat(registry.lowest()).isEqualTo(8);
    registry.disconnect(slow);
    assertThat(registry.lowest()).as("I3: an absent consumer holds").isEqualTo(8);
    ackTo(connect("slow", 99), 30);
    assertThat(registry.lowest()).isEqualTo(20);
  }

  @Test
  void shouldGiveAReturningConsumerItsPosition() {
    VirtualCursor cursor = connect("car", 5);
    ackTo(cursor, 9);
    registry.disconnect(cursor);
    assertThat(registry.leftBehindCount()).isEqualTo(1);
    assertThat(connect("car", 50).next()).isEqualTo(9);
    assertThat(registry.leftBehindCount()).isZero();
  }

  @Test
  void shouldGiveConsumersOfOneNameAPositionEachAndKeepTheLowest() {
    VirtualCursor first = connect("same", 5);
    VirtualCursor second = connect("same", 7);
    assertThat(second).isNotSameAs(first);
    ackTo(first, 12);
    ackTo(second, 9);
    registry.disconnect(first);
    registry.disconnect(second);
    assertThat(registry.leftBehindCount()).isEqualTo(1);
    assertThat(connect("same", 50).next()).isEqualTo(9);
  }

  @Test
  void shouldStartNobodyBeforeTheSubscriptionsPosition() {
    assertThat(connect("early", 0).next()).isEqualTo(5);
  }

  @Test
  void shouldStayWhereItIsWhenThereIsNobody() {
    VirtualCursor cursor = connect("only", 5);
    ackTo(cursor, 12);
    assertThat(registry.lowest()).isEqualTo(12);
    assertThat(registry.forget(cursor)).isTrue();
    assertThat(registry.lowest()).isEqualTo(12);
  }

  @Test
  void shouldLeaveNothingBehindForAnEphemeralConsumer() {
    VirtualCursor cursor = registry.connect("reader", -1, () -> 7, 0);
    registry.disconnect(cursor);
    assertThat(registry.leftBehindCount()).isZero();
    assertThat(registry.isEmpty()).isTrue();
  }

  @Test
  void shouldNotBeHeldBackByAnEphemeralConsumer() {
    VirtualCursor reader = registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0);
    ackTo(connect("car", 5), 20);
    assertThat(registry.lowest()).isEqualTo(20);
    assertThat(reader.next()).isEqualTo(5);
  }

  @Test
  void shouldKeepThePositionForDurableConsumersToCome() {
    registry.keepForDurable();
    registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0).delivered(30);
    assertThat(registry.lowest()).isEqualTo(5);
  }

  @Test
  void shouldFollowEphemeralConsumersWhereThereNeverWereOthers() {
    VirtualCursor reader = registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0);
    reader.delivered(30);
    assertThat(registry.lowest()).isEqualTo(30);
    registry.disconnect(reader);
    assertThat(registry.isAbandonedByEphemerals()).isTrue();
  }

  @Test
  void shouldStillKnowTheEntriesForNobodyThatACursorStandsBefore() {
    VirtualCursor cursor = connect("car", 5);
    skipped.add(5, 7);
    assertThat(registry.lowest()).isEqualTo(7);
    cursor.delivered(8);
    cursor.ackIndividual(7);
    assertThat(registry.lowest()).isEqualTo(8);
  }

  @Test
  void shouldPassEntriesThatNobodyIsGiven() {
    ackTo(connect("car", 5), 8);
    skipped.add(8, 11);
    assertThat(registry.lowest()).isEqualTo(11);
  }

  @Test
  void shouldSurviveManyComingAndGoing() {
    VirtualCursor[] cursors = new VirtualCursor[1000];
    for (int i = 0; i < cursors.length; i++) {
      cursors[i] = connect("car-" + i, 5);
    }
    for (int i = 0; i < cursors.length; i += 2) {
      registry.disconnect(cursors[i]);
      registry.disconnect(cursors[i]);
    }
    assertThat(registry.connectedCount()).isEqualTo(500);
    assertThat(registry.leftBehindCount()).isEqualTo(500);
    for (int i = 1; i < cursors.length; i += 2) {
      ackTo(cursors[i], 100);
    }
    assertThat(registry.lowest()).isEqualTo(5);
  }

  @Test
  void shouldMoveEverybodyOnResetOfTheSubscription() {
    VirtualCursor connected = connect("here", 5);
    ackTo(connected, 20);
    registry.disconnect(connect("gone", 6));
    registry.resetAll(3);
    assertThat(connected.next()).isEqualTo(3);
    assertThat(registry.lowest()).isEqualTo(3);
  }

  @Test
  void shouldHoldWhereASeekIsAboutToGo() {
    VirtualCursor seeking = connect("seeking", 5);
    ackTo(seeking, 20);
    assertThat(registry.lowest()).isEqualTo(20);
    assertThat(registry.lowerFloor(8)).isTrue();
    assertThat(registry.lowest()).as("I3: storage keeps 8 until the seek is there").isEqualTo(8);
    registry.moveTo(seeking, 8);
    assertThat(registry.lowest()).isEqualTo(8);
    ackTo(seeking, 30);
    assertThat(registry.lowest()).isEqualTo(30);
  }

  @Test
  void shouldHoldNothingForASeekThatFailed() {
    VirtualCursor seeking = connect("seeking", 5);
    ackTo(seeking, 20);
    registry.lowerFloor(8);
    registry.release(8);
    assertThat(registry.lowest()).isEqualTo(20);
  }

  @Test
  void shouldNotSeekBackBeforeWhatWasSkippedMeanwhile() {
    VirtualCursor seeking = connect("seeking", 5);
    registry.lowerFloor(8);
    registry.advanceAll(30);
    registry.moveTo(seeking, 8);
    assertThat(seeking.next()).as("I3: storage no longer keeps 8").isEqualTo(30);
  }

  private VirtualCursor connect(String name, long start) {
    return registry.connect(name, 60, () -> start, 0);
  }

  private static void ackTo(VirtualCursor cursor, long next) {
    cursor.delivered(next);
    cursor.ackCumulative(next - 1);
  }
}
