/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many durable positions there may be, and how long they may wait. */
class PositionLimitTest {

  private static final int LIMIT = 2;

  private long now = 1_000;
  private final CursorRegistry registry = new CursorRegistry(new SkippedEntries(), 5, () -> now);

  @BeforeEach
  void limit() {
    registry.limitPositions(LIMIT);
  }

  @Test
  void shouldRefuseANewNameWhenThereAreAsManyPositionsAsMayBe() {
    connect("connected");
    registry.disconnect(connect("waiting"));
    assertThatThrownBy(() -> connect("new"))
        .isInstanceOfSatisfying(
            TooManyPositionsException.class, e -> assertThat(e.limit()).isEqualTo(LIMIT));
  }

  @Test
  void shouldChangeNothingForWhomItRefuses() {
    connect("a");
    connect("b");
    registry.lowest();
    assertThatThrownBy(() -> registry.connect("new", 60, () -> 0, 0))
        .isInstanceOf(TooManyPositionsException.class);
    assertThat(registry.hasName("new")).isFalse();
    assertThat(registry.connectedPositions()).containsExactly(5, 5);
    assertThat(registry.leftBehindCount()).isZero();
    assertThat(registry.lowest()).isEqualTo(5);
  }

  @Test
  void shouldAlwaysLetAConsumerReturnToItsPosition() {
    registry.disconnect(connect("a"));
    connect("b");
    registry.limitPositions(1);
    assertThat(connect("a").returned).isTrue();
  }

  @Test
  void shouldCountNamesakesEach() {
    connect("same");
    connect("same");
    assertThatThrownBy(() -> connect("same")).isInstanceOf(TooManyPositionsException.class);
  }

  @Test
  void shouldCountWhatIsBeingDroppedUntilThatIsStored() {
    connect("stays");
    VirtualCursor leaving = connect("leaving");
    registry.drop(leaving);
    assertThatThrownBy(() -> connect("new")).isInstanceOf(TooManyPositionsException.class);
    registry.dropped(leaving);
    connect("new");
  }

  @Test
  void shouldHaveRoomAgainForWhatExpired() {
    registry.disconnect(connect("a"));
    registry.disconnect(connect("b"));
    registry.expire(now + 60_000, 10);
    connect("c");
    registry.forget(connect("d"));
    connect("e");
    assertThatThrownBy(() -> connect("f")).isInstanceOf(TooManyPositionsException.class);
  }

  @Test
  void shouldNotCountEphemeralConsumers() {
    IntStream.range(0, 5)
        .forEach(i -> registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0));
    connect("a");
    connect("b");
    registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0);
  }

  /** I1 */
  @Test
  void shouldKeepWhatIsRestoredAboveTheLimit() {
    for (String name : List.of("a", "b", "c")) {
      registry.restore(name, 60, List.of(registry.left(name, 6, 0, now, now, 2)), 2, 0);
    }
    assertThat(registry.leftBehindCount()).isEqualTo(6);
    assertThatThrownBy(() -> connect("new")).isInstanceOf(TooManyPositionsException.class);
    for (String name : List.of("a", "a", "b", "b", "c", "c")) {
      assertThat(connect(name).returned).isTrue();
    }
    assertThatThrownBy(() -> connect("a")).isInstanceOf(TooManyPositionsException.class);
  }

  @Test
  void shouldNotBeOvershotByManyAtOnce() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    List<Thread> storm =
        IntStream.range(0, 20)
            .mapToObj(i -> new Thread(() -> countIfRefused("car-" + i, refused)))
            .toList();
    storm.forEach(Thread::start);
    for (Thread thread : storm) {
      thread.join();
    }
    assertThat(registry.connectedCount()).isEqualTo(LIMIT);
    assertThat(refused).hasValue(20 - LIMIT);
  }

  private void countIfRefused(String name, AtomicInteger refused) {
    if (catchThrowable(() -> connect(name)) instanceof TooManyPositionsException) {
      refused.incrementAndGet();
    }
  }

  @Test
  void shouldDropWhatWaitsByTheTimeToLiveThatIsAllowedNow() {
    registry.limitTimesToLive(3600);
    registry.disconnect(registry.connect("as long as may be", Long.MAX_VALUE, () -> 5, 0));
    registry.disconnect(registry.connect("an hour", 3600, () -> 5, 0));
    registry.limitTimesToLive(7200);
    assertThat(registry.expire(now + 3_600_000, 10).positions())
        .as("who asked for no less waits for longer")
        .isEqualTo(1);
    registry.limitTimesToLive(3700);
    assertThat(registry.expire(now + 3_700_000, 10).positions()).isEqualTo(1);
  }

  @Test
  void shouldKeepWhatWaitsWhileNoLimitIsKnown() {
    registry.disconnect(registry.connect("a", Long.MAX_VALUE, () -> 5, 0));
    assertThat(registry.expire(Long.MAX_VALUE / 2, 10)).isEqualTo(CursorRegistry.Skipped.NOTHING);
  }

  @Test
  void shouldTellNamesakesApartByTheTimeToLiveThatIsAllowedNow() {
    registry.limitTimesToLive(8);
    VirtualCursor one = registry.connect("same", Long.MAX_VALUE, () -> 5, 0);
    VirtualCursor other = registry.connect("same", Long.MAX_VALUE, () -> 5, 0);
    registry.disconnect(one);
    long left = now;
    now += 2_000;
    registry.disconnect(other);
    assertThat(registry.expire(left + 8_000, 10).positions()).isEqualTo(1);
  }

  private VirtualCursor connect(String name) {
    return registry.connect(name, 60, () -> 5, 0);
  }
}
