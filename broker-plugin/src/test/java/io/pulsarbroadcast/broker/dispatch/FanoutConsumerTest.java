/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

class FanoutConsumerTest {

  /** What is left for the entries of a ledger that was trimmed before its size was seen. */
  private static final long GAP = 1L << 32;

  private final SkippedEntries skipped = new SkippedEntries();
  private final TestOwner owner = new TestOwner();
  private final FanoutConsumer consumer = consumer(false);

  private FanoutConsumer consumer(boolean ordered) {
    return new FanoutConsumer(
        1, new CursorRegistry(skipped, 0).connect("a", 60, () -> 0, 0), -1, ordered, owner);
  }

  private void passes(long from, long ordinal) {
    consumer.passed(new BroadcastEntry(from, ordinal, 1, ordinal, 1, null, null));
  }

  /** I8: the event loop is everybody's on the connection. */
  @Test
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
  void shouldAskAgainForAllThatItWasSentOverAGap() {
    passes(0, 0);
    passes(1, 1);
    skipped.add(2, 5);
    skipped.addGap(5, 5 + GAP);
    passes(2, 5 + GAP);

    consumer.redeliverAll();
    assertThat(consumer.wanted()).isZero();
    assertThat(consumer.unacknowledgedEntries()).as("but for what it asked for").isZero();
    assertThat(consumer.takes(new BroadcastEntry(1, 1, 1, 1, 1, null, null))).isTrue();
    assertThat(consumer.takes(new BroadcastEntry(5 + GAP, 5 + GAP, 2, 0, 1, null, null))).isTrue();
  }

  @Test
  void shouldCountAsUnacknowledgedOnlyWhatItWasGiven() {
    passes(0, 0);
    skipped.add(1, 5);
    passes(1, 5);
    skipped.addGap(6, 6 + GAP);
    passes(6, 6 + GAP);

    assertThat(consumer.unacknowledgedEntries()).isEqualTo(3);
    consumer.cursor().ackIndividual(5);
    assertThat(consumer.unacknowledgedEntries()).isEqualTo(2);
  }

  private BroadcastEntry entry(long ordinal, int messages) {
    return new BroadcastEntry(ordinal, ordinal, 1, ordinal, messages, null, null);
  }

  @Test
  void shouldCountWhatItIsSent() {
    consumer.permits = 10;
    assertThat(consumer.sent(entry(0, 3), 3, 300)).as("again").isFalse();
    assertThat(consumer.sent(entry(1, 5), 2, 200)).as("again").isFalse();
    assertThat(consumer.sent(entry(0, 3), 3, 300)).as("again").isTrue();

    assertThat(consumer.permits()).isEqualTo(2);
    assertThat(consumer.messagesOut()).isEqualTo(8);
    assertThat(consumer.bytesOut()).isEqualTo(800);
    assertThat(consumer.messagesRedelivered()).isEqualTo(3);
    assertThat(consumer.next).as("what it is sent again does not take it back").isEqualTo(2);
  }

  /** As the broker does it: from the limit on nothing, until half of it is acknowledged. */
  @Test
  void shouldWaitForAcknowledgementsFromTheLimitOn() {
    owner.maxUnacknowledgedEntries = 4;
    consumer.permits = 100;
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      consumer.sent(entry(ordinal, 1), 1, 10);
    }
    assertThat(consumer.mayBeSent()).isTrue();
    consumer.sent(entry(3, 1), 1, 10);
    assertThat(consumer.isBlocked()).isTrue();
    assertThat(consumer.mayBeSent()).isFalse();

    consumer.cursor().ackIndividual(0);
    assertThat(consumer.mayUnblock()).isFalse();
    consumer.cursor().ackIndividual(3);
    assertThat(consumer.mayUnblock()).isTrue();
    consumer.unblock();
    assertThat(consumer.isBlocked()).isFalse();
    assertThat(consumer.mayBeSent()).isTrue();
    assertThat(consumer.mayUnblock()).as("it was not blocked").isFalse();
  }

  @Test
  void shouldCountOnlyWhatIsNotAcknowledgedAgainstTheLimit() {
    owner.maxUnacknowledgedEntries = 4;
    for (int ordinal = 0; ordinal < 20; ordinal++) {
      consumer.sent(entry(ordinal, 1), 1, 10);
      if (ordinal > 0) {
        consumer.cursor().ackIndividual(ordinal);
      }
    }
    assertThat(consumer.isBlocked()).isFalse();
  }

  @Test
  void shouldGoOnWhenTheLimitIsTakenAway() {
    owner.maxUnacknowledgedEntries = 1;
    consumer.sent(entry(0, 1), 1, 10);
    assertThat(consumer.mayUnblock()).isFalse();
    owner.maxUnacknowledgedEntries = 0;
    assertThat(consumer.mayUnblock()).isTrue();
  }

  @Test
  void shouldNotLimitWithoutALimit() {
    for (int ordinal = 0; ordinal < 20; ordinal++) {
      consumer.sent(entry(ordinal, 1), 1, 10);
    }
    assertThat(consumer.isBlocked()).isFalse();
  }

  /** A consumer of the ordered contract acknowledges cumulatively, when it likes. */
  @Test
  void shouldNotLimitTheOrderedContract() {
    owner.maxUnacknowledgedEntries = 2;
    FanoutConsumer ordered = consumer(true);
    for (int ordinal = 0; ordinal < 20; ordinal++) {
      ordered.sent(entry(ordinal, 1), 1, 10);
    }
    assertThat(ordered.isBlocked()).isFalse();
    assertThat(ordered.unacknowledgedEntries()).isEqualTo(20);
    assertThat(ordered.hasRedeliveries()).isFalse();
    assertThat(ordered.redeliveriesOf(entry(0, 1))).isZero();
    assertThat(ordered.delayedEntries()).isZero();
  }

  @Test
  void shouldNotAskAgainForWhatItWasNeverSent() {
    passes(0, 0);
    consumer.redeliver(1);
    assertThat(consumer.hasRedeliveries()).isFalse();
    consumer.redeliver(0);
    assertThat(consumer.hasRedeliveries()).isTrue();
  }

  @Test
  void shouldAskAgainForAllButWhatIsAcknowledged() {
    for (int ordinal = 0; ordinal < 4; ordinal++) {
      passes(ordinal, ordinal);
    }
    consumer.cursor().ackIndividual(2);
    consumer.redeliverAll();

    assertThat(consumer.takes(entry(0, 1))).isTrue();
    assertThat(consumer.takes(entry(2, 1))).isFalse();
    assertThat(consumer.takes(entry(3, 1))).isTrue();
    assertThat(consumer.hasRedeliveries()).as("but for the second").isTrue();
    assertThat(consumer.redeliveriesOf(entry(1, 1))).isEqualTo(1);
  }

  /** What it asked for is read first, then what is next. */
  @Test
  void shouldWantWhatItAskedForFirst() {
    for (int ordinal = 0; ordinal < 4; ordinal++) {
      passes(ordinal, ordinal);
    }
    assertThat(consumer.wanted()).isEqualTo(4);
    assertThat(consumer.wantedEnd()).isEqualTo(Long.MAX_VALUE);

    consumer.redeliver(2);
    assertThat(consumer.wanted()).isEqualTo(2);
    assertThat(consumer.wantedEnd()).isEqualTo(3);
  }

  /** An entry that is for nobody now was asked for when it was not. */
  @Test
  void shouldNotWaitForWhatIsForNobody() {
    for (int ordinal = 0; ordinal < 4; ordinal++) {
      passes(ordinal, ordinal);
    }
    consumer.redeliver(1);
    consumer.redeliver(3);
    assertThat(consumer.takes(new BroadcastEntry(0, 2, 1, 2, 1, null, null))).isFalse();
    assertThat(consumer.wanted()).isEqualTo(3);
  }

  @Test
  void shouldStartAgainAtItsPosition() {
    owner.maxUnacknowledgedEntries = 2;
    consumer.sent(entry(0, 1), 1, 10);
    consumer.cursor().ackIndividual(0);
    consumer.sent(entry(1, 1), 1, 10);
    consumer.sent(entry(2, 1), 1, 10);
    assertThat(consumer.isBlocked()).isTrue();
    consumer.redeliver(2);
    consumer.startAgain();

    assertThat(consumer.wanted()).isEqualTo(1);
    assertThat(consumer.isBlocked()).isFalse();
    assertThat(consumer.hasRedeliveries()).isFalse();
  }

  /** I8: memory of an unordered consumer that falls behind is what it has not acknowledged. */
  @Test
  void shouldNotCountWhatIsDelayedAsUnacknowledged() {
    passes(0, 0);
    passes(1, 1);
    consumer.delay(1);
    assertThat(consumer.unacknowledgedEntries()).isEqualTo(1);
    assertThat(consumer.delayedEntries()).isEqualTo(1);
    consumer.endDelay(1);
    assertThat(consumer.wanted()).isEqualTo(1);
    assertThat(consumer.delayedEntries()).isZero();
  }
}
