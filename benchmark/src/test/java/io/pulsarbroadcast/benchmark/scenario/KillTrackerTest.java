/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.benchmark.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.benchmark.bench.Check;
import io.pulsarbroadcast.benchmark.scenario.KillTracker.Kill;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class KillTrackerTest {
  private static final int WINDOW_MILLIS = 1_000;
  private final KillTracker tracker = new KillTracker(2, 10, WINDOW_MILLIS);

  private void receive(int consumer, int sequence, boolean first, long entryId) {
    tracker.received(consumer, sequence, first, 0, 7, entryId);
  }

  @Test
  void shouldCountWhatComesAgainAfterAKill() {
    receive(0, 1, true, 1);
    receive(1, 1, true, 1);
    Kill kill = tracker.killed(tracker.nowMillis());
    receive(0, 1, false, 1);
    receive(0, 2, true, 2);

    assertThat(kill.acknowledgedInWindow()).isEqualTo(2);
    assertThat(kill.redeliveries()).hasSize(1);
    assertThat(kill.mostOfOneConsumer()).isEqualTo(1);
    assertThat(kill.tooOld()).isZero();
  }

  @Test
  void shouldFindWhatWasAcknowledgedLongBeforeTheKill() {
    receive(0, 1, true, 1);
    Kill kill = tracker.killed(tracker.nowMillis() + 2 * WINDOW_MILLIS);
    receive(0, 1, false, 1);

    assertThat(kill.acknowledgedInWindow()).isZero();
    assertThat(kill.tooOld()).isEqualTo(1);
    assertThat(kill.oldestMillis()).isGreaterThan(WINDOW_MILLIS);
    assertThat(kill.oldest().orElseThrow()).hasToString("message 1 at 7:1 to consumer 0");
  }

  @Test
  void shouldNotTakeASecondCopyOfAMessageForARedelivery() {
    receive(0, 1, true, 1);
    Kill kill = tracker.killed(tracker.nowMillis());
    receive(0, 1, false, 5);
    assertThat(kill.redeliveries()).isEmpty();
    assertThat(tracker.furtherCopies()).isEqualTo(1);

    receive(0, 1, false, 5);
    assertThat(kill.redeliveries()).hasSize(1);
  }

  @Test
  void shouldFindWhatComesAgainWithoutAKill() {
    receive(0, 1, true, 1);
    receive(0, 1, false, 1);

    assertThat(tracker.kills()).singleElement().satisfies(k -> assertThat(k.tooOld()).isOne());
  }

  @Test
  void shouldFindMissingAndDisorderedMessages() {
    receive(0, 2, true, 2);
    tracker.disordered(0);
    receive(0, 1, true, 1);
    receive(1, 1, true, 1);
    BitSet expected = new BitSet();
    expected.set(1, 3);

    assertThat(tracker.outOfOrder()).isEqualTo(1);
    assertThat(tracker.missing(expected)).isEqualTo(1);
    assertThat(tracker.missing(1, expected)).isEqualTo(1);
    assertThat(tracker.lowest()).isEqualTo(1);
    assertThat(tracker.checks("everybody", expected)).noneMatch(Check::holds);
  }
}
