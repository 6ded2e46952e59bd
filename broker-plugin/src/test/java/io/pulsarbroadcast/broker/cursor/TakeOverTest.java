/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * I1, I4 and I5 of a position that goes along with its consumer from one topic to another that has
 * the same ledgers.
 */
class TakeOverTest {

  private static final long END = 1_000;

  private final LedgerIndex index =
      new LedgerIndex(() -> new TreeMap<>(Map.of(1L, END)), (from, to) -> {});
  private long now = 1_000_000;
  private final Topic here = new Topic();
  private final Topic there = new Topic();

  /** A subscription in one of the topics. */
  private final class Topic {
    final RecordsInMemory log = new RecordsInMemory();
    CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0, () -> now);
    PositionsStore store = new PositionsStore(log, registry, index, 100);

    VirtualCursor connect(String name) {
      return registry.connect(name, 60, () -> END, 0);
    }

    VirtualCursor connectAt(String name, long ordinal) {
      VirtualCursor cursor = registry.connect(name, 60, () -> ordinal, 0);
      assertThat(cursor.next()).isEqualTo(ordinal);
      return cursor;
    }

    StoredPosition stored(String name) {
      return stored().byName().get(name);
    }

    StoredPositions stored() {
      store.flush().join();
      StoredPositions stored = new StoredPositions();
      try {
        for (byte[] record : log.records) {
          stored.apply(record);
        }
        stored.check();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      return stored;
    }

    void restart() {
      StoredPositions stored = stored();
      registry = new CursorRegistry(new SkippedEntries(), 0, () -> now);
      stored.restore(registry, index, END);
      store = new PositionsStore(log, registry, index, 100);
    }

    long takeOver(StoredPosition elsewhere) {
      return registry.takeOver(elsewhere, index, END);
    }
  }

  @Test
  void shouldGoOnWhereItsConsumerHasLeftItWithWhatIsAcknowledgedAfterIt() {
    VirtualCursor car = there.connectAt("car", 5);
    car.delivered(10);
    car.ackIndividual(7);
    car.ackPart(8, new long[] {0b1010});
    assertThat(there.stored("car").isAway()).isFalse();
    there.registry.disconnect(car);
    assertThat(there.stored("car").isAway()).isTrue();

    assertThat(here.takeOver(there.stored("car"))).as("nothing has to be kept first").isNegative();
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(1);
    VirtualCursor taken = here.connect("car");
    assertThat(taken.next()).isEqualTo(5);
    assertThat(taken.isAcknowledged(6)).isFalse();
    assertThat(taken.isAcknowledged(7)).isTrue();
    assertThat(taken.remaining(8)).containsExactly(0b1010);
    assertThat(taken.ackCumulative(9))
        .as("what its client was sent there")
        .isEqualTo(VirtualCursor.AckResult.ADVANCED);
  }

  /** I1: after a crash in between it is in both topics. */
  @Test
  void shouldCountForMoreThanWhatItLeavesAlsoAfterARestart() {
    there.registry.disconnect(there.connectAt("car", 5));
    here.connectAt("other", 0);
    here.store.flush().join();
    here.takeOver(there.stored("car"));
    VirtualCursor car = here.connect("car");
    here.store.flushNewNames().join();
    assertThat(here.registry.isNameStored(car)).isTrue();
    assertThat(here.stored("car").arrivals()).isEqualTo(1);
    here.restart();
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(1);
    assertThat(here.stored("car").arrivals()).as("in the snapshot of the next load").isEqualTo(1);
    assertThat(there.stored("car").arrivals()).isZero();
    assertThat(here.stored("other").arrivals()).isZero();
  }

  /** I5: what is left behind in the topic is older than what has been elsewhere since. */
  @Test
  void shouldTakeThePlaceOfWhatWaitsHere() {
    VirtualCursor car = here.connectAt("car", 3);
    here.registry.disconnect(car);
    there.takeOver(here.stored("car"));
    car = there.connect("car");
    car.delivered(9);
    car.ackCumulative(8);
    there.registry.disconnect(car);
    assertThat(there.stored("car").arrivals()).isEqualTo(1);

    here.takeOver(there.stored("car"));
    assertThat(here.registry.leftBehindCount()).isEqualTo(1);
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(2);
    assertThat(here.connect("car").next()).isEqualTo(9);
    assertThat(here.stored("car").arrivals()).isEqualTo(2);
  }

  /** I1: two who come at once do not take it over twice. */
  @Test
  void shouldBeTakenOverOnce() {
    there.registry.disconnect(there.connectAt("car", 5));
    StoredPosition left = there.stored("car");
    here.takeOver(left);
    VirtualCursor car = here.connect("car");
    here.takeOver(left);
    assertThat(here.registry.leftBehindCount()).isZero();
    here.registry.disconnect(car);
    here.takeOver(left);
    assertThat(here.registry.leftBehindCount()).isEqualTo(1);
  }

  /** I1: namesakes go together, each to the lowest of them. */
  @Test
  void shouldHaveAPlaceForEachNamesake() {
    VirtualCursor one = there.connectAt("twin", 5);
    VirtualCursor two = there.connectAt("twin", 9);
    there.registry.disconnect(one);
    now += 30_000;
    there.registry.disconnect(two);
    here.takeOver(there.stored("twin"));
    assertThat(here.registry.leftBehindCount()).isEqualTo(2);
    assertThat(here.connect("twin").next()).isEqualTo(5);
    assertThat(here.connect("twin").next()).isEqualTo(5);
    assertThat(here.connect("twin").next()).as("new").isEqualTo(END);
  }

  /** I1, I5: of several topics that have the name, where it came last; else the lowest. */
  @Test
  void shouldPreferWhereItCameLast() {
    Topic third = new Topic();
    there.registry.disconnect(there.connectAt("car", 5));
    third.registry.disconnect(third.connectAt("car", 9));
    assertThat(there.stored("car").holdsBefore(third.stored("car"))).as("lower").isTrue();
    assertThat(third.stored("car").holdsBefore(there.stored("car"))).isFalse();
    here.takeOver(third.stored("car"));
    assertThat(here.stored("car").holdsBefore(there.stored("car"))).as("came later").isTrue();
    assertThat(there.stored("car").holdsBefore(here.stored("car"))).isFalse();
  }

  /** I3: storage is to keep what it needs first. */
  @Test
  void shouldChangeNothingWhileItIsBeforeTheSubscription() {
    there.registry.disconnect(there.connectAt("car", 5));
    here.registry = new CursorRegistry(new SkippedEntries(), 7, () -> now);
    assertThat(here.takeOver(there.stored("car"))).isEqualTo(5);
    assertThat(here.registry.hasName("car")).isFalse();
    here.registry.lowerFloor(5);
    assertThat(here.takeOver(there.stored("car"))).isNegative();
    assertThat(here.connect("car").next()).isEqualTo(5);
    assertThat(here.registry.lowest()).isEqualTo(5);
  }

  /** A shadow topic hears late of what its source has. */
  @Test
  void shouldNotBeAfterTheEndOfTheTopic() {
    VirtualCursor car = there.connectAt("car", 5);
    car.delivered(10);
    car.ackIndividual(8);
    there.registry.disconnect(car);
    here.registry.takeOver(there.stored("car"), index, 3);
    VirtualCursor taken = here.connect("car");
    assertThat(taken.next()).isEqualTo(3);
    assertThat(taken.isAcknowledged(8)).as("it is sent again").isFalse();
  }

  @Test
  void shouldChangeNothingWhenThereWouldBeTooMany() {
    there.registry.disconnect(there.connectAt("twin", 5));
    there.registry.disconnect(there.connectAt("twin", 5));
    VirtualCursor car = there.connectAt("car", 5);
    there.registry.disconnect(car);
    here.connectAt("other", 5);
    here.registry.limitPositions(1);
    assertThatThrownBy(() -> here.takeOver(there.stored("car")))
        .isInstanceOf(TooManyPositionsException.class);
    assertThat(here.registry.hasName("car")).isFalse();
    here.registry.limitPositions(2);
    here.takeOver(there.stored("car"));
    assertThat(here.registry.leftBehindCount()).isEqualTo(1);

    there.takeOver(here.stored("car"));
    VirtualCursor moved = there.connect("car");
    there.registry.disconnect(moved);
    here.registry.limitPositions(1);
    here.takeOver(there.stored("car"));
    assertThat(here.registry.waitingArrivals("car")).as("it adds none").isEqualTo(3);
  }

  /** I5: who has gone on here is not taken back by what another topic had begun to take over. */
  @Test
  void shouldCountForAsMuchAsWhatIsTakenOverWhileItsConsumerComesHere() {
    here.registry.disconnect(here.connectAt("car", 5));
    StoredPosition left = here.stored("car");
    here.registry.countArrival("nobody");
    here.registry.countArrival("car");
    VirtualCursor car = here.connect("car");
    car.delivered(9);
    car.ackCumulative(8);
    there.takeOver(left);
    here.registry.disconnect(car);
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(there.stored("car").arrivals());
    here.takeOver(there.stored("car"));
    assertThat(here.connect("car").next()).isEqualTo(9);
    assertThat(here.registry.waitingArrivals("nobody")).isNegative();
  }

  /** I1: else what is there would count for more than its consumer's new position here. */
  @Test
  void shouldGiveItsTimeAnewToWhatItsTopicHasNotDroppedYet() {
    there.registry.disconnect(there.connectAt("car", 5));
    StoredPosition left = there.stored("car");
    now += 61_000;
    here.takeOver(left);
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(1);
    now += 59_000;
    assertThat(here.registry.expire(now, END).positions()).isZero();
    now += 2_000;
    assertThat(here.registry.expire(now, END).positions()).isEqualTo(1);
  }

  /** I5: what is being dropped counts as before for whoever finds it, or if it stays. */
  @Test
  void shouldCountAsBeforeWhenItIsNotDropped() {
    there.registry.disconnect(there.connectAt("car", 5));
    here.takeOver(there.stored("car"));
    WaitingDrop drop = here.registry.dropWaiting(null, waiting -> waiting.arrivals() == 1, END);
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(1);
    here.registry.keep(drop);
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(1);

    here.registry.dropWaiting(null, waiting -> true, END);
    VirtualCursor car = here.connect("car");
    assertThat(here.stored("car").arrivals()).as("it has returned").isEqualTo(1);

    here.registry.drop(car);
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(1);
    here.registry.keep(car);
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(1);
    assertThat(here.stored("car").arrivals()).as("it could not unsubscribe").isEqualTo(1);

    car = here.connect("car");
    here.registry.drop(car);
    assertThat(here.connect("car")).isSameAs(car);
    assertThat(here.stored("car").arrivals()).as("it has returned").isEqualTo(1);
  }

  /** I5: it cannot be dropped, but what has taken its place counts. */
  @Test
  void shouldNotKeepWhatHasMovedHereAgainMeanwhile() {
    here.registry.disconnect(here.connectAt("car", 3));
    there.takeOver(here.stored("car"));
    there.registry.disconnect(there.connect("car"));
    WaitingDrop drop = here.registry.dropWaiting(null, waiting -> true, END);
    here.takeOver(there.stored("car"));
    here.registry.keep(drop);
    assertThat(here.registry.leftBehindCount()).isEqualTo(1);
    assertThat(here.registry.waitingArrivals("car")).isEqualTo(2);
  }

  /** I1: only a subscription that nobody is left of may end. */
  @Test
  void shouldKnowWhetherAllHaveMoved() {
    assertThat(here.registry.isAllWaiting(waiting -> true, END)).as("nothing").isFalse();
    VirtualCursor car = here.connectAt("car", 5);
    here.registry.disconnect(here.connectAt("other", 5));
    assertThat(here.registry.isAllWaiting(waiting -> true, END)).as("one is connected").isFalse();
    here.registry.disconnect(car);
    assertThat(here.registry.isAllWaiting(waiting -> true, END)).isTrue();
    assertThat(here.registry.isAllWaiting(waiting -> waiting.name().equals("car"), END)).isFalse();
    here.registry.dropWaiting("other", waiting -> true, END);
    assertThat(here.registry.isAllWaiting(waiting -> true, END)).as("not dropped yet").isFalse();
  }

  /** Readers hear of a record with the next one. */
  @Test
  void shouldWriteARecordMoreForThoseWhoFollow() {
    here.connectAt("car", 5);
    here.store.flush().join();
    assertThat(here.log.records).hasSize(1);
    here.store.followedIf(() -> true);
    here.store.flush().join();
    assertThat(here.log.records).as("for what was written before").hasSize(2);
    here.store.flush().join();
    assertThat(here.log.records).as("for nothing").hasSize(2);
    here.connectAt("other", 5);
    here.store.flushNewNames().join();
    assertThat(here.log.records).hasSize(4);
    assertThat(here.stored().size()).as("it says nothing").isEqualTo(2);
  }

  /** I1: who is told that something is stored may be looked for elsewhere at once. */
  @Test
  void shouldHaveStoredWhatThoseWhoFollowCanRead() {
    List<CompletableFuture<Object>> appended = new ArrayList<>();
    List<Object> forgotten = new ArrayList<>();
    PositionsStore store =
        new PositionsStore(
            new PositionsStore.Log() {
              @Override
              public CompletableFuture<Object> append(byte[] record) {
                appended.add(new CompletableFuture<>());
                return appended.get(appended.size() - 1);
              }

              @Override
              public void forgetBefore(Object record) {
                forgotten.add(record);
              }
            },
            here.registry,
            index,
            100);
    store.followedIf(() -> true);
    CompletableFuture<Void> flushed = store.flush();
    assertThat(appended).hasSize(1);
    appended.get(0).complete("snapshot");
    assertThat(appended).hasSize(2);
    assertThat(forgotten).as("others still read what was before").isEmpty();
    assertThat(flushed).isNotDone();
    appended.get(1).completeExceptionally(new IOException("the ledger is closed"));
    assertThat(flushed).isCompleted();
    assertThat(forgotten).containsExactly("snapshot");
    store.flush();
    assertThat(appended).as("it is said again").hasSize(3);
  }

  /** A backlog is held for durable consumers, but not when all have gone elsewhere. */
  @Test
  void shouldHoldNothingWhenOnlyOthersAreLeft() {
    here.registry.keepForDurable();
    here.registry.connect("reader", -1, () -> END, 0);
    VirtualCursor car = here.connectAt("car", 5);
    here.registry.letGoUnlessDurable();
    assertThat(here.registry.isKeptForDurable()).as("one is durable").isTrue();
    here.registry.disconnect(car);
    here.registry.letGoUnlessDurable();
    assertThat(here.registry.isKeptForDurable()).as("one is away").isTrue();
    WaitingDrop drop = here.registry.dropWaiting(null, waiting -> true, END);
    here.registry.letGoUnlessDurable();
    assertThat(here.registry.isKeptForDurable()).as("not dropped yet").isTrue();
    here.registry.dropped(drop, END);
    here.registry.holdFloor();
    here.registry.letGoUnlessDurable();
    assertThat(here.registry.isKeptForDurable()).as("some are lost").isTrue();
    here.registry.releaseFloor();
    here.registry.letGoUnlessDurable();
    assertThat(here.registry.isKeptForDurable()).isFalse();
  }

  /** A log of a topic that shares no positions is one that former versions read. */
  @Test
  void shouldWriteTheFormerFormatUnlessPositionsMove() {
    there.registry.disconnect(there.connectAt("car", 5));
    there.store.flush().join();
    assertThat(there.log.records).allMatch(record -> record[1] == PositionsRecord.VERSION - 1);
    here.takeOver(there.stored("car"));
    here.store.flush().join();
    assertThat(here.log.records).allMatch(record -> record[1] == PositionsRecord.VERSION);
  }
}
