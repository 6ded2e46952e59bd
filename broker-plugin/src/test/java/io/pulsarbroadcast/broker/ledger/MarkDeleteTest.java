/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.BroadcastConfig;
import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.LedgerIndex;
import io.pulsarbroadcast.broker.cursor.PositionsStore;
import io.pulsarbroadcast.broker.cursor.SeekTarget;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import io.pulsarbroadcast.broker.cursor.VirtualCursor;
import io.pulsarbroadcast.broker.cursor.Waiting;
import io.pulsarbroadcast.broker.metrics.BroadcastMetrics;
import io.pulsarbroadcast.broker.metrics.MetricLabels;
import io.pulsarbroadcast.broker.metrics.SkipCause;
import io.pulsarbroadcast.broker.metrics.SkipCounters;
import io.pulsarbroadcast.broker.metrics.SubscriptionMetrics;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.bookkeeper.mledger.AsyncCallbacks.MarkDeleteCallback;
import org.apache.bookkeeper.mledger.AsyncCallbacks.ResetCursorCallback;
import org.apache.bookkeeper.mledger.ManagedCursor;
import org.apache.bookkeeper.mledger.ManagedLedger;
import org.apache.bookkeeper.mledger.ManagedLedgerException;
import org.apache.bookkeeper.mledger.impl.PositionImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** I3 and I6: the managed cursor and the virtual ones, when both are moved at the same time. */
@Timeout(120)
class MarkDeleteTest {

  private static final long LEDGER = 7;

  private final FakeCursor cursor = new FakeCursor();
  private final LedgerIndex index =
      new LedgerIndex(() -> new TreeMap<>(Map.of(LEDGER, 1_000L)), (from, to) -> {});
  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
  private final SubscriptionMetrics metrics =
      new BroadcastMetrics(new MetricLabels("test", true, true, false), () -> 0)
          .subscription("public/default", "topic", "subscription");
  private final AtomicLong skippedTo = new AtomicLong(-1);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final SkipCounters skips = new SkipCounters("topic", "subscription", metrics, timer);
  private final MarkDelete markDelete =
      new MarkDelete(
          cursor.asManagedCursor(),
          () -> {},
          moved -> {},
          skippedTo::set,
          index,
          registry,
          new PositionsStore(new Log(), registry, index, 10),
          skips,
          timer,
          // Nothing by itself: the test says when.
          configured("broadcastMarkDeleteIntervalMillis", "60000"),
          () -> this.decided,
          SourceHold.NONE);
  private CompletableFuture<Void> decided = CompletableFuture.completedFuture(null);

  /** What becomes of what is written to the log. */
  private volatile CompletableFuture<Object> written = CompletableFuture.completedFuture("record");

  /** Keeps no record. */
  private final class Log implements PositionsStore.Log {
    @Override
    public CompletableFuture<Object> append(byte[] record) {
      return written;
    }

    @Override
    public void forgetBefore(Object record) {
      // There is nothing to forget.
    }
  }

  @AfterEach
  void stopTimer() {
    timer.shutdownNow();
  }

  @Test
  void shouldHandTheLowestPositionToTheManagedCursor() {
    ackTo(connect("a", 0), 20);
    ackTo(connect("b", 0), 8);
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).isEqualTo(8);
    assertThat(MarkDelete.isMarked(cursor.asManagedCursor())).isTrue();
  }

  @Test
  void shouldNotMoveOnWhileItIsBeingMovedBack() {
    ackTo(connect("ahead", 0), 20);
    markDelete.handOver();
    cursor.completeAll();

    CompletableFuture<VirtualCursor> early = markDelete.lowerTo(5, () -> connect("early", 5));
    markDelete.handOver();
    markDelete.follow();
    assertThat(early).isNotDone();
    cursor.completeAll();
    assertThat(early).isCompleted();
    assertThat(cursor.next).as("I3").isEqualTo(5);
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).as("I3, afterwards").isEqualTo(5);
    assertThat(early.join().next()).isEqualTo(5);
    assertThat(skips.entries(SkipCause.OTHER)).as("I6").isZero();
  }

  @Test
  void shouldMoveBackAfterTheLastMoveOnIsOnStorage() {
    ackTo(connect("ahead", 0), 20);
    markDelete.handOver();
    CompletableFuture<VirtualCursor> early = markDelete.lowerTo(5, () -> connect("early", 5));
    assertThat(cursor.resets).as("resets before the position is on storage").isZero();
    cursor.completeAll();
    assertThat(early).isCompleted();
    assertThat(cursor.next).isEqualTo(5);
  }

  /** One waits for storage, and the others for that one. */
  @Test
  void shouldMoveBackOnceForAllWhoStartAtTheSamePlace() {
    ackTo(connect("ahead", 0), 20);
    markDelete.handOver();
    cursor.completeAll();
    CompletableFuture<?>[] early = new CompletableFuture<?>[100_000];
    for (int i = 0; i < early.length; i++) {
      String name = "early-" + i;
      early[i] = markDelete.lowerTo(5, () -> connect(name, 5));
    }
    cursor.completeAll();
    assertThat(early).allMatch(CompletableFuture::isDone);
    assertThat(cursor.resets).isEqualTo(1);
    assertThat(registry.lowest()).isEqualTo(5);
  }

  @Test
  void shouldStayWhereItIsWhenItCannotBeMovedBack() {
    ackTo(connect("ahead", 0), 20);
    markDelete.handOver();
    cursor.completeAll();
    cursor.failResets = true;
    CompletableFuture<VirtualCursor> early = markDelete.lowerTo(5, () -> connect("early", 5));
    cursor.completeAll();
    assertThat(early).isCompletedExceptionally();
    assertThat(registry.connectedCount()).isEqualTo(1);
    ackTo(connect("later", 20), 30);
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).isEqualTo(20);
  }

  @Test
  void shouldLeaveAConsumerWhereItWasWhenItsSeekForwardIsNotStored() {
    VirtualCursor slow = connect("slow", 0);
    ackTo(slow, 3);
    written = new CompletableFuture<>();
    CompletableFuture<Void> sought = markDelete.move(slow, () -> false, SeekTarget.entry(20));
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).as("I3, while nobody knows").isZero();

    written.completeExceptionally(new IllegalStateException("not written"));
    assertThat(sought).failsWithin(Duration.ofMinutes(1));
    assertThat(slow.next()).as("I6").isEqualTo(3);
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).isEqualTo(3);

    written = CompletableFuture.completedFuture("record");
    assertThat(markDelete.move(slow, () -> false, SeekTarget.entry(20)))
        .succeedsWithin(Duration.ofMinutes(1));
    assertThat(slow.next()).isEqualTo(20);
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).isEqualTo(20);
    assertThat(skips.entries(SkipCause.OTHER)).as("I6").isZero();
  }

  @Test
  void shouldNotMoveAConsumerForwardWhenItsSeekBackIsNotStored() {
    VirtualCursor fast = connect("fast", 0);
    ackTo(fast, 20);
    written = CompletableFuture.failedFuture(new IllegalStateException("not written"));
    assertThat(markDelete.move(fast, () -> false, SeekTarget.entry(5)))
        .failsWithin(Duration.ofMinutes(1));
    assertThat(fast.next()).as("I4").isEqualTo(5);
  }

  @Test
  void shouldNotSayOfASeekThatItIsStoredWhenNothingIsStoredAnyMore() {
    VirtualCursor fast = connect("fast", 0);
    ackTo(fast, 20);
    markDelete.handOver();
    cursor.completeAll();
    CompletableFuture<Void> sought = markDelete.move(fast, () -> false, SeekTarget.entry(5));
    markDelete.stop();
    cursor.completeAll();
    assertThat(sought).failsWithin(Duration.ofSeconds(20));
  }

  /** A consumer does not go back to what an operator has cleared meanwhile. */
  @Test
  void shouldCountWhatIsGoneWhenASeekIsNotStored() {
    VirtualCursor slow = connect("slow", 0);
    written = new CompletableFuture<>();
    CompletableFuture<Void> sought = markDelete.move(slow, () -> false, SeekTarget.entry(20));
    CompletableFuture<Void> cleared =
        markDelete.moveOn(
            SkipCause.CLEARED,
            () -> {
              cursor.next = 8;
              return CompletableFuture.completedFuture(null);
            });
    written.completeExceptionally(new IllegalStateException("not written"));
    assertThat(sought).failsWithin(Duration.ofMinutes(1));
    assertThat(cleared).failsWithin(Duration.ofMinutes(1));
    assertThat(slow.next()).as("I3").isEqualTo(8);
    assertThat(skips.entries(SkipCause.OTHER)).as("I6").isEqualTo(8);
  }

  @Test
  void shouldNotSayOfADropThatItIsDoneBeforeItIsOnStorage() {
    leaveAt3("parked");
    written = new CompletableFuture<>();
    CompletableFuture<List<Waiting>> dropped = markDelete.drop("parked", waiting -> true, 10, true);
    assertThat(dropped).isNotDone();
    assertThat(skips.entries(SkipCause.POSITION_DROPPED)).isZero();

    written.complete("record");
    assertThat(dropped).isDone();
    assertThat(dropped.join()).extracting(Waiting::name).containsExactly("parked");
    assertThat(skips.entries(SkipCause.POSITION_DROPPED)).isEqualTo(7);
  }

  /** I1: the consumer finds its position, and nothing counts as skipped. */
  @Test
  void shouldKeepAPositionWhoseDropIsNotStored() {
    leaveAt3("parked");
    written = new CompletableFuture<>();
    CompletableFuture<List<Waiting>> dropped = markDelete.drop("parked", waiting -> true, 10, true);
    written.completeExceptionally(new IllegalStateException("not written"));
    assertThat(dropped).isCompletedExceptionally();
    assertThat(skips.entries(SkipCause.POSITION_DROPPED)).isZero();
    assertThat(connect("parked", 50).next()).isEqualTo(3);
  }

  /** I1 of who returns while an operator's move is being stored. */
  @Test
  void shouldSendEverythingToWhoReturnsBeforeAMoveIsStored() {
    leaveAt3("parked");
    written = new CompletableFuture<>();
    CompletableFuture<Void> moved = markDelete.moveWaiting("parked", 20);
    assertThat(connect("parked", 50).next()).isEqualTo(3);
    written.complete("record");
    assertThat(moved).isCompletedExceptionally();
  }

  private void leaveAt3(String name) {
    VirtualCursor position = connect(name, 0);
    markDelete.flush();
    ackTo(position, 3);
    registry.disconnect(position);
  }

  @Test
  void shouldFollowWhenTheManagedCursorIsMovedOn() {
    ackTo(connect("fast", 0), 20);
    VirtualCursor slow = connect("slow", 0);
    CompletableFuture<Void> storage = new CompletableFuture<>();
    CompletableFuture<Void> moved =
        markDelete.moveOn(
            SkipCause.SKIPPED,
            () -> {
              cursor.next = 12;
              return storage;
            });
    // The timer comes between the move and its completion: it counts for the same cause.
    markDelete.handOver();
    storage.complete(null);
    assertThat(moved).isCompleted();
    assertThat(slow.next()).isEqualTo(12);
    assertThat(skippedTo).hasValue(12);
    assertThat(skips.entries(SkipCause.SKIPPED)).as("I6").isEqualTo(12);
    assertThat(skips.positions(SkipCause.SKIPPED)).isEqualTo(1);
    assertThat(skips.entries(SkipCause.OTHER)).isZero();
  }

  /** Who is told that the backlog is cleared is past it; who asked later goes back. */
  @Test
  void shouldClearBetweenTwoMovesBack() {
    VirtualCursor slow = connect("slow", 0);
    ackTo(slow, 20);
    markDelete.handOver();
    cursor.completeAll();
    CompletableFuture<VirtualCursor> early = markDelete.lowerTo(5, () -> connect("early", 5));
    CompletableFuture<Void> cleared =
        markDelete.moveOn(
            SkipCause.CLEARED,
            () -> {
              cursor.next = 30;
              return CompletableFuture.completedFuture(null);
            });
    CompletableFuture<VirtualCursor> later = markDelete.lowerTo(8, () -> connect("later", 8));
    assertThat(cleared).isNotDone();
    cursor.completeAll();
    assertThat(cleared).isCompleted();
    assertThat(slow.next()).isEqualTo(30);
    assertThat(early.join().next()).isEqualTo(30);
    assertThat(later.join().next()).isEqualTo(8);
    assertThat(cursor.next).as("I3").isEqualTo(8);
    assertThat(skips.entries(SkipCause.CLEARED)).as("I6").isEqualTo(10 + 25);
  }

  /** The broker moves the cursor, and says afterwards that messages expired. */
  @Test
  void shouldCountAnExpiryThatItFollowedBeforeTheBrokerSaidWhatItWas() {
    VirtualCursor slow = connect("slow", 0);
    cursor.next = 12;
    markDelete.follow();
    assertThat(slow.next()).isEqualTo(12);
    markDelete.follow(SkipCause.EXPIRED);
    assertThat(skips.entries(SkipCause.EXPIRED)).as("I6").isEqualTo(12);
    markDelete.stop();
    assertThat(skips.entries(SkipCause.OTHER)).isZero();
  }

  @Test
  void shouldCountAMoveThatNobodyExplainsBeforeWhatIsMovedNext() {
    connect("slow", 0);
    cursor.next = 12;
    markDelete.follow();
    markDelete.moveOn(
        SkipCause.SKIPPED,
        () -> {
          cursor.next = 15;
          return CompletableFuture.completedFuture(null);
        });
    assertThat(skips.entries(SkipCause.OTHER)).as("I6").isEqualTo(12);
    assertThat(skips.entries(SkipCause.SKIPPED)).as("I6").isEqualTo(3);
  }

  @Test
  void shouldCountAMoveThatNobodyExplainsAtTheEnd() {
    connect("slow", 0);
    cursor.next = 12;
    markDelete.follow();
    markDelete.stop();
    assertThat(skips.entries(SkipCause.OTHER)).as("I6").isEqualTo(12);
  }

  /** An operator who was told so may unload the topic at once. */
  @Test
  void shouldNotBeResetBeforeItIsOnStorageThatNothingIsHeldForLostPositions() {
    decided = new CompletableFuture<>();
    registry.holdFloor();
    CompletableFuture<Void> followed = markDelete.followReset();
    assertThat(followed).isNotDone();

    decided.complete(null);
    assertThat(followed).isCompleted();
    assertThat(registry.isFloorHeld()).isFalse();
  }

  /** I3: storage would have the move on as the later one. */
  @Test
  void shouldNotBeHeldForAResetBeforeTheLastMoveOnIsOnStorage() {
    ackTo(connect("here", 0), 20);
    markDelete.handOver();
    CompletableFuture<Void> held = markDelete.hold();
    assertThat(held).isNotDone();
    cursor.completeAll();
    assertThat(held).isCompleted();
  }

  @Test
  void shouldNotTakeAnOperatorsResetBackForProgressToMake() {
    VirtualCursor here = connect("here", 0);
    ackTo(here, 20);
    markDelete.handOver();
    cursor.completeAll();
    markDelete.hold();
    cursor.next = 3;
    markDelete.handOver();
    markDelete.followReset();
    markDelete.release();
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).isEqualTo(3);
    assertThat(here.next()).isEqualTo(3);
  }

  @Test
  void shouldMarkTheCursorOnStorageBeforeAnythingIsAcknowledged() {
    connect("a", 0);
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).isZero();
    assertThat(cursor.stored).as("the properties on storage").isNotEmpty();
  }

  @Test
  void shouldPutItsMarkBackWhenSomebodyElseMovedTheCursor() {
    ackTo(connect("a", 0), 8);
    markDelete.handOver();
    cursor.completeAll();
    cursor.properties.clear();
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).isEqualTo(8);
    assertThat(cursor.stored).as("the properties on storage").isNotEmpty();
  }

  @Test
  void shouldNoticeThatABrokerWithoutThePluginMovedOverALedgerThatIsTrimmed() {
    ackTo(connect("slow", 0), 6);
    markDelete.handOver();
    cursor.completeAll();
    assertThat(MarkDelete.isElsewhere(cursor.asManagedCursor(), index)).isFalse();
    LedgerIndex trimmed =
        new LedgerIndex(() -> new TreeMap<>(Map.of(LEDGER + 1, 0L)), (from, to) -> {});
    assertThat(MarkDelete.isElsewhere(cursor.asManagedCursor(), trimmed))
        .as("I6: entries followed in the trimmed ledger")
        .isTrue();
  }

  @Test
  void shouldNotTakeATrimmedLedgerThatWasAcknowledgedForAMove() {
    cursor.last = 5;
    ackTo(connect("slow", 0), 6);
    markDelete.handOver();
    cursor.completeAll();
    LedgerIndex trimmed =
        new LedgerIndex(() -> new TreeMap<>(Map.of(LEDGER + 1, 0L)), (from, to) -> {});
    assertThat(MarkDelete.isElsewhere(cursor.asManagedCursor(), trimmed)).isFalse();

    // The topic is closed while one consumer has not acknowledged what was published since.
    cursor.last = 9;
    markDelete.handOver();
    cursor.completeAll();
    assertThat(cursor.next).isEqualTo(6);
    assertThat(MarkDelete.isElsewhere(cursor.asManagedCursor(), trimmed)).as("I6").isTrue();
  }

  private VirtualCursor connect(String name, long start) {
    return registry.connect(name, 60, () -> start, 0);
  }

  private static void ackTo(VirtualCursor position, long next) {
    position.delivered(next);
    position.ackCumulative(next - 1);
  }

  private static BroadcastConfig configured(String key, String value) {
    Properties properties = new Properties();
    properties.put(key, value);
    return BroadcastConfig.from(properties);
  }

  /** A managed cursor whose storage answers when the test says so. */
  private static final class FakeCursor {
    private long next;

    /** The topic's last entry. */
    private long last = 999;

    private int resets;
    private boolean failResets;
    private final Map<String, Long> properties = new HashMap<>();
    private Map<String, Long> stored = Map.of();
    private final Queue<Runnable> storage = new ArrayDeque<>();

    void completeAll() {
      for (Runnable task = storage.poll(); task != null; task = storage.poll()) {
        task.run();
      }
    }

    ManagedCursor asManagedCursor() {
      return (ManagedCursor)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {ManagedCursor.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "getMarkDeletedPosition" -> PositionImpl.get(LEDGER, next - 1);
                    case "getProperties" -> properties;
                    case "getName" -> "subscription";
                    case "getManagedLedger" -> ledger();
                    case "putProperty" ->
                        properties.put((String) arguments[0], (Long) arguments[1]) == null;
                    case "asyncMarkDelete" -> markDelete(arguments);
                    case "asyncResetCursor" -> reset(arguments);
                    default -> throw new UnsupportedOperationException(method.getName());
                  });
    }

    private ManagedLedger ledger() {
      return (ManagedLedger)
          Proxy.newProxyInstance(
              FakeCursor.class.getClassLoader(),
              new Class<?>[] {ManagedLedger.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "getName" -> "ledger";
                    case "getLastConfirmedEntry" -> PositionImpl.get(LEDGER, last);
                    default -> throw new UnsupportedOperationException(method.getName());
                  });
    }

    @SuppressWarnings("unchecked")
    private Object markDelete(Object[] arguments) {
      next = ((PositionImpl) arguments[0]).getEntryId() + 1;
      Map<String, Long> marked = (Map<String, Long>) arguments[1];
      properties.putAll(marked);
      storage.add(
          () -> {
            stored = marked;
            ((MarkDeleteCallback) arguments[2]).markDeleteComplete(null);
          });
      return null;
    }

    private Object reset(Object[] arguments) {
      resets++;
      ResetCursorCallback callback = (ResetCursorCallback) arguments[2];
      storage.add(
          () -> {
            if (failResets) {
              callback.resetFailed(new ManagedLedgerException("fails"), null);
            } else {
              next = ((PositionImpl) arguments[0]).getEntryId();
              properties.clear();
              callback.resetComplete(null);
            }
          });
      return null;
    }
  }
}
