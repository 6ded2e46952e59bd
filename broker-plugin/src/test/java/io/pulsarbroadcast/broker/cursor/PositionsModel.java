/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import io.pulsarbroadcast.broker.cursor.CursorRegistry.Skipped;
import io.pulsarbroadcast.broker.cursor.LedgerIndex.EntryId;
import io.pulsarbroadcast.broker.cursor.VirtualCursor.AckResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One repeatable run of the model: random steps, each taken by the real classes and by {@link
 * ReferencePositions}, which have to agree afterwards. What joins the real classes in a broker is
 * done here in the same order.
 */
final class PositionsModel extends ModelSubscription {

  private static final long LONGEST_TIME_TO_LIVE_SECONDS = 3600;
  private static final long[] TIMES_TO_LIVE_SECONDS = {0, 5, 60, LONGEST_TIME_TO_LIVE_SECONDS};

  private final List<Seek> seeks = new ArrayList<>();

  /** The subscription's own position as it would be after a crash. */
  private int persisted;

  /** A seek whose subscription position is being moved back. */
  private record Seek(ReferenceCursor cursor, int target, long ordinal) {}

  PositionsModel(long seed, boolean traced) {
    super(seed, traced);
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      log.nextStep();
      step();
      checkCounts();
      if (!reference.connected.isEmpty()) {
        check(any(reference.connected));
      }
    }
    finish();
  }

  private void step() {
    switch (random.nextInt(41)) {
      case 0, 1, 2, 3 -> publish(1 + random.nextInt(6));
      case 4 -> rollOver();
      case 5 -> trim();
      case 6, 7, 8 -> connect();
      case 9, 10, 11, 12, 13, 14, 15 -> withConnected(c -> deliver(c, 1 + random.nextInt(12)));
      case 16, 17, 18, 19, 20 -> withConnected(this::acknowledge);
      case 21, 22 -> withConnected(this::acknowledgeNext);
      case 23, 24 -> withConnected(this::disconnect);
      case 25 -> rarely(3, () -> withConnected(this::unsubscribe));
      case 26 -> withConnected(this::beginSeek);
      case 27 -> finishSeek();
      case 28 -> withConnected(this::rewind);
      case 29 -> expire();
      case 30, 31 -> publishPosition();
      case 32, 33 -> flush();
      case 34, 35 -> answer(true);
      case 36 -> rarely(2, () -> answer(false));
      case 37 -> rarely(6, this::skip);
      case 38 -> rarely(12, this::resetAll);
      case 39 -> rarely(3, this::dropWaiting);
      default -> rarely(4, () -> restart(random.nextBoolean()));
    }
  }

  private void publish(int entries) {
    note("publish %s", entries);
    topic.publish(entries, random);
  }

  private void rollOver() {
    note("roll over");
    topic.rollOver(random);
  }

  private void trim() {
    note("trim before %s", published);
    topic.trim(published);
    checkNothingNeededIsGone();
  }

  private void connect() {
    String name = "car-" + random.nextInt(6);
    boolean durable = random.nextInt(6) > 0;
    long ttl =
        durable
            ? TIMES_TO_LIVE_SECONDS[random.nextInt(TIMES_TO_LIVE_SECONDS.length)]
            : CursorRegistry.EPHEMERAL;
    int start =
        random.nextBoolean()
            ? topic.end()
            : topic.firstStored() + random.nextInt(topic.end() - topic.firstStored() + 1);
    int sentEnd = random.nextInt(4) == 0 ? topic.end() : 0;
    note("connect %s for %s s at %s, sent to %s", name, ttl, start, sentEnd);
    connect(name, ttl, start, sentEnd);
  }

  private ReferenceCursor connect(String name, long ttl, int start, int sentEnd) {
    ReferenceCursor cursor = reference.connect(name, ttl, start, sentEnd);
    VirtualCursor before = cursor.real;
    cursor.real =
        registry.connect(name, ttl, () -> ordinal(start), sentEnd == 0 ? 0 : ordinal(topic.end()));
    require(before == null || before == cursor.real, "%s got another's position", name);
    rewind(cursor);
    check(cursor);
    if (registry.isNameStored(cursor.real)) {
      answered(cursor);
    } else {
      store
          .flushNewNames()
          .whenComplete(
              (done, e) -> {
                if (e == null) {
                  answered(cursor);
                } else {
                  disconnect(cursor);
                }
              });
    }
    return cursor;
  }

  private void answered(ReferenceCursor cursor) {
    cursor.answered = true;
    if (cursor.durable) {
      registry.keepForDurable();
      reference.keptForDurable = true;
    }
  }

  private void deliver(ReferenceCursor cursor, int entries) {
    int stored = Math.max(cursor.readNext, topic.firstStored());
    int end = Math.min(stored + entries, topic.end());
    if (end <= stored) {
      return;
    }
    note("deliver %s to %s of %s", cursor.readNext, end, cursor.name);
    long from = cursor.readOrdinal;
    long next = from;
    for (int number = cursor.readNext; number < end; number++) {
      if (number < stored) {
        require(
            !cursor.durable || topic.isForNobody(number) || cursor.may.get(number),
            "I1: %s needs %s, which is trimmed",
            cursor.name,
            number);
        cursor.readOver.set(number);
        continue;
      }
      long ordinal = ordinal(number);
      require(ordinal >= next, "entry %s has ordinal %s, before %s", number, ordinal, next);
      next = ordinal + 1;
      if (topic.isForNobody(number)) {
        cursor.readOver.set(number);
      } else {
        skipped.add(from, ordinal);
        from = next;
      }
    }
    skipped.add(from, next);
    cursor.real.delivered(next);
    cursor.sentEnd = Math.max(cursor.sentEnd, end);
    cursor.readNext = end;
    cursor.readOrdinal = next;
  }

  /** Any entry, also one that was acknowledged before, never sent, or does not exist. */
  private void acknowledge(ReferenceCursor cursor) {
    int span = random.nextInt(10) == 0 ? topic.end() : Math.min(topic.end(), cursor.sentEnd);
    if (span > 0) {
      int near = Math.max(0, cursor.must.nextClearBit(0) - 2);
      int number =
          near < span && random.nextInt(4) > 0
              ? near + random.nextInt(Math.min(12, span - near))
              : random.nextInt(span);
      acknowledge(cursor, number, random.nextInt(4) == 0);
    }
  }

  private void acknowledgeNext(ReferenceCursor cursor) {
    int number = cursor.lowest();
    if (number < topic.end()) {
      acknowledge(cursor, number, random.nextBoolean());
    }
  }

  private void acknowledge(ReferenceCursor cursor, int number, boolean cumulative) {
    note("%s acknowledges %s, cumulative %s", cursor.name, number, cumulative);
    EntryId entry = topic.entry(number);
    long ordinal = index.ordinalOf(entry.ledgerId(), entry.entryId());
    if (ordinal == LedgerIndex.UNKNOWN) {
      require(number < topic.firstStored(), "the index does not know %s", entry);
      return;
    }
    long before = cursor.real.next();
    AckResult result =
        cumulative ? cursor.real.ackCumulative(ordinal) : cursor.real.ackIndividual(ordinal);
    require(
        // What is for nobody may be passed without being sent.
        (result == AckResult.NOT_SENT) == (number >= cursor.sentEnd) || topic.isForNobody(number),
        "%s, sent to %s: acknowledging %s was %s",
        cursor.name,
        cursor.sentEnd,
        number,
        result);
    require(
        (result == AckResult.ADVANCED) == (cursor.real.next() > before),
        "%s: %s, from %s to %s",
        cursor.name,
        result,
        before,
        cursor.real.next());
    if (result != AckResult.NOT_SENT) {
      if (cumulative) {
        cursor.acknowledge(0, number + 1);
      } else if (!topic.isForNobody(number)) {
        cursor.acknowledge(number, number + 1);
      }
    }
    check(cursor);
  }

  private void disconnect(ReferenceCursor cursor) {
    note("disconnect %s", cursor.name);
    reference.disconnect(cursor, nowMillis);
    registry.disconnect(cursor.real);
    if (random.nextInt(8) == 0) {
      registry.disconnect(cursor.real);
    }
  }

  private void unsubscribe(ReferenceCursor cursor) {
    note("unsubscribe %s", cursor.name);
    reference.forget(cursor);
    boolean last = registry.forget(cursor.real);
    require(last == reference.all().isEmpty(), "%s was the last: %s", cursor.name, last);
  }

  /** An operator drops what absent consumers of one name left. */
  private void dropWaiting() {
    List<ReferenceCursor> left = reference.leftBehind();
    if (left.isEmpty()) {
      return;
    }
    String name = any(left).name;
    note("drop what waits of %s", name);
    long end = ordinal(topic.end());
    WaitingDrop drop = registry.dropWaiting(name, waiting -> true, end);
    int missed = 0;
    for (ReferenceCursor cursor : left) {
      missed +=
          cursor.name.equals(name)
              ? reference.countOf(cursor) * missedBefore(cursor, topic.end())
              : 0;
    }
    Skipped dropped = Waiting.sum(registry.dropped(drop, end));
    require(
        dropped.positions() == reference.dropLeft(name) && dropped.entries() >= missed,
        "I6: %s counted, of %s entries",
        dropped,
        missed);
  }

  private void beginSeek(ReferenceCursor cursor) {
    int target = topic.firstStored() + random.nextInt(topic.end() - topic.firstStored() + 1);
    note("seek %s to %s", cursor.name, target);
    if (cursor.durable) {
      // The managed cursor goes first, and is held there until the position has followed.
      published = Math.min(published, target);
      persisted = Math.min(persisted, target);
    }
    seeks.add(new Seek(cursor, target, ordinal(target)));
    if (random.nextBoolean()) {
      finishSeek();
    }
  }

  private void finishSeek() {
    if (!seeks.isEmpty()) {
      Seek seek = seeks.remove(0);
      note("%s is at %s", seek.cursor.name, seek.target);
      if (seek.cursor.durable) {
        registry.lowerFloor(seek.ordinal);
        reference.floor = Math.min(reference.floor, seek.target);
      }
      seek.cursor.real.reset(seek.ordinal);
      seek.cursor.sought = true;
      seek.cursor.moveTo(seek.target);
      rewind(seek.cursor);
      checkNothingNeededIsGone();
    }
  }

  /** Sends again what is not acknowledged. */
  private void rewind(ReferenceCursor cursor) {
    cursor.readOrdinal = cursor.real.next();
    cursor.readNext = number(cursor.readOrdinal);
  }

  private void expire() {
    nowMillis += random.nextInt(20) * 1_000L;
    List<ReferencePositions.Missed> expected = reference.expire(nowMillis, topic.end());
    note("expire %s", expected.size());
    CursorRegistry.Skipped expired = registry.expire(nowMillis, ordinal(topic.end()));
    require(
        expired.positions() == expected.size(),
        "I6: %s expired instead of %s",
        expired.positions(),
        expected.size());
    int missed = expected.stream().mapToInt(each -> missedBefore(each.cursor(), each.end())).sum();
    require(expired.entries() >= missed, "I6: %s of %s counted", expired.entries(), missed);
  }

  private void publishPosition() {
    if (!seeks.isEmpty()) {
      return;
    }
    int least = Integer.MAX_VALUE;
    int most = Integer.MAX_VALUE;
    for (ReferenceCursor cursor : reference.durable()) {
      least = Math.min(least, cursor.lowest());
      most = Math.min(most, cursor.highest(topic));
    }
    if (most == Integer.MAX_VALUE) {
      least = reference.floor;
      for (ReferenceCursor cursor : reference.connected) {
        least = reference.keptForDurable ? least : Math.max(least, cursor.sentEnd);
      }
      most = least;
    }
    int lowest = number(registry.lowest());
    note("lowest %s", lowest);
    require(
        lowest <= Math.max(reference.floor, most),
        "I3: the subscription is at %s, the slowest at %s",
        lowest,
        most);
    require(
        lowest >= Math.max(reference.floor, least),
        "the subscription is at %s, held by nobody before %s",
        lowest,
        least);
    reference.floor = lowest;
    published = Math.max(published, lowest);
    persisted = random.nextBoolean() ? published : persisted;
  }

  private void flush() {
    note("flush");
    store.flush();
  }

  /** Lets records arrive at the log, or fail. */
  private void answer(boolean arrive) {
    for (int i = random.nextInt(3); i >= 0 && log.isWaiting(); i--) {
      note(arrive ? "a record arrives" : "a record fails");
      if (arrive) {
        log.arrive();
      } else {
        log.fail();
      }
    }
  }

  /** Skip, clear-backlog and expiry of messages. */
  private void skip() {
    int target = published + random.nextInt(topic.end() - published + 1);
    if (!seeks.isEmpty() || target <= reference.floor) {
      return;
    }
    note("skip to %s", target);
    int missed = 0;
    for (ReferenceCursor cursor : reference.all()) {
      missed += reference.countOf(cursor) * missedBefore(cursor, target);
      cursor.acknowledge(0, target);
    }
    CursorRegistry.Skipped skippedNow = registry.skipTo(ordinal(target));
    require(skippedNow.entries() >= missed, "I6: %s of %s counted", skippedNow.entries(), missed);
    reference.floor = target;
    published = Math.max(published, target);
    reference.connected.forEach(this::check);
  }

  /** An operator moves the subscription; nobody is connected then. */
  private void resetAll() {
    while (!reference.connected.isEmpty()) {
      disconnect(reference.connected.get(0));
    }
    while (!seeks.isEmpty()) {
      finishSeek();
    }
    int target = topic.firstStored() + random.nextInt(topic.end() - topic.firstStored() + 1);
    note("reset all to %s", target);
    registry.resetAll(ordinal(target));
    reference.leftBehind().forEach(cursor -> cursor.moveTo(target));
    reference.floor = target;
    published = target;
    persisted = target;
  }

  /** The topic is unloaded, or the broker dies; the topic is loaded again. */
  private void restart(boolean planned) {
    note("restart, planned %s, persisted %s of %s", planned, persisted, published);
    if (planned) {
      CompletableFuture<Void> flushed = store.flush();
      while (!flushed.isDone()) {
        log.arrive();
      }
      if (flushed.isCompletedExceptionally()) {
        // What was under way before had failed: now everything is written.
        flushed = store.flush();
        while (!flushed.isDone()) {
          log.arrive();
        }
      }
      flushed.join();
      publishPosition();
      persisted = published;
    } else {
      log.crash();
    }
    StoredReference expected = log.expected();
    for (ReferenceCursor cursor : reference.durable()) {
      StoredReference.Name stored = expected.names.get(cursor.name);
      require(
          !cursor.answered || (stored != null && !stored.optional()),
          "I1: %s is registered and its name is not stored",
          cursor.name);
    }
    seeks.clear();
    topic.rollOver(random);
    published = Math.max(topic.firstStored(), persisted);
    persisted = published;
    checkRestored(expected);
    log.found(expected);
    load();
    reference = ReferencePositions.restored(expected, topic, published, nowMillis);
    restoreInto(registry);
    expected.names.forEach(
        (name, stored) -> {
          if (stored.isUncertain()) {
            List<ReferenceCursor> all = new ArrayList<>();
            for (int i = 0; i < stored.least(); i++) {
              all.add(connect(name, LONGEST_TIME_TO_LIVE_SECONDS, topic.end(), 0));
            }
            all.forEach(this::disconnect);
          }
        });
  }

  /** Nothing happens any more: everybody gets and acknowledges the rest, and nothing is held. */
  private void finish() {
    note("finish");
    while (!seeks.isEmpty()) {
      finishSeek();
    }
    for (String name : List.copyOf(reference.names.keySet())) {
      for (int left = reference.names.get(name).waiting; left > 0; left--) {
        connect(name, 60, topic.end(), 0);
      }
    }
    for (ReferenceCursor cursor : reference.connected) {
      rewind(cursor);
      deliver(cursor, topic.end());
      for (int number = cursor.lowest(); number < topic.end(); number++) {
        acknowledge(cursor, number, false);
      }
      require(
          number(skipped.firstNotSkipped(cursor.real.next())) == topic.end(),
          "%s acknowledged everything and is at %s",
          cursor.name,
          cursor.real.next());
    }
    publishPosition();
    restart(true);
    require(
        reference.durable().isEmpty() || reference.floor == topic.end(),
        "everything is acknowledged, and the subscription is at %s",
        reference.floor);
  }
}
