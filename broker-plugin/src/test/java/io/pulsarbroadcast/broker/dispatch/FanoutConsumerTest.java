/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.pulsarbroadcast.broker.cursor.CursorRegistry;
import io.pulsarbroadcast.broker.cursor.SkippedEntries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class FanoutConsumerTest {

  /** What is left for the entries of a ledger that was trimmed before its size was seen. */
  private static final long GAP = 1L << 32;

  private final SkippedEntries skipped = new SkippedEntries();
  private final FanoutConsumer consumer =
      new FanoutConsumer(
          1,
          new CursorRegistry(skipped, 0).connect("a", 60, () -> 0, 0),
          -1,
          false,
          new TestOwner());

  private void passes(long from, long ordinal) {
    consumer.passed(new BroadcastEntry(from, ordinal, 1, ordinal, 1, null, null));
  }

  /** I8: the event loop is everybody's on the connection. */
  @Test
  @Timeout(60)
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
}
