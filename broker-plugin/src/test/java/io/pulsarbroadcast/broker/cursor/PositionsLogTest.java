/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the log of positions holds over time: it stays small, and has what was acknowledged. */
class PositionsLogTest {

  private static final int MANY = 2_000;

  private final LedgerIndex index =
      new LedgerIndex(() -> new TreeMap<>(Map.of(3L, 1_000_000L)), (from, to) -> {});
  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
  private final RecordsInMemory log = new RecordsInMemory();
  private PositionsStore store = new PositionsStore(log, registry, index, 50_000);

  @Test
  void shouldForgetChangesThatAreManyTimesASnapshot() throws IOException {
    List<VirtualCursor> cursors = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      cursors.add(connect("consumer-" + i));
    }
    store.flush().join();
    long snapshotBytes = bytes();
    long mostBytes = 0;
    for (int round = 0; log.forgotten == 0 && round < 100; round++) {
      assertThat(PositionsRecord.decode(log.records.get(0)).firstOfSnapshot).isTrue();
      for (int i = 0; i < MANY; i++) {
        ackTo(cursors.get(i), 1 + round + i);
      }
      mostBytes = bytes();
      store.flush().join();
    }
    assertThat(log.forgotten).as("changes are worth a snapshot").isPositive();
    assertThat(mostBytes - snapshotBytes).as("written before it").isBetween(1L << 20, 2L << 20);
    assertThat(bytes()).as("left of it").isLessThan(mostBytes / 4);
    CursorRegistry restored = restored();
    assertThat(restored.leftBehindCount()).isEqualTo(MANY);
    for (int i = 0; i < MANY; i++) {
      assertThat(restored.connect("consumer-" + i, 60, () -> 0, 0).next())
          .isEqualTo(cursors.get(i).next());
    }
  }

  @Test
  void shouldNotRepeatASnapshotThatIsLargerThanItsChanges() {
    List<VirtualCursor> cursors = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      cursors.add(connect("a consumer with a name of some length, as there are, " + i));
    }
    store.flush().join();
    long snapshotBytes = bytes();
    for (int round = 0; bytes() < 3 * snapshotBytes; round++) {
      for (int i = 0; i < 20_000; i++) {
        ackTo(cursors.get(i), 1 + round + i);
      }
      store.flush().join();
    }
    assertThat(bytes() - snapshotBytes).isGreaterThan(1 << 20);
    assertThat(log.forgotten).as("less than four times the snapshot").isZero();
  }

  @Test
  void shouldGiveTheNumberOfAForgottenNameToAnother() throws IOException {
    connect("stays");
    VirtualCursor gone = connect("gone");
    store.flush().join();
    registry.forget(gone);
    store.flush().join();
    assertThat(last().removed.toArray()).containsExactly(1);
    VirtualCursor second = connect("second");
    store.flushNewNames().join();
    assertThat(last().names).containsOnlyKeys(1);
    assertThat(last().removed.toArray()).as("told once").isEmpty();
    registry.forget(second);
    connect("third");
    store.flushNewNames().join();
    assertThat(last().removed.toArray()).containsExactly(1);
    assertThat(last().names).as("while the removal is not on storage").containsOnlyKeys(2);
    connect("fourth");
    store.flushNewNames().join();
    assertThat(last().names).containsOnlyKeys(1);
    assertThat(restored().leftBehindCount()).isEqualTo(3);
  }

  /** I4: of two consumers of one name, each its own holes. */
  @Test
  void shouldStoreTheHolesOfTheConsumerThatIsLeft() throws IOException {
    VirtualCursor leaves = connect("same");
    leaves.delivered(20);
    leaves.ackIndividual(5);
    store.flush().join();
    VirtualCursor stays = connect("same");
    stays.delivered(20);
    stays.ackIndividual(7);
    registry.forget(leaves);
    store.flush().join();
    VirtualCursor back = restored().connect("same", 60, () -> 0, 0);
    assertThat(back.isAcknowledged(5)).as("I4: by the other").isFalse();
    assertThat(back.isAcknowledged(7)).isTrue();
  }

  @Test
  void shouldCountThePartsThatAreTooMany() throws IOException {
    store = new PositionsStore(log, registry, index, 2);
    VirtualCursor cursor = connect("car");
    cursor.delivered(20);
    for (int batch = 1; batch <= 5; batch++) {
      cursor.ackPart(batch, new long[] {batch});
    }
    store.flush().join();
    assertThat(store.holesLeftOut()).as("I6").isEqualTo(3);
    VirtualCursor back = restored().connect("car", 60, () -> 0, 0);
    assertThat(back.remaining(1)).containsExactly(1);
    assertThat(back.remaining(2)).containsExactly(2);
    assertThat(back.remaining(3)).isNull();
  }

  @Test
  void shouldKeepAPartOfTheBatchAtThePosition() throws IOException {
    VirtualCursor cursor = connect("car");
    cursor.delivered(20);
    cursor.ackCumulative(9);
    cursor.ackPart(10, new long[] {0b100});
    store.flush().join();
    VirtualCursor back = restored().connect("car", 60, () -> 0, 0);
    assertThat(back.next()).isEqualTo(10);
    assertThat(back.remaining(10)).containsExactly(0b100);
  }

  /** A subscription can be ahead of what was stored when the broker died. */
  @Test
  void shouldKeepWhatIsAcknowledgedAtTheSubscriptionsPosition() throws IOException {
    VirtualCursor holed = connect("holed");
    VirtualCursor parted = connect("parted");
    holed.delivered(20);
    parted.delivered(20);
    holed.ackIndividual(3);
    parted.ackPart(3, new long[] {0b100});
    store.flush().join();
    CursorRegistry restored = restored(3);
    assertThat(restored.connect("holed", 60, () -> 0, 0).next()).isEqualTo(4);
    assertThat(restored.connect("parted", 60, () -> 0, 0).remaining(3)).containsExactly(0b100);
  }

  private VirtualCursor connect(String name) {
    return registry.connect(name, 60, () -> 0, 0);
  }

  private static void ackTo(VirtualCursor cursor, long next) {
    cursor.delivered(next);
    cursor.ackCumulative(next - 1);
  }

  private long bytes() {
    return log.records.stream().mapToLong(record -> record.length).sum();
  }

  private PositionsRecord last() throws IOException {
    return PositionsRecord.decode(log.records.get(log.records.size() - 1));
  }

  private CursorRegistry restored() throws IOException {
    return restored(0);
  }

  private CursorRegistry restored(long floor) throws IOException {
    StoredPositions stored = new StoredPositions();
    for (byte[] record : log.records) {
      stored.apply(record);
    }
    CursorRegistry restored = new CursorRegistry(new SkippedEntries(), floor);
    stored.restore(restored, index, 1_000_000);
    return restored;
  }
}
