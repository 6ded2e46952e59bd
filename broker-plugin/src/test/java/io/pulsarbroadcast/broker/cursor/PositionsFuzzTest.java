/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.pulsarbroadcast.broker.Seeds;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeftPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/**
 * Records of positions that are not as they were written, of random positions. {@code
 * -Dfuzz.runs=N} makes N runs. {@link PositionsLogFuzzTest} has what no checksum finds.
 */
class PositionsFuzzTest {
  private static final int RUNS = Integer.getInteger("fuzz.runs", 400);
  private static final int CHANGES_PER_RECORD = 40;
  static final int CRC_BYTES = 4;
  private static final int NUMBERS = 8;
  private static final long[] LEDGERS = {3, 7, 9};
  private static final int ENTRIES = 10;

  @Test
  void shouldRefuseARecordWhoseBytesAreOthers() {
    Seeds.forEach(
        "fuzz",
        RUNS,
        seed -> {
          Random random = Seeds.random(seed);
          byte[] written = record(random).encode();
          for (int i = 0; i < CHANGES_PER_RECORD; i++) {
            byte[] changed = changed(written, random);
            if (!Arrays.equals(written, changed)) {
              assertThat(refusal(changed)).as("a change that no checksum finds").isNotNull();
            }
          }
        });
  }

  @Test
  void shouldNameTheVersionOfARecordFromTheFuture() {
    Random random = Seeds.random(1);
    for (int version = PositionsRecord.VERSION + 1; version <= Byte.MAX_VALUE; version++) {
      byte[] bytes = record(random).encode();
      bytes[1] = (byte) version;
      assertThat(refusal(withChecksum(bytes)))
          .isInstanceOf(UnknownVersionException.class)
          .hasMessageContaining("version " + version);
    }
  }

  /** A write that was answered late may be there twice, and the second says the same. */
  @Test
  void shouldReadTheSameWhenRecordsAreThereTwice() {
    Seeds.forEach(
        "fuzz",
        RUNS,
        seed -> {
          List<byte[]> log = log(Seeds.random(seed));
          List<byte[]> twice = new ArrayList<>();
          for (byte[] record : log) {
            twice.add(record);
            twice.add(record);
          }
          assertThat(places(twice)).isEqualTo(places(log));
        });
  }

  /** Storage keeps their order, so that any outcome will do that is one. */
  @Test
  void shouldRestoreSomethingFromRecordsInAnyOrder() {
    Seeds.forEach(
        "fuzz",
        RUNS,
        seed -> {
          Random random = Seeds.random(seed);
          List<byte[]> log = log(random);
          Collections.shuffle(log, random);
          places(log.subList(0, random.nextInt(log.size()) + 1))
              .forEach((name, next) -> assertThat(next).as(name).isBetween(0L, 30L));
        });
  }

  // --- What is written -------------------------------------------------------------------------

  private static PositionsRecord record(Random random) {
    PositionsRecord record = new PositionsRecord();
    record.firstOfSnapshot = random.nextInt(4) == 0;
    record.lastOfSnapshot = record.firstOfSnapshot;
    record.placeInSnapshot = record.firstOfSnapshot ? 1 : 0;
    record.snapshotId = record.firstOfSnapshot ? random.nextLong() : 0;
    for (int number = 0; number < NUMBERS; number++) {
      switch (random.nextInt(4)) {
        case 0 -> record.removed.add(number);
        case 1 -> record.put(number, entry(random));
        case 2 -> addName(record, number, random);
        default -> {}
      }
    }
    return record;
  }

  private static void addName(PositionsRecord record, int number, Random random) {
    record.putName(number, "car-" + number, random.nextInt(100));
    record.put(number, entry(random));
    if (random.nextBoolean()) {
      record.putHole(number, entry(random));
      record.putPart(number, entry(random), new long[] {random.nextLong(), random.nextLong()});
    }
    record.putLastSeen(number, random.nextInt(1_000));
    if (random.nextBoolean()) {
      record.putArrivals(number, 1 + random.nextInt(3));
    }
    if (random.nextBoolean()) {
      int left = 1 + random.nextInt(3);
      record.putCount(number, left + random.nextInt(3));
      record.putLeft(number, left);
      record.putLeft(number, new StoredLeftPosition(entry(random), 1, 2, left));
    }
  }

  private static EntryId entry(Random random) {
    return new EntryId(LEDGERS[random.nextInt(LEDGERS.length)], random.nextInt(ENTRIES + 1) - 1L);
  }

  /** A snapshot, and changes. */
  private static List<byte[]> log(Random random) {
    List<byte[]> log = new ArrayList<>();
    int places = 1 + random.nextInt(NUMBERS / 2);
    for (int place = 1; place <= places; place++) {
      PositionsRecord record = new PositionsRecord();
      record.firstOfSnapshot = place == 1;
      record.lastOfSnapshot = place == places;
      record.placeInSnapshot = place;
      record.snapshotId = 1;
      addName(record, place, random);
      log.add(record.encode());
    }
    for (int i = random.nextInt(12); i >= 0; i--) {
      log.add(record(random).encode());
    }
    return log;
  }

  // --- What is read ----------------------------------------------------------------------------

  /** Other bits, fewer bytes, or bytes of one place at another. */
  private static byte[] changed(byte[] written, Random random) {
    byte[] bytes = written.clone();
    switch (random.nextInt(3)) {
      case 0 -> {
        for (int i = random.nextInt(8); i >= 0; i--) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
      case 1 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      default -> {
        int from = random.nextInt(bytes.length);
        int to = random.nextInt(bytes.length);
        System.arraycopy(
            written, from, bytes, to, random.nextInt(bytes.length - Math.max(from, to) + 1));
      }
    }
    return bytes;
  }

  static byte[] withChecksum(byte[] bytes) {
    if (bytes.length >= CRC_BYTES) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, 0, bytes.length - CRC_BYTES);
      ByteBuffer.wrap(bytes).putInt(bytes.length - CRC_BYTES, (int) crc.getValue());
    }
    return bytes;
  }

  /** Null when it is taken. */
  private static IOException refusal(byte[] bytes) {
    try {
      new StoredPositions().apply(bytes);
      return null;
    } catch (IOException e) {
      return e;
    } catch (RuntimeException | Error e) {
      return fail("not an IOException: " + e, e);
    }
  }

  /** Where each name goes on. */
  private static Map<String, Long> places(List<byte[]> log) throws IOException {
    LedgerIndex index =
        new LedgerIndex(() -> new TreeMap<>(Map.of(3L, 10L, 7L, 10L, 9L, 10L)), (from, to) -> {});
    CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
    PositionsLogFuzzTest.read(log).restore(registry, index, 30);
    Map<String, Long> places = new TreeMap<>();
    for (int number = 0; number < NUMBERS; number++) {
      String name = "car-" + number;
      places.put(name, registry.connect(name, 60, () -> 0, 0).next());
    }
    return places;
  }
}
