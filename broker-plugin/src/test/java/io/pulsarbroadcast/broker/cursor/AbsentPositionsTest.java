/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What those hold who are away, and who is told when it is dropped. */
class AbsentPositionsTest {

  private static final long TTL_SECONDS = 100;

  private long now = 1_000_000;
  private final SkippedEntries skipped = new SkippedEntries();
  private final CursorRegistry registry = new CursorRegistry(skipped, 0, () -> now);

  @Test
  void shouldHoldNothingWhenNobodyIsAway() {
    connect("here", 3);
    assertThat(absent(10)).isEqualTo(AbsentPositions.NONE);
  }

  @Test
  void shouldHoldNothingAtTheEnd() {
    leave("parked", 10);
    now += 50_000;
    assertThat(absent(10)).isEqualTo(AbsentPositions.NONE);
  }

  @Test
  void shouldHoldUpToTheLowestConnectedPosition() {
    leave("near", 8);
    now += 1_000;
    leave("far", 4);
    connect("here", 9);
    connect("behind", 7);
    now += 2_000;
    assertThat(absent(20)).isEqualTo(new AbsentPositions(4, 16, 2_000, 3, 0));
  }

  @Test
  void shouldHoldNothingThatAConnectedConsumerNeeds() {
    leave("away", 4);
    connect("further behind", 2);
    assertThat(absent(20)).isEqualTo(new AbsentPositions(4, 16, 0, 0, 0));
  }

  @Test
  void shouldHoldEverythingWhenOnlyNonDurableConsumersAreConnected() {
    leave("away", 4);
    registry.connect("reader", CursorRegistry.EPHEMERAL, () -> 5, 0);
    assertThat(absent(20).heldEntries()).isEqualTo(16);
  }

  @Test
  void shouldHoldNothingThatIsHeldForLostPositions() {
    leave("away", 4);
    registry.holdFloor();
    assertThat(absent(20).heldEntries()).isZero();
  }

  /** Until the unsubscribe is stored. */
  @Test
  void shouldHoldNothingThatAPositionNeedsWhichIsBeingDropped() {
    leave("away", 4);
    registry.drop(connect("unsubscribes", 6));
    assertThat(absent(20).heldEntries()).isEqualTo(2);
  }

  @Test
  void shouldNotCountOrdinalsWithoutAnEntry() {
    skipped.addGap(5, 15);
    leave("away", 4);
    connect("here", 16);
    assertThat(absent(20)).isEqualTo(new AbsentPositions(4, 6, 0, 2, 0));
  }

  @Test
  void shouldBeAsOldAsTheLongestAwayAtOnePlace() {
    leave("first", 4);
    now += 5_000;
    leave("second", 4);
    now += 5_000;
    assertThat(absent(20).ageMillis()).isEqualTo(10_000);
  }

  @Test
  void shouldExpireSoonWithinATenthOfTheTimeToLive() {
    leave("behind", 4);
    leave("at the end", 20);
    now += TTL_SECONDS * 900 - 1;
    leave("later", 4);
    assertThat(absent(20).expiring()).isZero();
    now += 1;
    assertThat(absent(20).expiring()).isEqualTo(1);
  }

  /** Two leave within an eighth of the time to live: one position, which stands for both. */
  @Test
  void shouldCountEachConsumerOfANameThatExpires() {
    VirtualCursor one = connect("namesake", 4);
    VirtualCursor other = connect("namesake", 6);
    registry.disconnect(one);
    registry.disconnect(other);
    now += TTL_SECONDS * 900;
    assertThat(absent(20).expiring()).isEqualTo(2);
  }

  @Test
  void shouldTellOfWhatExpiresWithABacklog() {
    List<String> told = new ArrayList<>();
    registry.whenExpired((name, missed) -> told.add(name + " " + missed.entries()));
    leave("behind", 4);
    leave("at the end", 20);
    now += TTL_SECONDS * 1_000;
    registry.expire(now, 20);
    assertThat(told).containsExactly("behind 16");
  }

  private AbsentPositions absent(long end) {
    return registry.absent(now, end);
  }

  private VirtualCursor connect(String name, long at) {
    return registry.connect(name, TTL_SECONDS, () -> at, at);
  }

  private void leave(String name, long at) {
    registry.disconnect(connect(name, at));
  }
}
