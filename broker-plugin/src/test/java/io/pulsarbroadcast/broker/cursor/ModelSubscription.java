/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.Seeds;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * The subscription of one model run: the real classes beside {@link ReferencePositions}, and the
 * checks that they agree. What happens to it is in {@link PositionsModel}.
 *
 * <p>Real are {@link CursorRegistry}, {@link VirtualCursor}, {@link SkippedEntries}, {@link
 * LedgerIndex}, {@link PositionsStore}, {@link PositionsRecord} and {@link StoredPositions}; the
 * topic, its managed cursor and the log that stores positions are simulated.
 */
abstract class ModelSubscription {

  private static final int TRACE_STEPS = 40;
  private static final int MAX_HOLES = 1_000;
  final Random random;
  final ArrayDeque<String> trace;
  final ModelTopic topic = new ModelTopic();
  final ModelLog log;

  /** So few that several records are written at once, or as in the broker. */
  final int maxRecordBytes;

  long nowMillis = 1;

  SkippedEntries skipped;
  LedgerIndex index;
  CursorRegistry registry;
  PositionsStore store;
  ReferencePositions reference;

  /** The subscription's own position, in memory. */
  int published;

  /**
   * @param traced whether to note what is done
   */
  ModelSubscription(long seed, boolean traced) {
    random = Seeds.random(seed);
    maxRecordBytes = random.nextBoolean() ? 50 : PositionsRecords.MAX_RECORD_BYTES;
    trace = traced ? new ArrayDeque<>() : null;
    log = new ModelLog(random, () -> reference.toStore());
    reference = new ReferencePositions(topic, 0);
    load();
  }

  /** The steps before a failure. */
  String trace() {
    return String.join("\n", trace);
  }

  /** What a broker makes when it loads the topic. */
  void load() {
    index = new LedgerIndex(topic::entriesByLedger, (from, to) -> {});
    skipped = new SkippedEntries();
    registry = new CursorRegistry(skipped, ordinal(published), () -> nowMillis);
    store = new PositionsStore(log, registry, index, MAX_HOLES, maxRecordBytes);
  }

  void restoreInto(CursorRegistry target) {
    log.read().restore(target, index, ordinal(topic.end()));
  }

  /**
   * How many entries a position does not get when it is moved to a place, or dropped. What is
   * trimmed a non-durable one has missed by then, and others need no more.
   */
  int missedBefore(ReferenceCursor cursor, int end) {
    int missed = 0;
    for (int number = topic.firstStored(); number < end; number++) {
      missed += cursor.may.get(number) || topic.isForNobody(number) ? 0 : 1;
    }
    return missed;
  }

  void check(ReferenceCursor cursor) {
    long next = cursor.real.next();
    require(next >= cursor.realNext, "I5: %s from %s to %s", cursor.name, cursor.realNext, next);
    cursor.realNext = next;
    int position = number(skipped.firstNotSkipped(next));
    require(
        position <= cursor.highest(topic),
        "I4: %s is at %s, has acknowledged what is before %s",
        cursor.name,
        position,
        cursor.highest(topic));
    require(
        position >= cursor.lowest(),
        "%s is at %s, and has acknowledged what is before %s",
        cursor.name,
        position,
        cursor.lowest());
    if (topic.end() > topic.firstStored()) {
      checkAcknowledged(
          cursor, topic.firstStored() + random.nextInt(topic.end() - topic.firstStored()));
    }
  }

  void checkAcknowledged(ReferenceCursor cursor, int number) {
    boolean acknowledged = cursor.real.isAcknowledged(ordinal(number));
    require(
        !acknowledged || cursor.may.get(number) || topic.isForNobody(number),
        "I1: %s is not sent %s, which it has not acknowledged",
        cursor.name,
        number);
    require(
        acknowledged || !cursor.must.get(number) || topic.isForNobody(number),
        "%s is sent %s again, which it has acknowledged",
        cursor.name,
        number);
  }

  void checkCounts() {
    require(
        registry.connectedCount() == reference.connected.size()
            && registry.leftBehindCount() == reference.leftBehindCount(),
        "connected %s, left behind %s",
        registry.connectedCount(),
        registry.leftBehindCount());
  }

  /** I1 and I3: what a registered consumer has not acknowledged is stored. */
  void checkNothingNeededIsGone() {
    for (ReferenceCursor cursor : reference.durable()) {
      int needed = cursor.highest(topic);
      require(
          needed >= topic.firstStored(),
          "I3: %s needs %s, and everything before %s is trimmed",
          cursor.name,
          needed,
          topic.firstStored());
    }
  }

  /** The ordinal of an entry, or of the end. */
  long ordinal(int number) {
    EntryId entry = number < topic.end() ? topic.entry(number) : topic.lastEntry();
    return number < topic.end()
        ? index.ordinalOf(entry.ledgerId(), entry.entryId())
        : index.ordinalAfter(entry.ledgerId(), entry.entryId());
  }

  /** The number of the entry with an ordinal. */
  int number(long ordinal) {
    return topic.number(index.entryAt(ordinal));
  }

  /** Takes every stored position under its name, in a registry of its own. */
  void checkRestored(StoredReference expected) {
    load();
    restoreInto(registry);
    int found = 0;
    for (String name : List.copyOf(expected.names.keySet())) {
      StoredReference.Name stored = expected.names.get(name);
      int count = 0;
      for (int before = registry.leftBehindCount(); ; before--) {
        VirtualCursor real = registry.connect(name, 60, () -> ordinal(topic.end()), 0);
        if (registry.leftBehindCount() == before) {
          break;
        }
        count++;
        ReferenceCursor cursor = new ReferenceCursor(name, true, published, topic.end());
        cursor.must.or(stored.must());
        cursor.may.or(stored.may());
        cursor.real = real;
        check(cursor);
        for (int number = topic.firstStored(); number < topic.end(); number++) {
          checkAcknowledged(cursor, number);
        }
      }
      if (count == 0) {
        require(stored.optional(), "I1: %s is stored and was not restored", name);
        expected.names.remove(name);
        continue;
      }
      require(
          count >= stored.least() && count <= stored.most(),
          "I1: %s of %s were restored, of %s to %s stored",
          count,
          name,
          stored.least(),
          stored.most());
      expected.names.put(name, stored.found(count));
      found++;
    }
    require(
        registry.leftBehindCount() == 0,
        "%s positions were restored that were not stored, beside %s",
        registry.leftBehindCount(),
        found);
  }

  void withConnected(Consumer<ReferenceCursor> action) {
    if (!reference.connected.isEmpty()) {
      action.accept(any(reference.connected));
    }
  }

  void rarely(int oneIn, Runnable action) {
    if (random.nextInt(oneIn) == 0) {
      action.run();
    }
  }

  <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  static void require(boolean condition, String message, Object... values) {
    if (!condition) {
      throw new AssertionError(String.format(message, values));
    }
  }

  void note(String step, Object... values) {
    if (trace != null) {
      if (trace.size() == TRACE_STEPS) {
        trace.removeFirst();
      }
      trace.add(String.format(step, values));
    }
  }
}
