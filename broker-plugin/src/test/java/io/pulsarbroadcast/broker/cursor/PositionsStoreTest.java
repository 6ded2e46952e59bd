/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.broker.Seeds;
import io.pulsarbroadcast.broker.cursor.VirtualCursor.AckResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * I4 and I5: what is stored is what was acknowledged, and comes back after a crash at any moment.
 */
class PositionsStoreTest {

  private final TreeMap<Long, Long> ledgers =
      new TreeMap<>(Map.of(3L, 1000L, 7L, 1000L, 9L, 1_000_000L));
  private final LedgerIndex index = new LedgerIndex(() -> ledgers, (from, to) -> {});
  private final MemoryLog log = new MemoryLog();
  private CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
  private PositionsStore store = new PositionsStore(log, registry, index, 50_000);

  @Test
  void shouldRestoreNamesAndPositionsAcrossLedgers() throws Exception {
    ackTo(connect("car-1"), 5);
    ackTo(connect("car-2"), 1500);
    connect("car-3");
    store.flush().join();
    restart();
    assertThat(connect("car-1").next()).isEqualTo(5);
    assertThat(connect("car-2").next()).isEqualTo(1500);
    assertThat(connect("car-3").next()).isZero();
    assertThat(registry.leftBehindCount()).isZero();
  }

  @Test
  void shouldRestoreHoles() throws Exception {
    VirtualCursor cursor = connect("car");
    ackTo(cursor, 990);
    cursor.delivered(1100);
    cursor.ackIndividual(995);
    cursor.ackIndividual(1003);
    store.flush().join();
    restart();
    VirtualCursor back = connect("car");
    assertThat(back.next()).isEqualTo(990);
    assertThat(back.isAcknowledged(995)).isTrue();
    assertThat(back.isAcknowledged(1003)).isTrue();
    assertThat(back.isAcknowledged(1002)).isFalse();
  }

  @Test
  void shouldForgetHolesOfAPositionThatWasMovedBack() throws Exception {
    VirtualCursor cursor = connect("car");
    cursor.delivered(100);
    cursor.ackIndividual(50);
    store.flush().join();
    cursor.ackCumulative(20);
    cursor.reset(10);
    store.flush().join();
    restart();
    assertThat(connect("car").isAcknowledged(50)).isFalse();
  }

  @Test
  void shouldStoreTheLowestOfConsumersOfOneName() throws Exception {
    ackTo(connect("same"), 30);
    ackTo(connect("same"), 20);
    store.flush().join();
    restart();
    assertThat(connect("same").next()).isEqualTo(20);
  }

  @Test
  void shouldNotRestoreWhatWasForgotten() throws Exception {
    VirtualCursor gone = connect("gone");
    connect("stays");
    store.flush().join();
    registry.forget(gone);
    store.flush().join();
    connect("takes the number");
    store.flush().join();
    restart();
    assertThat(registry.leftBehindCount()).isEqualTo(2);
  }

  @Test
  void shouldTakeAFlushAskedForMeanwhileAsOne() {
    log.holdBack = true;
    connect("a");
    CompletableFuture<Void> first = store.flush();
    connect("b");
    CompletableFuture<Void> second = store.flush();
    connect("c");
    assertThat(store.flush()).isSameAs(second);
    assertThat(log.records).hasSize(1);
    log.answerAll();
    assertThat(first).isCompleted();
    assertThat(second).isNotDone();
    assertThat(log.records).hasSize(2);
    log.answerAll();
    assertThat(second).isCompleted();
  }

  @Test
  void shouldWriteOfNewNamesOnlyThose() throws Exception {
    VirtualCursor known = connect("known");
    store.flush().join();
    ackTo(known, 5);
    ackTo(connect("new"), 7);
    store.flushNewNames().join();
    assertThat(positionsIn(log.records, "known", "new")).isEqualTo(Map.of("known", 0L, "new", 7L));
    store.flush().join();
    assertThat(positionsIn(log.records, "known", "new")).isEqualTo(Map.of("known", 5L, "new", 7L));
  }

  @Test
  void shouldWriteTheLowestUnderANewName() throws Exception {
    store.flush().join();
    ackTo(connect("same"), 30);
    ackTo(connect("same"), 20);
    VirtualCursor left = connect("left");
    ackTo(left, 10);
    registry.disconnect(left);
    VirtualCursor back = connect("back");
    registry.disconnect(back);
    ackTo(connect("back"), 40);
    registry.forget(connect("forgotten"));
    store.flushNewNames().join();
    assertThat(positionsIn(log.records, "same", "left", "back"))
        .isEqualTo(Map.of("same", 20L, "left", 10L, "back", 40L));
  }

  @Test
  void shouldNotRaiseAStoredPositionForAnotherConsumerOfTheName() throws Exception {
    connect("same");
    store.flush().join();
    registry.connect("same", 3600, () -> 50, 0);
    store.flushNewNames().join();
    assertThat(positionsIn(log.records, "same")).as("I1").isEqualTo(Map.of("same", 0L));
  }

  @Test
  void shouldWriteAllChangesWhenOneOfThoseWhoWaitAskedForThem() throws Exception {
    VirtualCursor known = connect("known");
    store.flush().join();
    log.holdBack = true;
    connect("under way");
    store.flushNewNames();
    ackTo(known, 5);
    CompletableFuture<Void> changes = store.flush();
    assertThat(store.flushNewNames()).isSameAs(changes);
    log.answerAll();
    assertThat(positionsIn(log.records, "known", "under way")).containsEntry("known", 5L);
  }

  @Test
  void shouldWriteEverythingAgainAfterAFailure() throws Exception {
    ackTo(connect("car"), 5);
    log.failure = new IOException("disk full");
    assertThat(store.flush()).isCompletedExceptionally();
    log.failure = null;
    store.flush().join();
    restart();
    assertThat(connect("car").next()).isEqualTo(5);
  }

  @Test
  void shouldKnowANameOnlyWhenItIsOnStorage() {
    log.holdBack = true;
    VirtualCursor first = connect("same");
    store.flush();
    assertThat(registry.isNameStored(first)).isFalse();
    assertThat(registry.isNameStored(connect("same"))).as("I1: still on its way").isFalse();
    log.answerAll();
    assertThat(registry.isNameStored(first)).as("the second is not there yet").isFalse();
    store.flushNewNames();
    log.answerAll();
    assertThat(registry.isNameStored(first)).isTrue();
  }

  @Test
  void shouldStoreHowManyPositionsThereAreUnderAName() throws Exception {
    ackTo(connect("same"), 30);
    store.flush().join();
    ackTo(connect("same"), 20);
    store.flushNewNames().join();
    restart();
    assertThat(registry.leftBehindCount()).isEqualTo(2);
    assertThat(connect("same").next()).isEqualTo(20);
    assertThat(connect("same").next()).as("I1").isEqualTo(20);
    VirtualCursor third = connect("same");
    store.flush().join();
    registry.forget(third);
    store.flush().join();
    restart();
    assertThat(registry.leftBehindCount()).as("without the one that unsubscribed").isEqualTo(2);
  }

  @Test
  void shouldNotStartTheTimeToLiveAgainWithARestart() throws Exception {
    long[] now = {1_000_000};
    registry = new CursorRegistry(new SkippedEntries(), 0, () -> now[0]);
    store = new PositionsStore(log, registry, index, 50_000);
    registry.disconnect(connect("away"));
    store.flush().join();
    for (int i = 0; i < 3; i++) {
      now[0] += 25_000;
      StoredPositions stored = new StoredPositions();
      for (byte[] record : log.records) {
        stored.apply(record);
      }
      registry = new CursorRegistry(new SkippedEntries(), 0, () -> now[0]);
      stored.restore(registry, index, 1_000_000);
      store = new PositionsStore(log, registry, index, 50_000);
      store.flush().join();
    }
    assertThat(registry.expire(now[0], 0).positions()).isEqualTo(1);
  }

  @Test
  void shouldReadTheFormatsBefore() throws Exception {
    for (int version = 1; version <= 2; version++) {
      StoredPositions stored = new StoredPositions();
      stored.apply(FormerFormats.record(version, "car", 7, 41));
      registry = new CursorRegistry(new SkippedEntries(), 0);
      stored.restore(registry, index, 1_000_000);
      assertThat(connect("car").next()).as("version %d", version).isEqualTo(1042);
      assertThat(registry.leftBehindCount()).isZero();
    }
  }

  @Test
  void shouldNotForgetAStoredPositionThatItHasOnlyRead() throws Exception {
    connect("car");
    store.flush().join();
    restart();
    assertThat(registry.isNameStored(connect("car"))).as("I1").isTrue();
  }

  @Test
  void shouldNotKnowANameThatStorageRefused() {
    log.failure = new IOException("disk full");
    registry.disconnect(connect("car"));
    store.flush();
    assertThat(registry.isNameStored(connect("car"))).as("I1").isFalse();
  }

  @Test
  void shouldStoreAChangedTimeToLive() throws Exception {
    registry.disconnect(registry.connect("car", 0, () -> 0, 0));
    store.flush().join();
    registry.connect("car", 3600, () -> 0, 0);
    store.flush().join();
    restart();
    assertThat(registry.expire(System.currentTimeMillis() + 60_000, 0))
        .isEqualTo(CursorRegistry.Skipped.NOTHING);
  }

  @Test
  void shouldStoreHolesAgainWhenTheOtherConsumerOfTheNameIsGone() throws Exception {
    VirtualCursor stays = connect("same");
    VirtualCursor leaves = registry.connect("same", 60, () -> 50, 0);
    stays.delivered(20);
    stays.ackIndividual(7);
    store.flush().join();
    registry.forget(leaves);
    store.flush().join();
    restart();
    assertThat(connect("same").isAcknowledged(7)).isTrue();
  }

  @Test
  void shouldNotStoreHolesOfOneConsumerForAnotherOfTheName() throws Exception {
    VirtualCursor one = connect("same");
    one.delivered(20);
    one.ackIndividual(7);
    store.flush().join();
    registry.connect("same", 60, () -> 3, 0);
    store.flush().join();
    restart();
    assertThat(connect("same").isAcknowledged(7)).as("I4").isFalse();
  }

  @Test
  void shouldNotTakeASnapshotThatLacksARecord() throws Exception {
    store = new PositionsStore(log, registry, index, 100, 1);
    ackTo(connect("a"), 5);
    connect("b");
    connect("c");
    store.flush().join();
    List<byte[]> snapshot = List.copyOf(log.records);
    assertThat(snapshot).hasSize(3);
    for (int lost = 0; lost < 3; lost++) {
      // The same snapshot again, of which storage refused one record and took the others.
      store = new PositionsStore(log, registry, index, 100, 1);
      store.flush().join();
      List<byte[]> again = new ArrayList<>(log.records);
      again.remove(lost);
      log.records.clear();
      log.records.addAll(snapshot);
      log.records.addAll(again);
      StoredPositions stored = new StoredPositions();
      for (byte[] record : log.records) {
        stored.apply(record);
      }
      assertThat(stored.size()).as("I1, without record %d", lost).isEqualTo(3);
    }
  }

  @Test
  void shouldWriteNothingWhenNothingChanged() {
    connect("car");
    store.flush().join();
    int records = log.records.size();
    store.flush().join();
    assertThat(log.records).hasSize(records);
  }

  @Test
  void shouldNameWhatIsWrongWithARecord() {
    connect("car");
    store.flush().join();
    byte[] good = log.records.get(0);
    StoredPositions stored = new StoredPositions();
    byte[] damaged = good.clone();
    damaged[good.length / 2]++;
    assertThatThrownBy(() -> stored.apply(damaged))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("checksum");
    byte[] later = good.clone();
    later[1] = PositionsRecord.VERSION + 1;
    assertThatThrownBy(() -> stored.apply(later))
        .hasMessageContaining("version 6 of the positions format; known are 1 to 5");
    assertThatThrownBy(() -> stored.apply(new byte[10])).hasMessageContaining("not a record");
  }

  @Test
  void shouldTakeFewBytesForConsumersThatStandTogether() {
    for (int i = 0; i < 100_000; i++) {
      connect("consumer-" + i);
    }
    store.flush().join();
    int before = log.records.size();
    List<VirtualCursor> all = new ArrayList<>(log.connected);
    all.forEach(cursor -> ackTo(cursor, 1200));
    store.flush().join();
    assertThat(log.records).hasSize(before + 1);
    assertThat(log.records.get(before).length).isLessThan(1000);
  }

  @Test
  void shouldKeepTwentyThousandHolesOfManyConsumers() throws Exception {
    for (int i = 0; i < 100; i++) {
      VirtualCursor cursor = connect("consumer-" + i);
      cursor.delivered(50_000);
      for (int ack = 1; ack <= 40_000; ack += 2) {
        cursor.ackIndividual(ack);
      }
      cursor.ackPart(45_000, new long[] {i + 1});
    }
    store.flush().join();
    assertThat(log.records).hasSizeGreaterThan(1);
    assertThat(log.records).allMatch(record -> record.length < 2 << 20, "fits one entry");
    assertThat(store.holesLeftOut()).isZero();
    restart();
    for (int i = 0; i < 100; i++) {
      VirtualCursor cursor = connect("consumer-" + i);
      assertThat(cursor.unacknowledgedBefore(50_000)).isEqualTo(30_000);
      assertThat(cursor.isAcknowledged(39_999)).isTrue();
      assertThat(cursor.isAcknowledged(39_998)).as("I4").isFalse();
      assertThat(cursor.remaining(45_000)).containsExactly(i + 1);
    }
  }

  @Test
  void shouldCountTheHolesThatAreTooMany() throws Exception {
    store = new PositionsStore(log, registry, index, 10);
    VirtualCursor cursor = connect("car");
    cursor.delivered(100);
    for (int ack = 1; ack < 50; ack += 2) {
      cursor.ackIndividual(ack);
    }
    store.flush().join();
    assertThat(store.holesLeftOut()).as("I6").isEqualTo(15);
    restart();
    assertThat(connect("car").unacknowledgedBefore(100)).isEqualTo(90);
  }

  @Test
  void shouldKeepARecordOfOneConsumerWithinABookiesFrame() throws Exception {
    VirtualCursor cursor = connect("car");
    cursor.delivered(3_000_000);
    int refused = 0;
    for (int batch = 1; batch <= 1_000; batch++) {
      refused +=
          cursor.ackPart(2_000_000 + batch, new long[1_000]) == AckResult.TOO_MANY_PARTS ? 1 : 0;
    }
    assertThat(refused).as("an empty part is a whole batch").isZero();
    for (int batch = 1; batch <= 1_000; batch++) {
      long[] remaining = new long[1_000];
      remaining[0] = 1;
      refused += cursor.ackPart(2_100_000 + batch, remaining) == AckResult.TOO_MANY_PARTS ? 1 : 0;
    }
    assertThat(refused).as("I8: 1 MiB are kept").isEqualTo(1_000 - 131);
    for (int ack = 1; ack <= 1_990_000; ack += 2) {
      cursor.ackIndividual(ack);
    }
    store = new PositionsStore(log, registry, index, 500_000);
    store.flush().join();
    assertThat(log.records).allMatch(record -> record.length < 5 << 20);
    assertThat(store.holesLeftOut()).as("I6").isPositive();
    restart();
    assertThat(connect("car").isAcknowledged(999)).isTrue();
  }

  @Test
  void shouldStoreHolesAgainThatWereResetAndAreAsMany() throws Exception {
    VirtualCursor cursor = connect("car");
    cursor.delivered(100);
    cursor.ackIndividual(5);
    cursor.ackIndividual(7);
    store.flush().join();
    cursor.reset(0);
    cursor.ackIndividual(6);
    cursor.ackIndividual(8);
    store.flush().join();
    restart();
    VirtualCursor returned = connect("car");
    assertThat(returned.isAcknowledged(5)).as("I4").isFalse();
    assertThat(returned.isAcknowledged(6)).isTrue();
  }

  @Test
  void shouldMatchANaiveStoreOverRandomCrashes() {
    Seeds.forEach("store", 60, this::matchANaiveStore);
  }

  private void matchANaiveStore(long seed) throws IOException {
    Random random = Seeds.random(seed);
    log.records.clear();
    log.connected.clear();
    registry = new CursorRegistry(new SkippedEntries(), 0);
    store = new PositionsStore(log, registry, index, 50_000);
    Map<String, Long> flushed = new HashMap<>();
    Map<String, VirtualCursor> live = new HashMap<>();
    for (int step = 0; step < 300; step++) {
      String name = "car-" + random.nextInt(20);
      VirtualCursor cursor = live.get(name);
      switch (random.nextInt(8)) {
        case 0, 1 -> live.computeIfAbsent(name, this::connect);
        case 2, 3, 4 -> {
          if (cursor != null) {
            ackTo(cursor, cursor.next() + random.nextInt(100));
          }
        }
        case 5 -> {
          if (cursor != null && random.nextInt(4) == 0) {
            registry.forget(live.remove(name));
          }
        }
        case 6 -> {
          store.flush().join();
          flushed.clear();
          live.forEach((key, value) -> flushed.put(key, value.next()));
        }
        default -> {
          if (random.nextInt(10) == 0) {
            restart();
            assertThat(registry.leftBehindCount()).as("step %d", step).isEqualTo(flushed.size());
            live.clear();
            for (String known : flushed.keySet()) {
              live.put(known, connect(known));
              assertThat(live.get(known).next())
                  .as("step %d %s", step, known)
                  .isEqualTo(flushed.get(known));
            }
          }
        }
      }
    }
  }

  private VirtualCursor connect(String name) {
    VirtualCursor cursor = registry.connect(name, 60, () -> 0, 0);
    log.connected.add(cursor);
    return cursor;
  }

  /** Where a crash would leave these, who are all, when the log has these records. */
  private Map<String, Long> positionsIn(List<byte[]> records, String... names) throws IOException {
    StoredPositions stored = new StoredPositions();
    for (byte[] record : records) {
      stored.apply(record);
    }
    assertThat(stored.size()).isEqualTo(names.length);
    CursorRegistry restored = new CursorRegistry(new SkippedEntries(), 0);
    stored.restore(restored, index, 1_000_000);
    Map<String, Long> positions = new HashMap<>();
    for (String name : names) {
      positions.put(name, restored.connect(name, 60, () -> 0, 0).next());
    }
    return positions;
  }

  private static void ackTo(VirtualCursor cursor, long next) {
    cursor.delivered(next);
    if (next > 0) {
      cursor.ackCumulative(next - 1);
    }
  }

  /** A crash and a start: everything in memory is gone, the log is read. */
  private void restart() throws IOException {
    StoredPositions stored = new StoredPositions();
    for (byte[] record : log.records) {
      stored.apply(record);
    }
    registry = new CursorRegistry(new SkippedEntries(), 0);
    stored.restore(registry, index, 1_000_000);
    store = new PositionsStore(log, registry, index, 50_000);
  }

  private static final class MemoryLog implements PositionsStore.Log {
    private final List<byte[]> records = new ArrayList<>();
    private final List<VirtualCursor> connected = new ArrayList<>();
    private final List<CompletableFuture<Object>> waiting = new ArrayList<>();
    private boolean holdBack;
    private IOException failure;

    @Override
    public CompletableFuture<Object> append(byte[] record) {
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      records.add(record);
      CompletableFuture<Object> done = new CompletableFuture<>();
      if (holdBack) {
        waiting.add(done);
      } else {
        done.complete(record);
      }
      return done;
    }

    void answerAll() {
      List<CompletableFuture<Object>> answered = List.copyOf(waiting);
      waiting.clear();
      answered.forEach(done -> done.complete(records.get(records.size() - 1)));
    }

    @Override
    public void forgetBefore(Object record) {
      if (!holdBack) {
        while (records.get(0) != record) {
          records.remove(0);
        }
      }
    }
  }
}
