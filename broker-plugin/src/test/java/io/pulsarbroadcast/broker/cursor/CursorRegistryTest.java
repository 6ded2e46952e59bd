/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
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
  void shouldGiveWhatPlainConsumersAcknowledgedToEachThatStartsAtTheirPosition() {
    registry.inherit(7, 10);
    registry.inherit(12, 70_000);
    VirtualCursor one = connect("one", 5);
    VirtualCursor other = connect("other", 5);
    ackTo(one, 7);
    assertThat(one.next()).isEqualTo(10);
    assertThat(other.isAcknowledged(6)).isFalse();
    assertThat(other.isAcknowledged(7)).isTrue();
    assertThat(other.isAcknowledged(10)).isFalse();
    assertThat(other.isAcknowledged(69_999)).isTrue();
    assertThat(other.isAcknowledged(70_000)).isFalse();
    ackTo(one, 12);
    assertThat(one.next()).isEqualTo(70_000);
    assertThat(registry.lowest()).as("I3").isEqualTo(5);
  }

  /** I1: it is a position like any other from then on. */
  @Test
  void shouldNotGiveWhatPlainConsumersAcknowledgedOnceTheSubscriptionHasMoved() {
    registry.inherit(7, 10);
    ackTo(connect("first", 5), 6);
    registry.lowest();
    registry.lowerFloor(5);
    assertThat(connect("second", 5).isAcknowledged(7)).isFalse();
  }

  /** I1: also a reset to where it was. */
  @Test
  void shouldForgetWhatPlainConsumersAcknowledgedWhenTheSubscriptionIsReset() {
    registry.inherit(7, 10);
    VirtualCursor before = connect("before", 5);
    registry.resetAll(5);
    assertThat(before.isAcknowledged(7)).isFalse();
    assertThat(connect("after", 5).isAcknowledged(7)).isFalse();
  }

  @Test
  void shouldForgetWhatPlainConsumersAcknowledgedWhenAConsumerSeeks() {
    registry.inherit(7, 10);
    VirtualCursor seeks = connect("seeks", 5);
    registry.settle(registry.move(seeks, () -> false, SeekTarget.entry(5)));
    assertThat(seeks.isAcknowledged(7)).isFalse();
    assertThat(connect("other", 5).isAcknowledged(7)).as("it has not sought").isTrue();
  }

  @Test
  void shouldNotGiveWhatPlainConsumersAcknowledgedToConsumersThatStartElsewhere() {
    registry.inherit(7, 10);
    assertThat(connect("later", 6).isAcknowledged(7)).isFalse();
    assertThat(registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0).isAcknowledged(7))
        .isFalse();
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
    assertThat(registry.leftBehindCount()).isEqualTo(2);
    VirtualCursor returned = connect("same", 50);
    assertThat(returned.next()).isEqualTo(9);
    ackTo(returned, 20);
    assertThat(registry.lowest()).as("I3: the other's is held").isEqualTo(9);
    assertThat(connect("same", 50).next()).as("I1").isEqualTo(9);
    assertThat(connect("same", 50).next()).as("no more than left").isEqualTo(50);
  }

  /** I3: until then, a crash would bring it back. */
  @Test
  void shouldHoldWhatADroppedPositionNeedsUntilThatIsOnStorage() {
    leave("parked", 8);
    ackTo(connect("here", 5), 20);

    WaitingDrop drop = drop("parked");
    assertThat(registry.leftBehindCount()).isZero();
    assertThat(registry.list(each -> true)).hasSize(1);
    assertThat(registry.lowest()).isEqualTo(8);

    assertThat(registry.dropped(drop, 30))
        .extracting(Waiting::name, each -> each.unacknowledged().entries())
        .containsExactly(tuple("parked", 22L));
    assertThat(registry.lowest()).isEqualTo(20);
    assertThat(connect("parked", 25).next()).as("as a new one").isEqualTo(25);
  }

  /** I1: and nothing says that its name is stored, whose removal is on its way. */
  @Test
  void shouldGiveAPositionThatIsBeingDroppedToAConsumerThatReturns() {
    leave("parked", 8);
    WaitingDrop drop = drop("parked");

    VirtualCursor back = connect("parked", 25);
    assertThat(back.next()).isEqualTo(8);
    assertThat(registry.isNameStored(back)).isFalse();
    assertThat(registry.dropped(drop, 30)).isEmpty();
    registry.keep(drop);
    assertThat(registry.leftBehindCount()).isZero();
    assertThat(registry.lowest()).as("I3").isEqualTo(8);
    registry.disconnectUnanswered(back);
    assertThat(registry.leftBehindCount()).as("it had returned").isEqualTo(1);
  }

  /** I1 of each namesake: as many return as had left, also after one has meanwhile. */
  @Test
  void shouldKeepThePositionsThatCannotBeDropped() {
    VirtualCursor first = connect("same", 5);
    VirtualCursor second = connect("same", 5);
    VirtualCursor third = connect("same", 5);
    ackTo(first, 7);
    ackTo(second, 9);
    ackTo(third, 11);
    registry.disconnect(first);
    registry.disconnect(second);
    registry.disconnect(third);
    WaitingDrop drop = drop("same");
    assertThat(connect("same", 50).next()).isEqualTo(7);

    registry.keep(drop);
    assertThat(registry.leftBehindCount()).isEqualTo(2);
    VirtualCursor returned = connect("same", 50);
    assertThat(returned.next()).isEqualTo(7);
    assertThat(registry.isNameStored(returned)).as("its removal may be stored").isFalse();
    assertThat(connect("same", 50).next()).isEqualTo(7);
    assertThat(connect("same", 50).next()).as("no more than left").isEqualTo(50);
  }

  /** I1: else a consumer that returns is answered before its name is back on storage. */
  @Test
  void shouldNotTakeANameForStoredThatCouldNotBeDropped() {
    leave("parked", 8);
    registry.keep(drop("parked"));
    VirtualCursor back = connect("parked", 50);
    assertThat(back.next()).isEqualTo(8);
    assertThat(registry.isNameStored(back)).isFalse();
  }

  @Test
  void shouldMoveAPositionThatAnOperatorIsDroppingAsTheOthers() {
    leave("parked", 8);
    WaitingDrop drop = drop("parked");
    assertThat(registry.skipTo(12).entries()).isEqualTo(4);
    registry.keep(drop);
    assertThat(connect("parked", 50).next()).isEqualTo(12);
  }

  @Test
  void shouldDropOnlyWhatIsAsked() {
    leave("far", 8);
    leave("near", 18);
    WaitingDrop drop = registry.dropWaiting(null, waiting -> waiting.lowest() < 10, 30);
    assertThat(registry.dropped(drop, 30)).extracting(Waiting::name).containsExactly("far");
    assertThat(registry.waiting(null, waiting -> true, 30))
        .extracting(Waiting::name, Waiting::lowest)
        .containsExactly(tuple("near", 18L));
  }

  /** Of what another has returned to, or nobody left, nothing is moved. */
  @Test
  void shouldMoveAllThatWaitsUnderAName() {
    leave("same", 8);
    leave("other", 9);
    registry.moveWaiting("same", 20).forEach(registry::settle);
    assertThat(registry.moveWaiting("nobody", 20)).isEmpty();
    assertThat(registry.list(each -> true))
        .extracting(each -> each.cursor().name(), each -> each.cursor().next())
        .containsExactlyInAnyOrder(tuple("same", 20L), tuple("other", 9L));
    connect("same", 50);
    assertThat(registry.moveWaiting("same", 30)).isEmpty();
  }

  /** I1: else the consumer goes on after the new place though the move is not stored. */
  @Test
  void shouldGiveTheOldPlaceToWhoReturnsBeforeAMoveIsSettled() {
    leave("alone", 8);
    CursorRegistry.Move move = registry.moveWaiting("alone", 20).get(0);
    assertThat(connect("alone", 50).next()).isEqualTo(8);
    assertThat(registry.settle(move)).isFalse();

    VirtualCursor first = connect("same", 5);
    VirtualCursor second = connect("same", 5);
    ackTo(first, 9);
    ackTo(second, 10);
    registry.disconnect(first);
    registry.disconnect(second);
    registry.moveWaiting("same", 20);
    assertThat(connect("same", 50).next()).isEqualTo(9);
    assertThat(registry.lowest()).as("I3").isEqualTo(8);
  }

  /** Else it is deleted, and a drop that is not stored restores into nothing. */
  @Test
  void shouldNotBeEmptyWhileAPositionIsBeingDropped() {
    leave("parked", 8);
    WaitingDrop drop = drop("parked");
    assertThat(registry.isEmpty()).isFalse();
    assertThat(registry.hasDurable()).isTrue();
    registry.dropped(drop, 30);
    assertThat(registry.isEmpty()).isTrue();
  }

  private void leave(String name, long next) {
    VirtualCursor cursor = connect(name, 5);
    ackTo(cursor, next);
    registry.disconnect(cursor);
  }

  private WaitingDrop drop(String name) {
    return registry.dropWaiting(name, waiting -> true, 30);
  }

  /** I3: else a namesake's position may move with it, and nobody counts what that one misses. */
  @Test
  void shouldNotMoveAPositionThatIsOneWithANamesakes() {
    VirtualCursor first = connect("same", 5);
    VirtualCursor second = connect("same", 7);
    registry.disconnect(first);
    registry.disconnect(second);
    assertThat(registry.move(first, () -> false, SeekTarget.entry(20))).isNull();
    assertThat(registry.move(second, () -> false, SeekTarget.entry(2))).isNull();
    assertThat(connect("same", 50).next()).isEqualTo(5);
  }

  @Test
  void shouldMoveThePositionOfAConsumerThatHasLeftAlone() {
    VirtualCursor seeks = connect("alone", 10);
    registry.disconnect(seeks);
    assertThat(registry.settle(registry.move(seeks, () -> false, SeekTarget.entry(100)))).isTrue();
    assertThat(connect("alone", 200).next()).isEqualTo(100);
  }

  /** I3: also when a namesake leaves before it is known that the seek is not stored. */
  @Test
  void shouldPutBackAPositionThatBecomesOneWithANamesakes() {
    VirtualCursor beside = connect("same", 60);
    VirtualCursor seeks = connect("same", 10);
    registry.disconnect(seeks);
    CursorRegistry.Move move = registry.move(seeks, () -> false, SeekTarget.entry(100));
    registry.disconnect(beside);
    registry.putBack(move);
    assertThat(connect("same", 200).next()).isEqualTo(10);
  }

  /** I3: who leaves before a seek forward is on storage leaves what it had before. */
  @Test
  void shouldNotLeaveAPositionBehindThatIsNotSettled() {
    VirtualCursor away = connect("same", 60);
    VirtualCursor seeks = connect("same", 10);
    registry.disconnect(away);
    CursorRegistry.Move move = registry.move(seeks, () -> false, SeekTarget.entry(100));
    registry.disconnect(seeks);
    assertThat(registry.settle(move)).isFalse();
    assertThat(registry.putBack(move)).isEqualTo(CursorRegistry.Skipped.NOTHING);
    assertThat(connect("same", 200).next()).isEqualTo(10);
  }

  /** I4: of the batch, too, that the position is at. */
  @Test
  void shouldForgetASeekIntoABatchThatIsNotStored() {
    SeekTarget intoBatch = new SeekTarget(10, new long[] {0b10});
    VirtualCursor seeks = connect("alone", 10);
    registry.putBack(registry.move(seeks, () -> false, intoBatch));
    assertIsLeftAt(10, seeks);
    VirtualCursor leaves = connect("leaves", 10);
    registry.move(leaves, () -> false, intoBatch);
    registry.disconnect(leaves);
    assertIsLeftAt(10, connect("leaves", 200));
  }

  private static void assertIsLeftAt(long batch, VirtualCursor cursor) {
    cursor.delivered(batch + 1);
    cursor.ackPart(batch, new long[] {0b01});
    assertThat(cursor.next()).isEqualTo(batch);
  }

  @Test
  void shouldSettleAMoveBackThoughItsConsumerHasLeft() {
    VirtualCursor seeks = connect("alone", 10);
    CursorRegistry.Move move = registry.move(seeks, () -> false, SeekTarget.entry(3));
    registry.disconnect(seeks);
    assertThat(registry.settle(move)).isTrue();
    assertThat(connect("alone", 200).next()).isEqualTo(3);
  }

  /** The next seek of a consumer that came back is not settled by the one before. */
  @Test
  void shouldSettleOnlyTheMoveThatWasStored() {
    VirtualCursor seeks = connect("alone", 10);
    CursorRegistry.Move first = registry.move(seeks, () -> false, SeekTarget.entry(100));
    registry.disconnect(seeks);
    VirtualCursor again = connect("alone", 200);
    CursorRegistry.Move second = registry.move(again, () -> false, SeekTarget.entry(100));
    assertThat(registry.settle(first)).isFalse();
    registry.disconnect(again);
    assertThat(registry.settle(second)).isFalse();
    assertThat(connect("alone", 200).next()).isEqualTo(10);
  }

  /** Also when the consumer has come back at a place that is not settled. */
  @Test
  void shouldLeaveThePlaceBeforeTheFirstOfTwoMovesThatAreNotSettled() {
    VirtualCursor seeks = connect("alone", 10);
    registry.disconnect(seeks);
    CursorRegistry.Move first = registry.move(seeks, () -> true, SeekTarget.entry(100));
    CursorRegistry.Move second =
        registry.move(connect("alone", 200), () -> false, SeekTarget.entry(150));
    registry.putBack(first);
    assertThat(seeks.next()).as("the second may be stored").isEqualTo(150);
    registry.putBack(second);
    assertThat(seeks.next()).isEqualTo(10);
  }

  /** A seek that took long is not to move the consumer that has come back meanwhile. */
  @Test
  void shouldNotMoveThePositionToWhichAnotherConsumerHasReturned() {
    VirtualCursor left = connect("alone", 10);
    registry.disconnect(left);
    VirtualCursor returned = connect("alone", 200);
    assertThat(returned).isSameAs(left);
    assertThat(registry.move(left, () -> true, SeekTarget.entry(100))).isNull();
    assertThat(returned.next()).isEqualTo(10);
  }

  @Test
  void shouldMoveNobodyElseWhenAMoveIsPutBack() {
    VirtualCursor seeks = connect("alone", 10);
    VirtualCursor reader = registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 2, 0);
    registry.putBack(registry.move(seeks, () -> false, SeekTarget.entry(100)));
    assertThat(seeks.next()).isEqualTo(10);
    assertThat(reader.next()).as("before the subscription's position").isEqualTo(2);
  }

  @Test
  void shouldCountWhatAMoveThatIsPutBackCannotHaveAnyMore() {
    VirtualCursor seeks = connect("alone", 10);
    CursorRegistry.Move move = registry.move(seeks, () -> false, SeekTarget.entry(100));
    registry.skipTo(50);
    assertThat(registry.putBack(move)).isEqualTo(new CursorRegistry.Skipped(1, 40));
    assertThat(seeks.next()).isEqualTo(50);
  }

  @Test
  void shouldKeepThePositionOfAnUnsubscribeThatIsNotStored() {
    VirtualCursor cursor = connect("car", 10);
    ackTo(connect("other", 10), 30);
    assertThat(registry.drop(cursor)).contains(false);
    assertThat(registry.lowest()).as("I3: not stored yet").isEqualTo(10);
    registry.keep(cursor);
    assertThat(registry.leftBehindCount()).isEqualTo(1);
    assertThat(registry.lowest()).as("I3").isEqualTo(10);
    assertThat(connect("car", 50).next()).isEqualTo(10);
    assertThat(connect("car", 50).next()).as("no more than left").isEqualTo(50);
  }

  @Test
  void shouldHoldNothingForAnUnsubscribeThatIsStored() {
    VirtualCursor cursor = connect("car", 10);
    ackTo(connect("other", 10), 30);
    registry.drop(cursor);
    registry.dropped(cursor);
    registry.keep(cursor);
    assertThat(registry.lowest()).isEqualTo(30);
    assertThat(connect("car", 50).next()).isEqualTo(50);
  }

  @Test
  void shouldDropAPositionOnce() {
    VirtualCursor cursor = connect("car", 10);
    assertThat(registry.drop(cursor)).as("the last").contains(true);
    assertThat(registry.drop(cursor)).isEmpty();
    registry.keep(cursor);
    registry.keep(cursor);
    assertThat(registry.leftBehindCount()).isEqualTo(1);
  }

  /** Nobody knows yet whether it is dropped. */
  @Test
  void shouldGiveAPositionThatIsBeingDroppedToTheNextOfItsName() {
    VirtualCursor cursor = connect("car", 10);
    registry.drop(cursor);
    VirtualCursor returned = connect("car", 50);
    assertThat(returned.next()).isEqualTo(10);
    registry.keep(cursor);
    registry.dropped(cursor);
    assertThat(registry.leftBehindCount()).isZero();
    assertThat(registry.lowest()).isEqualTo(10);
    registry.disconnectUnanswered(returned);
    assertThat(registry.leftBehindCount()).as("it had returned").isEqualTo(1);
  }

  @Test
  void shouldMoveAPositionThatIsBeingDroppedAsTheOthers() {
    VirtualCursor cursor = connect("car", 10);
    registry.drop(cursor);
    assertThat(registry.skipTo(20)).isEqualTo(new CursorRegistry.Skipped(1, 10));
    registry.keep(cursor);
    assertThat(cursor.next()).isEqualTo(20);
    registry.drop(connect("car", 50));
    registry.resetAll(6);
    registry.keep(cursor);
    assertThat(connect("car", 50).next()).isEqualTo(6);
  }

  /** Neither the seek nor the unsubscribe is stored. */
  @Test
  void shouldKeepThePlaceBeforeASeekThatIsNotSettled() {
    VirtualCursor cursor = connect("car", 10);
    CursorRegistry.Move move = registry.move(cursor, () -> false, SeekTarget.entry(100));
    registry.drop(cursor);
    registry.putBack(move);
    registry.keep(cursor);
    assertThat(connect("car", 50).next()).isEqualTo(10);
  }

  /** I6: what is not there any more is counted, and not sent. */
  @Test
  void shouldRaiseThePositionThatIsOneWithThatOfAMoveThatIsPutBack() {
    VirtualCursor away = connect("same", 60);
    VirtualCursor seeks = connect("same", 10);
    registry.disconnect(away);
    CursorRegistry.Move move = registry.move(seeks, () -> false, SeekTarget.entry(100));
    registry.skipTo(50);
    registry.disconnect(seeks);
    assertThat(registry.putBack(move)).isEqualTo(new CursorRegistry.Skipped(2, 80));
    assertThat(connect("same", 200).next()).isEqualTo(50);
  }

  /** The same when somebody has returned to it meanwhile, who shares no cursor with it. */
  @Test
  void shouldRaiseThePositionOfWhoHasReturnedBeforeAMoveIsPutBack() {
    VirtualCursor away = connect("same", 20);
    VirtualCursor seeks = connect("same", 10);
    registry.disconnect(away);
    CursorRegistry.Move move = registry.move(seeks, () -> false, SeekTarget.entry(100));
    registry.skipTo(50);
    registry.disconnect(seeks);
    VirtualCursor returned = connect("same", 200);
    registry.putBack(move);
    assertThat(returned.next()).isEqualTo(50);
  }

  /** Who resets all decides last. */
  @Test
  void shouldForgetAMoveThatAResetFollows() {
    VirtualCursor seeks = connect("alone", 10);
    CursorRegistry.Move move = registry.move(seeks, () -> false, SeekTarget.entry(100));
    registry.resetAll(50);
    registry.disconnect(seeks);
    assertThat(registry.settle(move)).isFalse();
    assertThat(connect("alone", 200).next()).isEqualTo(50);
  }

  @Test
  void shouldCountPositionsOfANameThatAreSkippedAndThatExpire() {
    VirtualCursor one = connect("same", 5);
    VirtualCursor two = connect("same", 5);
    connect("connected", 5);
    registry.disconnect(one);
    registry.disconnect(two);
    assertThat(registry.skipTo(7)).as("I6").isEqualTo(new CursorRegistry.Skipped(3, 6));
    assertThat(registry.expire(System.currentTimeMillis() + 61_000, 10))
        .isEqualTo(new CursorRegistry.Skipped(2, 6));
  }

  @Test
  void shouldStayWherePositionsWereLostUntilSomebodyDecides() {
    registry.holdFloor();
    VirtualCursor cursor = connect("car", 5);
    ackTo(cursor, 9);
    assertThat(registry.lowest()).as("I3").isEqualTo(5);
    assertThat(registry.forget(cursor)).as("somebody may return").isFalse();
    assertThat(registry.skipTo(8)).as("I6").isEqualTo(new CursorRegistry.Skipped(1, 3));
    assertThat(registry.lowest()).isEqualTo(8);
    ackTo(connect("car", 8), 12);
    registry.releaseFloor();
    assertThat(registry.lowest()).isEqualTo(12);
  }

  @Test
  void shouldKeepPositionsOfANameForTheLongestTimeToLive() {
    VirtualCursor patient = registry.connect("same", 60, () -> 5, 0);
    registry.disconnect(registry.connect("same", 1, () -> 5, 0));
    registry.disconnect(patient);
    assertThat(registry.expire(System.currentTimeMillis() + 50_000, 10))
        .isEqualTo(CursorRegistry.Skipped.NOTHING);
    registry.forget(registry.connect("same", 1, () -> 5, 0));
    registry.disconnect(registry.connect("same", 1, () -> 5, 0));
    assertThat(registry.expire(System.currentTimeMillis() + 50_000, 10).positions())
        .as("alone, a consumer may shorten its own")
        .isEqualTo(1);
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
  void shouldNotCountOrdinalsThatNoEntryHasAsSkipped() {
    VirtualCursor slow = connect("slow", 5);
    slow.delivered(6);
    skipped.addGap(10, 1_000_010);
    assertThat(registry.skipTo(1_000_012).entries()).as("I6: 5 to 9, and two").isEqualTo(7);
  }

  @Test
  void shouldMoveThoseBeforeASkipAndNobodyElse() {
    VirtualCursor slow = connect("slow", 5);
    slow.delivered(30);
    slow.ackIndividual(7);
    VirtualCursor fast = connect("fast", 5);
    ackTo(fast, 25);
    registry.disconnect(connect("gone", 10));

    CursorRegistry.Skipped skipped = registry.skipTo(20);
    assertThat(skipped.positions()).as("I6").isEqualTo(2);
    assertThat(skipped.entries()).as("I6: but for the one acknowledged").isEqualTo(14 + 10);
    assertThat(slow.next()).isEqualTo(20);
    assertThat(fast.next()).as("I5: nobody goes back").isEqualTo(25);
    assertThat(connect("gone", 99).next()).isEqualTo(20);
    assertThat(registry.lowest()).isEqualTo(20);
  }

  @Test
  void shouldTakeNothingForASkipThatTheSubscriptionHasPassed() {
    VirtualCursor cursor = connect("car", 5);
    ackTo(cursor, 9);
    assertThat(registry.lowest()).isEqualTo(9);
    assertThat(registry.skipTo(7)).isEqualTo(CursorRegistry.Skipped.NOTHING);
    assertThat(cursor.next()).isEqualTo(9);
  }

  @Test
  void shouldKeepWhatWasAcknowledgedAfterASkip() {
    VirtualCursor cursor = connect("car", 5);
    cursor.delivered(30);
    cursor.ackIndividual(20);
    cursor.ackIndividual(22);
    registry.skipTo(20);
    assertThat(cursor.next()).isEqualTo(21);
    assertThat(cursor.isAcknowledged(22)).isTrue();
    assertThat(cursor.isAcknowledged(21)).isFalse();
  }

  @Test
  void shouldCountWhatAResetForwardSkips() {
    connect("car", 5);
    assertThat(registry.resetAll(12)).isEqualTo(new CursorRegistry.Skipped(1, 7));
    assertThat(registry.resetAll(3)).isEqualTo(CursorRegistry.Skipped.NOTHING);
  }

  @Test
  void shouldCountWhatAnExpiredPositionHadNotAcknowledged() {
    VirtualCursor cursor = registry.connect("car", 1, () -> 5, 0);
    cursor.delivered(10);
    cursor.ackIndividual(8);
    registry.disconnect(cursor);
    assertThat(registry.expire(System.currentTimeMillis(), 20))
        .isEqualTo(CursorRegistry.Skipped.NOTHING);
    assertThat(registry.expire(System.currentTimeMillis() + 2_000, 20))
        .as("I6")
        .isEqualTo(new CursorRegistry.Skipped(1, 14));
  }

  @Test
  void shouldKeepAMovedPositionAMinuteWhateverItsTimeToLive() {
    registry.disconnectMoved(registry.connect("short", 0, () -> 5, 0));
    registry.disconnectMoved(registry.connect("long", 70, () -> 5, 0));
    assertThat(registry.expire(System.currentTimeMillis() + 50_000, 20))
        .isEqualTo(CursorRegistry.Skipped.NOTHING);
    assertThat(registry.expire(System.currentTimeMillis() + 61_000, 20).positions()).isEqualTo(1);
    assertThat(registry.expire(System.currentTimeMillis() + 71_000, 20).positions()).isEqualTo(1);
  }

  @Test
  void shouldNotExpireThePositionOfAConsumerThatIsBack() {
    registry.disconnect(registry.connect("car", 0, () -> 5, 0));
    VirtualCursor returned = registry.connect("car", 0, () -> 50, 0);
    assertThat(registry.expire(System.currentTimeMillis() + 2_000, 20))
        .isEqualTo(CursorRegistry.Skipped.NOTHING);
    assertThat(returned.next()).isEqualTo(5);
  }

  @Test
  void shouldEitherGiveAReturningConsumerItsPositionOrCountWhatItMisses() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      for (int round = 0; round < 2_000; round++) {
        String name = "car-" + round;
        registry.disconnect(registry.connect(name, 0, () -> 5, 0));
        CyclicBarrier together = new CyclicBarrier(2);
        Future<CursorRegistry.Skipped> expired =
            executor.submit(
                () -> {
                  together.await();
                  return registry.expire(System.currentTimeMillis(), 20);
                });
        together.await();
        VirtualCursor returned = registry.connect(name, 0, () -> 20, 0);
        long missed = returned.next() - 5;
        assertThat(expired.get().entries()).as("I6, round %d", round).isEqualTo(missed);
        registry.forget(returned);
      }
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void shouldLetAnEphemeralConsumerStartBeforeTheSubscriptionsPosition() {
    VirtualCursor reader = registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 2, 0);
    assertThat(reader.next()).isEqualTo(2);
    connect("car", 5);
    assertThat(registry.lowest()).as("I3: it holds nothing back").isEqualTo(5);
  }

  @Test
  void shouldLetAConsumerStartWhereTheSubscriptionWasLoweredTo() {
    ackTo(connect("car", 5), 9);
    assertThat(registry.lowest()).isEqualTo(9);
    registry.lowerFloor(2);
    assertThat(connect("early", 2).next()).isEqualTo(2);
    assertThat(registry.lowest()).isEqualTo(2);
  }

  @Test
  void shouldBeAtTheEndWhenOnlyEntriesForNobodyAreLeft() {
    VirtualCursor cursor = connect("car", 5);
    assertThat(registry.isAtEnd(cursor, 8)).isFalse();
    skipped.add(5, 8);
    assertThat(registry.isAtEnd(cursor, 8)).isTrue();
  }

  private VirtualCursor connect(String name, long start) {
    return registry.connect(name, 60, () -> start, 0);
  }

  private static void ackTo(VirtualCursor cursor, long next) {
    cursor.delivered(next);
    cursor.ackCumulative(next - 1);
  }
}
