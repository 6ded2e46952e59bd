/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.roaringbitmap.RoaringBitmap;

/**
 * The positions log of the model. Records wait until the model lets them arrive, one after the
 * other: each is then stored and answered, or stored and yet answered with a failure, or lost. What
 * waits when the broker dies arrives in part. With each write goes what the reference says had to
 * be written. Not thread-safe.
 */
final class ModelLog implements PositionsStore.Log {

  private final Random random;
  private final Supplier<StoredReference> reference;
  private final List<Record> waiting = new ArrayList<>();
  private final List<Record> stored = new ArrayList<>();

  /** Whose the numbers are that records speak of. */
  private final Map<Integer, String> names = new HashMap<>();

  /** The write that further records of this step belong to. */
  private Write current;

  /** What was found in the first records when the broker started last, and how many they are. */
  private StoredReference found = new StoredReference();

  private int foundRecords;

  /** What the last write had to leave in the log. */
  private Write last = new Write(new StoredReference(), new StoredReference());

  /** One snapshot or one change: the records that were appended in one step. */
  private static final class Write {
    private final StoredReference before;
    private final StoredReference now;
    private boolean snapshot;
    private boolean ofNewNames = true;
    private int records;

    Write(StoredReference before, StoredReference now) {
      this.before = before;
      this.now = now;
    }

    void add(PositionsRecord record, Map<Integer, String> names) {
      records++;
      snapshot |= record.firstOfSnapshot;
      ofNewNames &= hasOnlyNewNames(record, names);
    }

    private boolean hasOnlyNewNames(PositionsRecord record, Map<Integer, String> names) {
      return Stream.of(record.positions, record.counts, record.lastSeenMillis)
          .flatMap(section -> section.values().stream())
          .flatMapToInt(RoaringBitmap::stream)
          .mapToObj(names::get)
          .allMatch(name -> !before.isSame(name, now) || now.names.get(name).isNew());
    }

    /** What is in the log when it is there: of a write of new names, no more than those. */
    StoredReference reference() {
      return ofNewNames && !snapshot ? before.withNewNames(now) : now;
    }
  }

  private static final class Record {
    private final byte[] bytes;
    private final Write write;
    private final CompletableFuture<Object> done = new CompletableFuture<>();

    Record(byte[] bytes, Write write) {
      this.bytes = bytes;
      this.write = write;
    }
  }

  /**
   * @param reference asked with each write for what has to be in it
   */
  ModelLog(Random random, Supplier<StoredReference> reference) {
    this.random = random;
    this.reference = reference;
  }

  /** To be called before each step of the model: what is appended from now on is another write. */
  void nextStep() {
    current = null;
  }

  @Override
  public CompletableFuture<Object> append(byte[] bytes) {
    if (current == null) {
      current = new Write(last.reference(), reference.get());
      last = current;
    }
    try {
      PositionsRecord record = PositionsRecord.decode(bytes);
      record.names.forEach((number, name) -> names.put(number, name.name()));
      current.add(record, names);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Record record = new Record(bytes, current);
    waiting.add(record);
    return record.done;
  }

  boolean isWaiting() {
    return !waiting.isEmpty();
  }

  /** Stores the record that waits longest. */
  void arrive() {
    nextStep();
    Record record = waiting.remove(0);
    stored.add(record);
    record.done.complete(record);
  }

  /** Fails the record that waits longest; now and then it is stored nevertheless. */
  void fail() {
    nextStep();
    Record record = waiting.remove(0);
    if (random.nextInt(3) == 0) {
      stored.add(record);
    }
    record.done.completeExceptionally(new IOException("disk full"));
  }

  @Override
  public void forgetBefore(Object record) {
    int before = stored.indexOf(record);
    // Storage forgets in its own units: perhaps not all of it.
    int forgotten = random.nextBoolean() ? before : random.nextInt(before + 1);
    stored.subList(0, forgotten).clear();
    foundRecords = Math.max(0, foundRecords - forgotten);
  }

  /** The broker is gone: of what waits, some of the first records arrive. */
  void crash() {
    nextStep();
    stored.addAll(waiting.subList(0, random.nextInt(waiting.size() + 1)));
    waiting.clear();
  }

  /** What the real classes read. */
  StoredPositions read() {
    StoredPositions positions = new StoredPositions();
    try {
      for (Record record : stored) {
        positions.apply(record.bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return positions;
  }

  /** The broker has read this. */
  void found(StoredReference positions) {
    found = positions;
    foundRecords = stored.size();
  }

  /**
   * What has to be in it: the state at the last write that is there completely. A snapshot that is
   * there in part counts for nothing; of a change that is there in part every name may be as before
   * or as after.
   */
  StoredReference expected() {
    StoredReference expected = found.or(found);
    int from = foundRecords;
    while (from < stored.size()) {
      Write write = stored.get(from).write;
      int to = from;
      while (to < stored.size() && stored.get(to).write == write) {
        to++;
      }
      if (to - from == write.records) {
        expected = write.reference();
      } else if (!write.snapshot) {
        expected = expected.or(write.reference());
      }
      from = to;
    }
    return expected;
  }
}
