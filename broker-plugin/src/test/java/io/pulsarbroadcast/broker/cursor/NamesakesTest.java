/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.Seeds;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * I1 and I3 of consumers that share a name, which only the test can tell apart: whoever returns in
 * time finds a position that is not beyond its own, and whoever stays away holds nothing for ever.
 */
class NamesakesTest {

  private static final long TIME_TO_LIVE_SECONDS = 80;
  private static final long TIME_TO_LIVE_MILLIS = TIME_TO_LIVE_SECONDS * 1_000;

  /** What is left behind within this is one position. */
  private static final long SPAN_MILLIS = TIME_TO_LIVE_MILLIS / 8;

  private static final int RUNS = 400;
  private static final int STEPS = 200;

  private final LedgerIndex index =
      new LedgerIndex(() -> new TreeMap<>(Map.of(1L, 1_000_000L)), (from, to) -> {});
  private long now = 1_000_000;
  private final RecordsInMemory log = new RecordsInMemory();
  private CursorRegistry registry = newRegistry(0);
  private PositionsStore store = newStore();

  private CursorRegistry newRegistry(long floor) {
    return new CursorRegistry(new SkippedEntries(), floor, () -> now);
  }

  private PositionsStore newStore() {
    return new PositionsStore(log, registry, index, 100);
  }

  private final class Person {
    /** Everything before it is acknowledged. */
    long acknowledged;

    long leftAt;
    VirtualCursor cursor;

    Person(long acknowledged) {
      this.acknowledged = acknowledged;
      come();
    }

    void come() {
      cursor = registry.connect("twin", TIME_TO_LIVE_SECONDS, () -> acknowledged, 0);
      acknowledged = Math.min(acknowledged, cursor.next());
    }

    void acknowledge(long next) {
      cursor.delivered(next);
      cursor.ackCumulative(next - 1);
      acknowledged = Math.max(acknowledged, next);
    }

    void leaveAt(long next) {
      acknowledge(next);
      leave();
    }

    void leave() {
      registry.disconnect(cursor);
      cursor = null;
      leftAt = now;
    }
  }

  /** I3: nobody would return for it. */
  @Test
  void shouldForgetBesideANamesakeWhoWasNotTold() {
    Person connected = new Person(0);
    Person untold = new Person(7);
    store.flush().join();
    registry.disconnectUnanswered(untold.cursor);
    connected.acknowledge(9);
    assertThat(registry.leftBehindCount()).isZero();
    assertThat(registry.lowest()).isEqualTo(9);
    store.flush().join();
    crash();
    assertThat(registry.leftBehindCount()).as("those connected").isEqualTo(1);
  }

  @Test
  void shouldForgetWhoWasNotToldOnlyIfNobodyReturnsForIt() {
    Person alone = new Person(5);
    registry.disconnectUnanswered(alone.cursor);
    assertThat(registry.leftBehindCount()).as("not on storage").isZero();
    alone.come();
    store.flush().join();
    registry.disconnectUnanswered(alone.cursor);
    assertThat(registry.leftBehindCount()).as("the only one of its name").isEqualTo(1);
    alone.come();
    Person connected = new Person(9);
    registry.disconnectUnanswered(alone.cursor);
    assertThat(registry.leftBehindCount()).as("it had been here before").isEqualTo(1);
    assertThat(connected.cursor.next()).isEqualTo(9);
  }

  @Test
  void shouldNotHoldForEverWhatSomebodyLeftWhoseNamesakeComesAndGoes() {
    shouldNotHoldForEver(other -> {});
  }

  @Test
  void shouldNotHoldItForEverOverRestarts() {
    shouldNotHoldForEver(other -> restart());
  }

  @Test
  void shouldNotHoldItForEverOverRestartsWhileTheOtherIsConnected() {
    shouldNotHoldForEver(
        other -> {
          long next = other.acknowledged;
          other.come();
          other.acknowledge(next);
          restart();
        });
  }

  private void shouldNotHoldForEver(Consumer<Person> meanwhile) {
    Person gone = new Person(0);
    Person comesAndGoes = new Person(0);
    gone.leaveAt(5);
    comesAndGoes.leaveAt(10);
    long end = 10;
    long last = now + TIME_TO_LIVE_MILLIS + 2 * SPAN_MILLIS;
    while (now < last) {
      now += 3_000;
      registry.expire(now, end);
      comesAndGoes.come();
      comesAndGoes.leaveAt(++end);
      meanwhile.accept(comesAndGoes);
    }
    registry.expire(now, end);
    assertThat(registry.lowest()).as("I3, and no longer than that").isGreaterThan(5);
    comesAndGoes.come();
    assertThat(comesAndGoes.cursor.next()).as("not everything again").isGreaterThan(10);
    now += TIME_TO_LIVE_MILLIS + SPAN_MILLIS;
    comesAndGoes.acknowledge(end);
    registry.expire(now, end);
    assertThat(registry.lowest()).as("nobody else is left").isEqualTo(end);
    assertThat(registry.leftBehindCount()).isZero();
  }

  @Test
  void shouldGiveAPositionToEachOfTwoThatTakeTurns() {
    Person one = new Person(0);
    Person two = new Person(0);
    one.leaveAt(5);
    now += 30_000;
    two.leaveAt(10);
    Person away = one;
    Person other = two;
    for (long end = 11; now < 1_000_000 + 5 * TIME_TO_LIVE_MILLIS; end++) {
      now += 30_000;
      registry.expire(now, end);
      assertThat(registry.leftBehindCount()).as("I1: both may return").isEqualTo(2);
      long own = away.acknowledged;
      away.come();
      assertThat(away.cursor.next()).as("I1").isLessThanOrEqualTo(own);
      away.leaveAt(end);
      Person next = other;
      other = away;
      away = next;
    }
  }

  @Test
  void shouldSayWhatTheOneMissesThatStaysAway() {
    Person gone = new Person(0);
    Person stays = new Person(0);
    gone.leaveAt(5);
    now += TIME_TO_LIVE_MILLIS;
    assertThat(registry.expire(now, 20)).as("I6").isEqualTo(new CursorRegistry.Skipped(1, 15));
    stays.leaveAt(20);
    assertThat(registry.lowest()).isEqualTo(20);
  }

  @Test
  void shouldNotShortenATimeToLive() {
    Person patient = new Person(0);
    Person brief = new Person(0);
    patient.leaveAt(5);
    registry.disconnect(brief.cursor);
    registry.disconnect(registry.connect("twin", 1, () -> 0, 0));
    now += TIME_TO_LIVE_MILLIS - 1_000;
    assertThat(registry.expire(now, 5)).isEqualTo(CursorRegistry.Skipped.NOTHING);
  }

  @Test
  void shouldStoreWhenTheLastOfThoseLeftThatAreOnePosition() {
    Person stays = new Person(0);
    Person one = new Person(0);
    Person two = new Person(0);
    one.leaveAt(5);
    store.flush().join();
    now += SPAN_MILLIS;
    two.leaveAt(10);
    restart();
    now += TIME_TO_LIVE_MILLIS - 1;
    assertThat(registry.expire(now, 20)).as("I1").isEqualTo(CursorRegistry.Skipped.NOTHING);
    assertThat(stays.leftAt).as("it is connected").isZero();
  }

  @Test
  void shouldStoreWhereASkipMovedThem() {
    Person stays = new Person(0);
    Person one = new Person(0);
    stays.acknowledge(30);
    one.leaveAt(5);
    store.flush().join();
    assertThat(registry.skipTo(20).positions()).isEqualTo(1);
    restart();
    one.come();
    assertThat(one.cursor.next()).as("I5").isEqualTo(20);
  }

  /** I1: a crash long after its return is no leave of long ago. */
  @Test
  void shouldCountTheTimeToLiveOfWhoWasConnectedFromTheCrash() {
    Person one = new Person(0);
    one.leaveAt(5);
    store.flush().join();
    one.come();
    store.flush().join();
    now += TIME_TO_LIVE_MILLIS;
    crash();
    now += TIME_TO_LIVE_MILLIS - 1;
    assertThat(registry.expire(now, 20)).isEqualTo(CursorRegistry.Skipped.NOTHING);
  }

  /** I3: nothing else of it changes when it leaves. */
  @Test
  void shouldCountTheTimeToLiveOfWhoLeftFromThenOn() {
    Person one = new Person(0);
    one.acknowledge(5);
    store.flush().join();
    one.leave();
    store.flush().join();
    now += TIME_TO_LIVE_MILLIS / 2;
    crash();
    now += TIME_TO_LIVE_MILLIS / 2;
    assertThat(registry.expire(now, 20)).isEqualTo(new CursorRegistry.Skipped(1, 15));
  }

  /** I6: one of the two finds the newer position. */
  @Test
  void shouldSayWhatTwoMissOfWhomOneFindsANewerPosition() {
    Person one = new Person(0);
    Person two = new Person(0);
    Person newer = new Person(0);
    one.leaveAt(5);
    two.leaveAt(5);
    now += 2 * SPAN_MILLIS;
    newer.leaveAt(10);
    one.come();
    now += TIME_TO_LIVE_MILLIS - 2 * SPAN_MILLIS;
    assertThat(registry.expire(now, 20)).isEqualTo(new CursorRegistry.Skipped(2, 15 + 5));
    assertThat(registry.leftBehindCount()).isEqualTo(1);
  }

  /** I6: two positions are left, and one of the two consumers is away. */
  @Test
  void shouldNotSayOfWhoHasReturnedThatItMissesWhatItLeft() {
    Person one = new Person(0);
    Person two = new Person(0);
    one.leaveAt(5);
    now += 2 * SPAN_MILLIS;
    two.leaveAt(10);
    one.come();
    assertThat(registry.skipTo(20)).isEqualTo(new CursorRegistry.Skipped(2, 15 + 15));
  }

  /** Whoever it is, what it was sent before it may acknowledge. */
  @Test
  void shouldLetEachAcknowledgeWhatItsNamesakesWereSent() {
    Person one = new Person(0);
    Person two = new Person(0);
    one.leaveAt(5);
    now += 2 * SPAN_MILLIS;
    two.cursor.delivered(50);
    two.leaveAt(10);
    one.come();
    assertThat(one.cursor.deliveredEnd()).isEqualTo(50);
  }

  @Test
  void shouldSayWhatASubscriptionThatWasMovedMeanwhileHasLeftBehind() {
    Person one = new Person(0);
    one.leaveAt(5);
    store.flush().join();
    assertThat(crash(20)).as("I6").isEqualTo(new CursorRegistry.Skipped(1, 15));
  }

  /** One unsubscribes before any write has had its namesake, of which a crash leaves the name. */
  @Test
  void shouldMissNothingAfterACrashWhenANamesakeUnsubscribedMeanwhile() {
    Person leaves = new Person(0);
    leaves.acknowledge(5);
    store.flush().join();
    Person comes = new Person(20);
    assertThat(registry.forget(leaves.cursor)).as("the last").isFalse();
    store.flushNewNames().join();
    crash();
    assertThat(registry.leftBehindCount()).as("I1: one may return").isEqualTo(1);
    comes.come();
    assertThat(comes.cursor.next()).as("I1, from where the name was stored").isEqualTo(5);
  }

  /** The same, and the next write is there too. */
  @Test
  void shouldForgetWithTheNextWriteWhereAnotherOfTheNameWas() {
    Person leaves = new Person(0);
    leaves.acknowledge(5);
    store.flush().join();
    Person comes = new Person(20);
    registry.forget(leaves.cursor);
    store.flushNewNames().join();
    restart();
    comes.come();
    assertThat(comes.cursor.next()).as("I5").isEqualTo(20);
  }

  /** I5: its namesake's name is written before where it is itself. */
  @Test
  void shouldNotGoBackBeyondWhatIsStoredWhenANamesakeComes() {
    Person one = new Person(0);
    one.acknowledge(31);
    store.flush().join();
    one.cursor.reset(26);
    one.leave();
    one.come();
    one.acknowledge(33);
    new Person(37);
    store.flushNewNames().join();
    crash();
    one.come();
    assertThat(one.cursor.next()).as("where it was stored last").isEqualTo(31);
  }

  /** I1: what it left was stored beside the position of another, which is further on. */
  @Test
  void shouldMissNothingAfterACrashWhenItHasReturnedAndANamesakeComes() {
    Person stays = new Person(0);
    Person returns = new Person(0);
    returns.leaveAt(5);
    stays.acknowledge(10);
    store.flush().join();
    returns.come();
    new Person(20);
    store.flushNewNames().join();
    crash();
    returns.come();
    assertThat(returns.cursor.next()).as("where it left").isEqualTo(5);
    assertThat(registry.leftBehindCount()).as("I1: the others may return too").isEqualTo(2);
  }

  @Test
  void shouldBoundWhatComingAndGoingAddsToALog() {
    Person gone = new Person(0);
    Person comesAndGoes = new Person(0);
    gone.leaveAt(1);
    for (int i = 1; i <= 10_000; i++) {
      now += 100;
      comesAndGoes.leaveAt(i);
      registry.expire(now, i);
      comesAndGoes.come();
      store.flush().join();
    }
    log.records.clear();
    store = newStore();
    store.flush().join();
    assertThat(log.records.stream().mapToInt(record -> record.length).sum())
        .as("I8")
        .isLessThan(1_000);
    assertThat(registry.leftBehindCount()).as("nobody knows that it is gone").isEqualTo(1);
  }

  /** Three people under one name, at random, over restarts. */
  @Test
  void shouldNotLetAnybodyMissAnything() {
    Seeds.forEach("namesakes", RUNS, seed -> new NamesakesTest().run(seed));
  }

  private void run(long seed) throws IOException {
    Random random = Seeds.random(seed);
    long end = 0;
    List<Person> all = List.of(new Person(0), new Person(0), new Person(0));
    for (int step = 0; step < STEPS; step++) {
      now += random.nextInt((int) (random.nextInt(10) == 0 ? TIME_TO_LIVE_MILLIS : SPAN_MILLIS));
      registry.expire(now, end);
      Person person = all.get(random.nextInt(all.size()));
      if (person.cursor != null) {
        end += random.nextInt(4);
        if (end > 0) {
          person.leaveAt(end);
        }
      } else if (now - person.leftAt < TIME_TO_LIVE_MILLIS) {
        long own = person.acknowledged;
        int waiting = registry.leftBehindCount();
        person.come();
        assertThat(registry.leftBehindCount()).as("I1: it found one").isEqualTo(waiting - 1);
        assertThat(person.cursor.next()).as("I1").isLessThanOrEqualTo(own);
      } else if (registry.leftBehindCount() == 0) {
        // It is too late, and counts as new; it would be given another's position.
        person.acknowledged = end;
        person.come();
      }
      if (random.nextInt(20) == 0) {
        restart();
        // Who was connected returns.
        for (Person each : all) {
          if (each.cursor != null) {
            each.acknowledged = each.cursor.next();
            each.leftAt = now;
            each.cursor = null;
          }
        }
      }
    }
  }

  private void restart() {
    store.flush().join();
    crash();
  }

  private void crash() {
    crash(0);
  }

  private CursorRegistry.Skipped crash(long floor) {
    StoredPositions stored = new StoredPositions();
    try {
      for (byte[] record : log.records) {
        stored.apply(record);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    registry = newRegistry(floor);
    CursorRegistry.Skipped missed = stored.restore(registry, index, 1_000_000);
    store = newStore();
    return missed;
  }
}
