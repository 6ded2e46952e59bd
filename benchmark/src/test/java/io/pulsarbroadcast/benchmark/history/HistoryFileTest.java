/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pulsarbroadcast.benchmark.history.Event.Contract;
import io.pulsarbroadcast.benchmark.history.Event.Phase;
import io.pulsarbroadcast.benchmark.history.Event.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryFileTest {
  private static final Id ID = new Id(7, 13, 2);

  /** One of each kind. */
  private static final List<Event> EVENTS =
      List.of(
          new Event.Start(1, 0, 1_000, 500, 5_000, true),
          new Event.Publish(2, 1, Phase.OK, "producer", -5, ID),
          new Event.Publish(3, 1, Phase.UNKNOWN, "producer", 6, null),
          new Event.Subscribe(4, 1, Phase.FAILED, "a", 1, Contract.UNORDERED),
          new Event.Delivery(5, 1, "a", 1, "broker", Id.of(7, 14), 3, 6),
          new Event.Ack(6, 1, Phase.INVOKED, "a", 1, ID, true, false),
          new Event.Redeliver(7, 1, "a", 1),
          new Event.Seek(8, 1, Phase.INVOKED, "a", 1, ID),
          new Event.Unsubscribe(9, 1, Phase.OK, "a", 1),
          new Event.Closed(10, 1, "a", 1),
          new Event.Expired(11, 1, "a"),
          new Event.Skip(12, 1, ID),
          new Event.Fault(13, 1, Step.HEALED, 1, "kill", true),
          new Event.MarkDelete(14, 2, 1, Id.of(7, -1)),
          new Event.SkipCount(15, 2, "broker", 9));

  @TempDir private Path folder;

  private Path write(String name, List<Event> events) throws IOException {
    Path file = folder.resolve(name);
    try (HistoryWriter writer = HistoryWriter.create(file)) {
      events.forEach(event -> writer.write((line, micros) -> event));
    }
    return file;
  }

  private static List<Event> read(Path file) throws IOException {
    try (HistoryReader reader = HistoryReader.open(file)) {
      return reader.events().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"history.jsonl", "history.jsonl.gz"})
  void shouldReadWhatItHasWritten(String name) throws IOException {
    assertThat(read(write(name, EVENTS))).isEqualTo(EVENTS);
    assertThat(EVENTS.stream().map(Object::getClass).distinct())
        .as("every kind of event is tried")
        .hasSize(Event.class.getPermittedSubclasses().length);
  }

  @Test
  void shouldWriteOneShortLinePerEvent() throws IOException {
    assertThat(Files.readAllLines(write("history.jsonl", EVENTS)).get(4))
        .isEqualTo(
            "{\"event\":\"delivery\",\"line\":5,\"micros\":1,\"name\":\"a\",\"incarnation\":1,"
                + "\"broker\":\"broker\",\"id\":\"7:14\",\"redeliveryCount\":3,\"payload\":6}");
  }

  @Test
  void shouldNumberTheEventsOfAllThreads() throws IOException {
    Path file = folder.resolve("history.jsonl");
    try (HistoryWriter writer = HistoryWriter.create(file)) {
      IntStream.range(0, 5_000)
          .parallel()
          .forEach(i -> writer.write((line, micros) -> new Event.Expired(line, micros, "a" + i)));
    }

    List<Event> events = read(file);
    assertThat(events).hasSize(5_000);
    assertThat(events.stream().mapToLong(Event::micros).toArray()).isSorted();
  }

  /** Whoever is killed while it writes leaves a piece of a line. */
  @ParameterizedTest
  @ValueSource(strings = {"history.jsonl", "history.jsonl.gz"})
  void shouldLeaveOutALineWithoutAnEndAndSaySo(String name) throws IOException {
    List<Event> many = new ArrayList<>(EVENTS);
    for (int line = EVENTS.size() + 1; line <= 3_000; line++) {
      many.add(
          new Event.Delivery(line, line, "a", 1, "b", Id.of(line * 31L, line), 0, line * 7919L));
    }
    Path file = write(name, many);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 20));

    try (HistoryReader reader = HistoryReader.open(file)) {
      List<Event> events = reader.events().toList();

      assertThat(reader.isTruncated()).isTrue();
      assertThat(events).isEqualTo(many.subList(0, events.size()));
      assertThat(events.size()).isBetween(EVENTS.size(), many.size() - 1);
    }
  }

  /** The check sum is missing, and who knows what else. */
  @Test
  void shouldSayOfACompressedFileThatItHasNoEnd() throws IOException {
    Path file = write("history.jsonl.gz", EVENTS);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 4));

    try (HistoryReader reader = HistoryReader.open(file)) {
      assertThat(reader.events().toList()).isEqualTo(EVENTS);
      assertThat(reader.isTruncated()).isTrue();
    }
  }

  @Test
  void shouldNotCallAWholeFileTruncated() throws IOException {
    try (HistoryReader reader = HistoryReader.open(write("history.jsonl", EVENTS))) {
      assertThat(reader.events().count()).isEqualTo(EVENTS.size());
      assertThat(reader.isTruncated()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "3|nonsense|Unrecognized token 'nonsense'",
        "15|{\"event\":\"expi|Unexpected end-of-input",
        "4|{\"event\":\"flood\",\"line\":4,\"micros\":1}|Could not resolve type id 'flood'",
        "4|{\"event\":\"expired\",\"micros\":1,\"name\":\"a\"}|Cannot map `null` into type `long`",
        "4|{\"event\":\"expired\",\"line\":4,\"micros\":1}|problem: name",
        "4|{\"event\":\"expired\",\"line\":4,\"micros\":1,\"name\":\"a\",\"age\":1}|Unrecognized"
            + " field \"age\"",
        "12|{\"event\":\"skip\",\"line\":12,\"micros\":1,\"upTo\":\"7\"}|problem: id is 7; allowed:"
            + " ledger:entry or ledger:entry:index",
        "4|{\"event\":\"expired\",\"line\":5,\"micros\":1,\"name\":\"a\"}|it has the event 5",
        "1||No content to map",
      })
  void shouldNameALineThatIsNoEvent(int number, String text, String why) throws IOException {
    Path file = write("history.jsonl", EVENTS);
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    lines.set(number - 1, text == null ? "" : text);
    Files.write(file, lines);

    assertThatThrownBy(() -> HistoryVerdict.of(file))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("Line " + number + " of " + file + " is not readable: ")
        .hasMessageContaining(why);
  }

  @Test
  void shouldSayOfAFileThatItIsNotCompressed() throws IOException {
    Path file = folder.resolve("history.jsonl.gz");
    Files.writeString(file, "{}");

    assertThatThrownBy(() -> HistoryVerdict.of(file)).hasMessageContaining("no compressed history");
  }

  @Test
  void shouldSayWhenItCannotWrite() throws IOException {
    HistoryWriter writer = HistoryWriter.create(folder.resolve("history.jsonl"));
    writer.write(
        (line, micros) -> {
          throw new IllegalStateException("no such event");
        });

    assertThatThrownBy(writer::close)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no such event");
  }
}
