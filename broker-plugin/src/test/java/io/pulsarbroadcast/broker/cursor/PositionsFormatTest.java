/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeft;
import io.pulsarbroadcast.broker.cursor.PositionsRecord.StoredLeftPosition;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The bytes of the positions log, as each version of the format was written, stay readable, and the
 * current version is still written so. The bytes are in {@code positions-log/v*.properties}, with
 * the commit that wrote them; a new version adds a file and a test here, and changes none.
 */
class PositionsFormatTest {

  private static final String NAMES =
      "0=car-0 for 60 s, 1=car-1 for 60 s, 2=car-2 for 60 s, 3=car-3 for 60 s, 4=Lkw-Größe for"
          + " 604800 s";

  private final LedgerIndex index =
      new LedgerIndex(() -> new TreeMap<>(Map.of(3L, 10L, 7L, 10L, 9L, 10L)), (from, to) -> {});

  @Test
  void shouldReadTheRecordsOfVersion1() throws IOException {
    Properties v1 = bytesOf(1);
    assertThat(show(v1, "snapshot"))
        .isEqualTo(
            """
            first true, last true, place -1 of 0
            names {%s}
            at {3:-1={0,3,4}, 3:4={1}, 7:1={2}}
            acknowledged {4={3={3,4,5,6,7,8,9}, 7={3}}}, parts {}
            removed {}
            """
                .formatted(NAMES));
    assertThat(show(v1, "changes"))
        .isEqualTo(
            """
            first false, last false, place -1 of 0
            names {5=late for 0 s}
            at {3:-1={4}, 7:3={0,1}, 9:9={5}}
            acknowledged {4={3={3,4,5,6,7,8,9}, 7={3}, 9={0}}}, parts {}
            removed {3}
            """);
    assertThat(show(v1, "closed"))
        .isEqualTo(
            """
            first false, last false, place -1 of 0
            names {}
            at {9:4={4}}
            acknowledged {}, parts {}
            removed {}
            """);
    assertThat(show(v1, "several.1"))
        .isEqualTo(
            """
            first true, last false, place -1 of 0
            names {0=a for 60 s}
            at {3:4={0}}
            acknowledged {}, parts {}
            removed {}
            """);
    assertThat(show(v1, "several.2"))
        .isEqualTo(
            """
            first false, last true, place -1 of 0
            names {1=b for 60 s}
            at {7:-1={1}}
            acknowledged {}, parts {}
            removed {}
            """);
  }

  @Test
  void shouldReadTheRecordsOfVersion2() throws IOException {
    Properties v2 = bytesOf(2);
    assertThat(show(v2, "snapshot"))
        .isEqualTo(
            """
            first true, last true, place 1 of 1ad2941edf981a62
            names {%s}
            at {3:-1={0,3,4}, 3:4={1}, 7:1={2}}
            acknowledged {4={3={3,4,5,6,7,8,9}, 7={3}}}, parts {}
            removed {}
            """
                .formatted(NAMES));
    assertThat(show(v2, "changes"))
        .isEqualTo(
            """
            first false, last false, place 0 of 0
            names {5=late for 0 s}
            at {3:-1={4}, 7:3={0,1}, 9:9={5}}
            acknowledged {4={3={3,4,5,6,7,8,9}, 7={3}, 9={0}}}, parts {4={9:2=[a, 8000000000000000]}}
            removed {3}
            """);
    assertThat(show(v2, "closed"))
        .isEqualTo(
            """
            first false, last false, place 0 of 0
            names {}
            at {9:4={4}}
            acknowledged {}, parts {}
            removed {}
            """);
    assertThat(show(v2, "several.1"))
        .isEqualTo(
            """
            first true, last false, place 1 of 44adf7ce51c2b652
            names {0=a for 60 s}
            at {3:4={0}}
            acknowledged {}, parts {}
            removed {}
            """);
    assertThat(show(v2, "several.2"))
        .isEqualTo(
            """
            first false, last true, place 2 of 44adf7ce51c2b652
            names {1=b for 60 s}
            at {3:9={1}}
            acknowledged {}, parts {}
            removed {}
            """);
  }

  /** The rest is as in version 2. */
  @Test
  void shouldReadTheCountsAndTimesOfVersion3() throws IOException {
    Properties v3 = bytesOf(3);
    Properties v2 = bytesOf(2);
    for (String record : v2.stringPropertyNames()) {
      assertThat(show(v3, record)).isEqualTo(show(v2, record));
    }
    assertThat(showCounts(v3, "snapshot")).isEqualTo("2={1}; 0={0,1,2,3}, 1700000000000={4}");
    assertThat(showCounts(v3, "changes")).isEqualTo("1={1}; 0={5}, 1700000001000={1}");
    assertThat(showCounts(v3, "closed")).isEqualTo("; 0={4}");
    assertThat(showCounts(v3, "several.1")).isEqualTo("; 1700000002000={0}");
    assertThat(showCounts(v3, "several.2")).isEqualTo("; 0={1}");
  }

  /** The rest is as in version 3. */
  @Test
  void shouldReadWhatIsLeftBesidePositionsOfVersion4() throws IOException {
    Properties v4 = bytesOf(4);
    Properties v3 = bytesOf(3);
    for (String record : v3.stringPropertyNames()) {
      assertThat(show(v4, record)).isEqualTo(show(v3, record));
      assertThat(showCounts(v4, record)).isEqualTo(showCounts(v3, record));
    }
    for (String record : List.of("changes", "closed", "several.1", "several.2")) {
      assertThat(PositionsRecord.decode(bytes(v4, record)).left).as(record).isEmpty();
    }
    assertThat(PositionsRecord.decode(bytes(v4, "snapshot")).left)
        .isEqualTo(
            Map.of(
                1,
                new StoredLeft(
                    1,
                    List.of(
                        new StoredLeftPosition(
                            new EntryId(3, 1), 1_690_000_000_000L, 1_690_000_001_000L, 2),
                        new StoredLeftPosition(
                            new EntryId(3, 6), 1_690_000_002_000L, 1_690_000_002_000L, 1)))));
  }

  /** I1: what counts for more than another topic has under the same name. */
  @Test
  void shouldReadHowOftenConsumersOfPositionsOfVersion5HaveCome() throws IOException {
    Properties v5 = bytesOf(5);
    assertThat(arrivals(read(v5, "snapshot")))
        .isEqualTo(Map.of("car-0", 0, "car-1", 1, "car-2", 0, "car-3", 1, "Lkw-Größe", 3));
    assertThat(arrivals(read(v5, "snapshot", "changes")))
        .isEqualTo(Map.of("car-0", 2, "car-1", 1, "car-2", 0, "late", 1, "Lkw-Größe", 3));
    assertThat(arrivals(read(bytesOf(4), "snapshot")).values()).containsOnly(0);
    assertThat(moved(read(v5, "snapshot")).arrivals)
        .isEqualTo(PositionsRecord.decode(bytes(v5, "snapshot")).arrivals);
  }

  private static Map<String, Integer> arrivals(StoredPositions stored) {
    return stored.byName().values().stream()
        .collect(Collectors.toMap(StoredPosition::name, StoredPosition::arrivals));
  }

  /** I1, I3: each at the lowest that is kept, for as long as it is. */
  @Test
  void shouldRestoreWhatIsLeftBesidePositionsOfVersion4() throws IOException {
    CursorRegistry registry = restore(bytesOf(4), "snapshot");
    assertThat(registry.leftBehindCount()).isEqualTo(6);
    registry.expire(1_690_000_001_000L + 59_999, 30);
    assertThat(next(registry, "car-1")).isEqualTo(2);
    assertThat(registry.expire(1_690_000_001_000L + 60_000, 30).entries())
        .as("I6: from 2 to 5, where the other is")
        .isEqualTo(3);
    assertThat(next(registry, "car-1")).isEqualTo(5);
    assertThat(next(registry, "car-1")).as("no more than there were").isEqualTo(99);
  }

  private static String showCounts(Properties golden, String name) throws IOException {
    PositionsRecord record = PositionsRecord.decode(bytes(golden, name));
    return showInOrder(record.counts) + "; " + showInOrder(record.lastSeenMillis);
  }

  private static String showInOrder(Map<?, ?> map) {
    return new TreeMap<>(map)
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(", "));
  }

  /** I1, I4: what a plugin of then stored is what a plugin of today restores. */
  @Test
  void shouldRestoreWhatEachVersionStored() throws IOException {
    for (int version = 1; version <= PositionsRecord.VERSION; version++) {
      Properties bytes = bytesOf(version);
      CursorRegistry registry = restore(bytes, "snapshot", "changes");
      assertThat(registry.leftBehindCount()).as("version %d", version).isEqualTo(5);
      assertThat(next(registry, "car-0")).isEqualTo(14);
      assertThat(next(registry, "car-1")).isEqualTo(14);
      assertThat(next(registry, "car-2")).isEqualTo(12);
      assertThat(next(registry, "late")).isEqualTo(30);
      VirtualCursor holed = registry.connect("Lkw-Größe", 604_800, () -> 99, 0);
      assertThat(holed.next()).isZero();
      for (int ordinal = 0; ordinal < 30; ordinal++) {
        assertThat(holed.isAcknowledged(ordinal))
            .as("version %d, entry %d", version, ordinal)
            .isEqualTo((ordinal >= 3 && ordinal < 10) || ordinal == 13 || ordinal == 20);
      }
      if (version == 1) {
        assertThat(holed.remaining(22)).isNull();
      } else {
        assertThat(holed.remaining(22)).containsExactly(0b1010, Long.MIN_VALUE);
      }

      CursorRegistry closed = restore(bytes, "snapshot", "changes", "closed");
      assertThat(next(closed, "Lkw-Größe")).isEqualTo(25);

      CursorRegistry several = restore(bytes, "snapshot", "several.1", "several.2");
      assertThat(several.leftBehindCount()).isEqualTo(2);
      assertThat(next(several, "a")).isEqualTo(5);
      assertThat(next(several, "b")).isEqualTo(10);
    }
  }

  /** I1: the rest of a snapshot that was cut short may not be taken for all there is. */
  @Test
  void shouldNotTakeASnapshotThatAChangeCutsShort() throws IOException {
    CursorRegistry registry = restore(bytesOf(2), "snapshot", "several.1", "changes", "several.2");
    assertThat(registry.leftBehindCount()).isEqualTo(5);
    assertThat(next(registry, "car-0")).isEqualTo(14);
  }

  /** A change of the format without another version makes logs that older plugins misread. */
  @Test
  void shouldWriteTheCurrentVersionAsBefore() throws IOException {
    // Without arrivals, the version before.
    for (int version : new int[] {PositionsRecord.VERSION - 1, PositionsRecord.VERSION}) {
      Properties current = bytesOf(version);
      for (String record : current.stringPropertyNames()) {
        String golden = current.getProperty(record);
        byte[] written = PositionsRecord.decode(HexFormat.of().parseHex(golden)).encode();
        assertThat(HexFormat.of().formatHex(written)).as(record).isEqualTo(golden);
      }
    }
  }

  /** I4: a log that takes the place of another one begins with all that it had. */
  @Test
  void shouldWriteAllOfItForAnotherLog() throws IOException {
    PositionsRecord golden = PositionsRecord.decode(bytes(bytesOf(4), "snapshot"));
    PositionsRecord moved = moved(read(bytesOf(4), "snapshot"));
    assertThat(moved.names).isEqualTo(golden.names);
    assertThat(moved.positions).isEqualTo(golden.positions);
    assertThat(moved.counts).containsAllEntriesOf(golden.counts);
    assertThat(moved.lastSeenMillis).isEqualTo(golden.lastSeenMillis);
    assertThat(moved.holes).isEqualTo(golden.holes);
    assertThat(moved.left).isEqualTo(golden.left);

    PositionsRecord changes = PositionsRecord.decode(bytes(bytesOf(4), "changes"));
    moved = moved(read(bytesOf(4), "snapshot", "changes"));
    assertThat(moved.holes).isEqualTo(changes.holes);
    assertThat(showParts(moved)).isEqualTo(showParts(changes));
    assertThat(moved.left).isEmpty();
  }

  private static PositionsRecord moved(StoredPositions stored) throws IOException {
    List<byte[]> records = stored.snapshot();
    assertThat(records).hasSize(1);
    PositionsRecord record = PositionsRecord.decode(records.get(0));
    assertThat(record.firstOfSnapshot).isTrue();
    assertThat(record.lastOfSnapshot).isTrue();
    return record;
  }

  /** I1: of a name that both logs have the later position holds, of others what there is. */
  @Test
  void shouldPutLaterPositionsInPlaceOfFormerOnes() throws IOException {
    StoredPositions positions = read(bytesOf(4), "snapshot");
    positions.update(read(bytesOf(4), "snapshot", "changes"));
    assertThat(positions.size()).isEqualTo(6);
    CursorRegistry registry = restore(positions);
    assertThat(next(registry, "car-0")).isEqualTo(14);
    assertThat(next(registry, "car-1")).isEqualTo(14);
    assertThat(next(registry, "car-2")).isEqualTo(12);
    assertThat(next(registry, "car-3")).as("only the former one has it").isZero();
    assertThat(next(registry, "late")).as("only the later one has it").isEqualTo(30);
  }

  @Test
  void shouldNameTheLedgersOfPositionsAndOfWhatIsLeftBesideThem() throws IOException {
    assertThat(read(bytesOf(4), "snapshot").ledgerIds()).containsExactlyInAnyOrder(3L, 7L);
    assertThat(read(bytesOf(4), "several.1", "several.2").ledgerIds()).containsExactly(3L);
    PositionsRecord leftElsewhere = new PositionsRecord();
    leftElsewhere.putName(0, "car", 60);
    leftElsewhere.put(0, new EntryId(9, 0));
    leftElsewhere.putLeft(0, 1);
    leftElsewhere.putLeft(0, new StoredLeftPosition(new EntryId(7, 0), 1, 1, 1));
    StoredPositions positions = read(bytesOf(4), "several.1", "several.2");
    positions.apply(leftElsewhere.encode());
    assertThat(positions.ledgerIds())
        .as("the name's only position is the one that is left")
        .containsExactlyInAnyOrder(3L, 7L);
  }

  /** A write that arrived in part can leave a name alone. */
  @Test
  void shouldTakeANameWithoutAPositionForNothing() throws IOException {
    PositionsRecord nameOnly = new PositionsRecord();
    nameOnly.putName(9, "new", 60);
    StoredPositions positions = read(bytesOf(4), "several.1", "several.2");
    positions.apply(nameOnly.encode());
    assertThat(positions.size()).isEqualTo(3);
    assertThat(positions.ledgerIds()).containsExactly(3L);
    assertThat(positions.countTrimmed(index)).isZero();
    assertThat(moved(positions).names).doesNotContainKey(9);
    assertThat(next(restore(positions), "new")).isEqualTo(99);
  }

  @Test
  void shouldRefuseNumbersOfPositionsThatCannotBe() throws IOException {
    numbers(2, 1, 1).check();
    assertThatThrownBy(numbers(0, 0, 1)::check).hasMessageContaining("0 of car");
    assertThatThrownBy(numbers(2, -1, 1)::check).hasMessageContaining("-1 are away");
    assertThatThrownBy(numbers(2, 3, 1)::check).hasMessageContaining("3 are away");
    assertThatThrownBy(numbers(2, 1, 0)::check).hasMessageContaining("2 of car");
    assertThatThrownBy(numbers(1, 1)::check).hasMessageContaining("none of 1 of car is anywhere");
    StoredPositions tooMany = numbers(Integer.MAX_VALUE, 1, 1);
    tooMany.apply(bytes(bytesOf(4), "several.1"));
    tooMany.apply(bytes(bytesOf(4), "several.2"));
    tooMany.check();
    tooMany.update(numbers(Integer.MAX_VALUE, 1, 1));
    assertThatThrownBy(tooMany::check).hasMessageContaining("in all");
  }

  private static StoredPositions numbers(int count, int away, int... leaves) throws IOException {
    PositionsRecord record = new PositionsRecord();
    record.putName(0, "car", 60);
    record.put(0, new EntryId(7, 0));
    record.putCount(0, count);
    record.putLeft(0, away);
    for (int each : leaves) {
      record.putLeft(0, new StoredLeftPosition(new EntryId(3, 0), 1, 1, each));
    }
    StoredPositions stored = new StoredPositions();
    stored.apply(record.encode());
    return stored;
  }

  /** I6: what is left beside a position counts as often as somebody waits for it. */
  @Test
  void shouldCountPositionsWhoseLedgerIsGone() throws IOException {
    StoredPositions positions = read(bytesOf(4), "snapshot");
    assertThat(positions.countTrimmed(index)).isZero();
    assertThat(positions.countTrimmed(indexOf(7, 9))).isEqualTo(5);
    assertThat(positions.countTrimmed(indexOf(9))).isEqualTo(6);
  }

  private static LedgerIndex indexOf(long... ledgers) {
    TreeMap<Long, Long> entries = new TreeMap<>();
    for (long ledger : ledgers) {
      entries.put(ledger, 10L);
    }
    return new LedgerIndex(() -> entries, (from, to) -> {});
  }

  @Test
  void shouldTellALogThatWasGivenUpFromOneThatIsNothing() throws IOException {
    StoredPositions positions = new StoredPositions();
    assertThat(positions.isNothing()).isTrue();
    positions.apply(bytes(bytesOf(4), "snapshot"));
    assertThat(positions.isNothing()).isFalse();
    assertThat(positions.isRetired()).isFalse();
    assertThat(positions.size()).isEqualTo(5);
    positions.apply(StoredPositions.retirement());
    assertThat(positions.isRetired()).isTrue();
    assertThat(positions.size()).as("what another log has now").isZero();
  }

  static Properties bytesOf(int version) throws IOException {
    String name = "/positions-log/v" + version + ".properties";
    Properties properties = new Properties();
    try (InputStream file = PositionsFormatTest.class.getResourceAsStream(name)) {
      assertThat(file).as("the bytes of version %d, in %s", version, name).isNotNull();
      properties.load(file);
    }
    assertThat(properties.stringPropertyNames())
        .containsExactlyInAnyOrder("snapshot", "changes", "closed", "several.1", "several.2");
    return properties;
  }

  static byte[] bytes(Properties golden, String record) {
    return HexFormat.of().parseHex(golden.getProperty(record));
  }

  private static StoredPositions read(Properties golden, String... records) throws IOException {
    StoredPositions stored = new StoredPositions();
    for (String record : records) {
      stored.apply(bytes(golden, record));
    }
    return stored;
  }

  private CursorRegistry restore(Properties golden, String... records) throws IOException {
    return restore(read(golden, records));
  }

  private CursorRegistry restore(StoredPositions stored) {
    CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 0);
    stored.restore(registry, index, 30);
    return registry;
  }

  private static long next(CursorRegistry registry, String name) {
    return registry.connect(name, 60, () -> 99, 0).next();
  }

  /** All that a record of versions 1 and 2 holds; {@link #showCounts} has what version 3 adds. */
  private static String show(Properties golden, String name) throws IOException {
    PositionsRecord record = PositionsRecord.decode(bytes(golden, name));
    Map<Integer, String> names = new TreeMap<>();
    record.names.forEach(
        (number, stored) ->
            names.put(number, stored.name() + " for " + stored.ttlSeconds() + " s"));
    Map<String, String> positions = new TreeMap<>();
    record.positions.forEach((entry, numbers) -> positions.put(show(entry), numbers.toString()));
    return """
        first %s, last %s, place %d of %x
        names %s
        at %s
        acknowledged %s, parts %s
        removed %s
        """
        .formatted(
            record.firstOfSnapshot,
            record.lastOfSnapshot,
            record.placeInSnapshot,
            record.snapshotId,
            names,
            positions,
            record.holes,
            showParts(record),
            record.removed);
  }

  private static Map<Integer, String> showParts(PositionsRecord record) {
    Map<Integer, String> parts = new TreeMap<>();
    record.parts.forEach(
        (number, batches) ->
            parts.put(
                number,
                batches.entrySet().stream()
                    .map(batch -> show(batch.getKey()) + "=" + showBits(batch.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"))));
    return parts;
  }

  private static String showBits(long[] words) {
    return Arrays.stream(words).mapToObj(Long::toHexString).toList().toString();
  }

  private static String show(EntryId entry) {
    return entry.ledgerId() + ":" + entry.entryId();
  }
}
