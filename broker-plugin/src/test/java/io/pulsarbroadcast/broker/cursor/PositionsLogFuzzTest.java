/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import com.code_intelligence.jazzer.mutation.annotation.WithSize;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a faulty writer could leave in a positions log, with right checksums: it is taken, or
 * refused with an {@link IOException}, which a load of the topic knows how to handle; nothing else
 * is thrown, and it takes little memory.
 *
 * <p>Inputs are the bytes of records without their checksums: those of all versions of the format,
 * and those kept in {@code PositionsLogFuzzTestInputs}. Jazzer looks for more where {@code
 * JAZZER_FUZZ} is set; docs/develop.md says how.
 */
class PositionsLogFuzzTest {
  private static final int MAX_RECORDS = 16;
  private static final int MAX_CONNECTS = 20;
  private static final long END = 30;
  private static final long LATE_MILLIS = 4_000_000_000_000L;

  /** Of which half is for what Jazzer instruments meanwhile. */
  private static final long MAX_ALLOCATED_BYTES = 256 << 20;

  private static final List<String> CHANGED = List.of("snapshot", "changes", "closed");
  private static final List<String> SEVERAL = List.of("snapshot", "several.1", "several.2");
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final LedgerIndex index =
      new LedgerIndex(() -> new TreeMap<>(Map.of(3L, 10L, 7L, 10L, 9L, 10L)), (from, to) -> {});

  static Stream<byte[]> writtenRecords() throws IOException {
    return writtenLogs().flatMap(List::stream);
  }

  static Stream<List<byte[]>> writtenLogs() throws IOException {
    List<List<byte[]>> logs = new ArrayList<>();
    for (int version = 1; version <= PositionsRecord.VERSION; version++) {
      Properties golden = PositionsFormatTest.bytesOf(version);
      for (List<String> log : List.of(CHANGED, SEVERAL)) {
        logs.add(log.stream().map(name -> PositionsFormatTest.bytes(golden, name)).toList());
      }
    }
    logs.add(List.of(StoredPositions.retirement()));
    return logs.stream()
        .map(log -> log.stream().map(PositionsLogFuzzTest::withoutChecksum).toList());
  }

  /** What is taken, can be written. */
  @MethodSource("writtenRecords")
  @FuzzTest
  void shouldTakeOrRefuseARecord(byte[] bytes) throws Exception {
    PositionsRecord record = takenOrRefused(() -> PositionsRecord.decode(withChecksum(bytes)));
    if (record == null) {
      return;
    }
    byte[] written = record.encode();
    assertThat(PositionsRecord.decode(written).encode()).isEqualTo(written);
  }

  /** What is restored can be stored, moved to another log, and given to consumers that return. */
  @MethodSource("writtenLogs")
  @FuzzTest
  void shouldRestoreOrRefuseALog(@NotNull @WithSize(max = MAX_RECORDS) List<byte @NotNull []> log)
      throws Exception {
    List<byte[]> records = log.stream().map(PositionsLogFuzzTest::withChecksum).toList();
    StoredPositions stored = takenOrRefused(() -> read(records));
    if (stored == null) {
      return;
    }
    assertThat(stored.countTrimmed(index)).as("trimmed").isNotNegative();
    CursorRegistry registry = restored(stored);
    assertThat(places(restored(read(stored.snapshot())))).isEqualTo(places(registry));
    assertThat(places(restored(read(written(registry))))).isEqualTo(places(registry));
    connect(registry);
    CursorRegistry left = restored(stored);
    assertThat(left.expire(LATE_MILLIS, END).entries()).as("skipped").isNotNegative();
    assertThat(left.leftBehindCount()).as("left behind").isNotNegative();
  }

  private CursorRegistry restored(StoredPositions stored) {
    CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
    CursorRegistry.Skipped skipped = stored.restore(registry, index, END);
    assertThat(skipped.entries()).as("entries before the first").isNotNegative();
    return registry;
  }

  /** What a load of the topic reads. */
  static StoredPositions read(List<byte[]> log) throws IOException {
    StoredPositions stored = new StoredPositions();
    for (byte[] record : log) {
      stored.apply(record);
    }
    stored.check();
    return stored;
  }

  private List<byte[]> written(CursorRegistry registry) {
    RecordsInMemory log = new RecordsInMemory();
    new PositionsStore(log, registry, index, Integer.MAX_VALUE).flush().join();
    return log.records;
  }

  /** Where each name goes on, and how many may return in all. */
  private static Map<String, Long> places(CursorRegistry registry) {
    Map<String, Long> places = new TreeMap<>();
    for (ListedCursor each : registry.list(listed -> true)) {
      places.merge(each.cursor().name(), each.cursor().next(), Math::min);
    }
    places.put("*", (long) registry.leftBehindCount());
    return places;
  }

  private static void connect(CursorRegistry registry) {
    for (ListedCursor each : registry.list(listed -> true)) {
      int consumers = Math.max(1, Math.min(each.consumers(), MAX_CONNECTS));
      for (int i = 0; i < consumers; i++) {
        VirtualCursor cursor = registry.connect(each.cursor().name(), 60, () -> END, 0);
        assertThat(cursor.next()).as(cursor.name()).isNotNegative();
      }
    }
    assertThat(registry.leftBehindCount()).as("left behind").isNotNegative();
  }

  /** Null: refused. */
  private static <T> T takenOrRefused(Callable<T> reading) throws Exception {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      return reading.call();
    } catch (IOException e) {
      assertThat(e.getMessage()).as("what is wrong").isNotBlank();
      return null;
    } finally {
      assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
          .as("allocated bytes")
          .isLessThan(MAX_ALLOCATED_BYTES);
    }
  }

  private static byte[] withChecksum(byte[] bytes) {
    return PositionsFuzzTest.withChecksum(
        Arrays.copyOf(bytes, bytes.length + PositionsFuzzTest.CRC_BYTES));
  }

  private static byte[] withoutChecksum(byte[] record) {
    return Arrays.copyOf(record, record.length - PositionsFuzzTest.CRC_BYTES);
  }
}
